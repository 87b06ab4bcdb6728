// Addresses that are told of events.
import { useState } from "preact/hooks";
import { call, environmentPath, get, type Schemas } from "../../api/client";
import { mayAdmin } from "../../api/session";
import { usePages } from "../../state/pages";
import { useResource } from "../../state/resource";
import { Badge, Button, Checkbox, Copy, Dialog, Empty, Failure, SelectField, TextField, Time, Waiting, complain, say } from "../../ui/controls";
import { Confirm } from "../../ui/labels";
import { More } from "../lists";
import { action, kinds } from "./words";
import "./activity.css";

type Webhook = Schemas["Webhook"];
type WithSecret = Schemas["WebhookWithSecret"];
type Delivery = Schemas["Delivery"];
const formats: readonly (readonly [Webhook["format"] & string, string])[] = [["event", "The event, for programs"], ["events", "Several events, for programs that take many"], ["chat", "A sentence, for a chat"], ["purge", "Keys to purge, for a CDN"]];

export function Webhooks({ params }: { params: Record<string, string> }) {
	const e = params.environment!;
	return (
		<>
			<h1>Webhooks</h1>
			{mayAdmin(e) ? <List path={`${environmentPath(e)}/webhooks`} /> : (
				<Empty title="Webhooks are for admins"><p>A webhook tells another system of each publish. An admin of this Environment sees and makes them.</p></Empty>
			)}
		</>
	);
}

function List({ path }: { path: string }) {
	const list = useResource(`webhooks ${path}`, async () => (await get<{ items: Webhook[] }>(path)).items);
	const [creating, setCreating] = useState(false);
	const [secret, setSecret] = useState<WithSecret | null>(null);
	const { state, reload } = list;
	const { data } = state.value;
	const shown = (made: WithSecret): void => {
		setSecret(made);
		void reload();
	};
	return (
		<>
			<Waiting of={list} what="Reading the webhooks" />
			{data && <div class="tools"><Button kind="primary" onClick={() => setCreating(true)}>New webhook</Button><span class="muted">{data.length} of at most 20</span></div>}
			{data?.length === 0 && <Empty title="No webhook yet"><p>A webhook sends each event to an https address of yours: a build that follows publishes, a CDN that purges, a chat that people read.</p></Empty>}
			<ul class="settings">{data?.map((w) => <One key={w.id} path={path} webhook={w} reload={() => void reload()} onSecret={shown} />)}</ul>
			{creating && <Create path={path} onClose={() => setCreating(false)} onMade={shown} />}
			{secret && (
				<Dialog title="The secret of the webhook" onClose={() => setSecret(null)} submit="I have kept it" onSubmit={async () => setSecret(null)}>
					<p>The receiver checks each message's signature with it. It is shown now and never again.</p>
					<pre tabIndex={0}>{secret.secret}</pre>
					<Copy text={secret.secret} label="Copy the secret" />
				</Dialog>
			)}
		</>
	);
}

function Create({ path, onClose, onMade }: { path: string; onClose: () => void; onMade: (made: WithSecret) => void }) {
	const [url, setUrl] = useState("");
	const [description, setDescription] = useState("");
	const [format, setFormat] = useState<Webhook["format"] & string>("event");
	const [chosen, setChosen] = useState<readonly string[]>([]);
	const create = async (): Promise<void> => {
		const { data } = await call<{ resource: WithSecret }>("POST", path, { body: { url, description, format, kinds: chosen }, headers: { "Idempotency-Key": crypto.randomUUID() } });
		onClose();
		onMade(data.resource);
	};
	return (
		<Dialog title="New webhook" onClose={onClose} submit="Create" onSubmit={create} disabled={!url}>
			<TextField label="Address" type="url" value={url} onInput={setUrl} placeholder="https://hooks.example.com/livery" />
			<TextField label="Description" spellcheck value={description} onInput={setDescription} />
			<SelectField label="Messages are" value={format} options={formats} onChange={setFormat} />
			<details>
				<summary>Events: {chosen.length === 0 ? "all that the messages are for" : chosen.length}</summary>
				{kinds.slice(1).map(([kind, words]) => <Checkbox key={kind} label={words} checked={chosen.includes(kind)} onChange={(on) => setChosen(on ? [...chosen, kind] : chosen.filter((k) => k !== kind))} />)}
			</details>
		</Dialog>
	);
}

function One({ path, webhook: w, reload, onSecret }: { path: string; webhook: Webhook; reload: () => void; onSecret: (made: WithSecret) => void }) {
	const [deleting, setDeleting] = useState(false);
	const [round, setRound] = useState(0); // of the deliveries, once they are shown
	const at = `${path}/${w.id}`;
	const run = (what: Promise<unknown>): void => void what.catch(complain);
	const test = async (): Promise<void> => {
		await call("POST", `${at}/test`);
		say("A test is on its way: look at the deliveries.");
		setRound(round + 1);
	};
	return (
		<li class="card">
			<h2>{w.description || w.url}</h2>
			<p><code>{w.url}</code></p>
			<p class="muted">{formats.find(([f]) => f === w.format)?.[1]}; {w.kinds.length === 0 ? "all events" : w.kinds.join(", ")}; made <Time at={w.createdAt} />{w.rotatedAt && <>, secret of <Time at={w.rotatedAt} /></>}</p>
			{w.endedAt && <p class="notice warning">The receiver answered 410, and is sent nothing since <Time at={w.endedAt} />. It is sent what happens again once it takes a test.</p>}
			{w.lateThemes.length > 0 && <p class="notice warning">It did not take events of {w.lateThemes.length === 1 ? "a Theme" : `${w.lateThemes.length} Themes`} yet; they are tried again.</p>}
			<div class="actions">
				<Button onClick={() => run(test())}>Send a test</Button>
				<Button onClick={() => setRound(round + 1)}>{round ? "Read the deliveries again" : "Deliveries"}</Button>
				<Button onClick={() => run(call<WithSecret>("POST", `${at}/rotate`).then(({ data }) => onSecret(data)))}>New secret</Button>
				<Button kind="danger" onClick={() => setDeleting(true)}>Delete</Button>
			</div>
			{round > 0 && <Deliveries path={at} round={round} />}
			{deleting && (
				<Confirm title="Delete the webhook" word="delete" submit="Delete the webhook" onClose={() => setDeleting(false)} onConfirm={() => call("DELETE", at).then(reload)}>
					<p>What is due to <code>{w.url}</code> is not sent any more, and its deliveries go with it.</p>
				</Confirm>
			)}
		</li>
	);
}

const states: Readonly<Record<Delivery["state"], "" | "success" | "warning" | "danger">> = { waiting: "", delivered: "success", retrying: "warning", dead: "danger", missed: "danger" };

function Deliveries({ path, round }: { path: string; round: number }) {
	const [state, setState] = useState("");
	const list = usePages<Delivery>(`deliveries ${path} ${round}`, { state }, (query) => get(`${path}/deliveries`, query));
	const { data, error } = list.state.value;
	const again = (d: Delivery): void => void call("POST", `${path}/deliveries/${d.id}/redeliver`).then(list.reload, complain);
	return (
		<>
			<SelectField label="State of deliveries" value={state} options={[["", "All"], ...Object.keys(states).map((s) => [s, s] as const)]} onChange={setState} />
			{error && <Failure error={error} />}
			{data?.items.length === 0 && <p>No deliveries.</p>}
			<ol class="timeline">
				{data?.items.map((d) => (
					<li key={d.id}>
						<p><Badge kind={states[d.state]}>{d.state}</Badge> {d.event ? (d.event.kind === "webhook.ping" ? "test" : `${d.event.by ?? "Somebody"} ${action(d.event)}`) : "events that were not sent"}</p>
						<p class="muted">{d.attempts} {d.attempts === 1 ? "attempt" : "attempts"}{d.lastAttemptAt && <>, the last <Time at={d.lastAttemptAt} /></>}{d.status && `, answered ${d.status}`}{d.milliseconds !== null && ` in ${d.milliseconds} ms`}{d.nextAttemptAt && <>, next <Time at={d.nextAttemptAt} /></>}</p>
						{d.result && <pre tabIndex={0}>{d.result}</pre>}
						{d.state !== "missed" && <Button kind="quiet" onClick={() => again(d)}>Send again</Button>}
					</li>
				))}
			</ol>
			<More of={list} />
		</>
	);
}
