// Which libraries a Theme has files for, and what an application copies for each.
import { useState } from "preact/hooks";
import { environmentPath, themePath, type Theme } from "../../api/client";
import { mayAdmin } from "../../api/session";
import { draftOf } from "../../state/draft";
import { Button, Checkbox, Copy, Form, SelectField, say } from "../../ui/controls";
import { updated } from "./identity";
import { useModes } from "./modes";
import { catalogue, names, snippets, type Integration } from "./snippets";

const key = (i: Integration): string => `${i.framework}/${i.library}`;

export function Integrations({ environment, theme, onSaved }: { environment: string; theme: Theme; onSaved: (theme: Theme) => void }) {
	const [adding, setAdding] = useState<Integration["framework"]>("react");
	const [library, setLibrary] = useState<string>("");
	const [pinned, setPinned] = useState(false);
	const may = mayAdmin(environment);
	const list = theme.integrations as Integration[];
	const replace = async (next: (now: Integration[]) => Integration[]): Promise<void> => {
		onSaved(await updated<Theme>(themePath(environment, theme.id), "/integrations", (now) => ({ integrations: next(now.integrations as Integration[]) })));
	};
	const add = { framework: adding, library } as Integration;
	const free = catalogue[adding].filter((l) => !list.some((i) => i.framework === adding && i.library === l));
	const remove = async (gone: Integration): Promise<void> => {
		await replace((now) => now.filter((i) => key(i) !== key(gone))).then(() => say(`${names[gone.library]} is removed. Files that only it needed answer 404 within seconds.`), (error: Error) => say(error.message, "danger"));
	};
	return (
		<section class="card wide" aria-labelledby="integrations">
			<h2 id="integrations">Integrations</h2>
			<p class="muted">Each pair of framework and library has the Theme serve the files that it takes.{!may && " An admin of the Environment adds and removes them."}</p>
			{theme.servingUrls.pinned && <Checkbox label={`Addresses of version ${theme.servingUrls.version}, which never change, in place of latest`} checked={pinned} onChange={setPinned} />}
			{list.length === 0 && <p>The Theme serves nothing yet.</p>}
			{list.map((i) => (
				<details class="snippets" key={key(i)} open={list.length === 1}>
					<summary>{names[i.framework]} with {names[i.library]}</summary>
					<Snippets environment={environment} theme={theme} integration={i} pinned={pinned} />
					{may && list.length > 1 && <Button kind="danger" onClick={() => void remove(i)}>Remove {names[i.framework]} with {names[i.library]}</Button>}
				</details>
			))}
			{may && (
				<Form submit="Add" disabled={!free.includes(add.library)} onSubmit={() => replace((now) => (now.some((i) => key(i) === key(add)) ? now : [...now, add]))}>
					<div class="tools">
						<SelectField label="Framework" value={adding} onChange={setAdding} options={(Object.keys(catalogue) as Integration["framework"][]).map((f) => [f, names[f]!] as const)} />
						<SelectField label="Library" value={library} onChange={setLibrary} options={[["", "Choose"], ...free.map((l) => [l as string, names[l]!] as const)]} />
					</div>
				</Form>
			)}
		</section>
	);
}

function Snippets({ environment, theme, integration, pinned }: { environment: string; theme: Theme; integration: Integration; pinned: boolean }) {
	const draft = draftOf(environmentPath(environment), theme.id, null);
	const modes = useModes(environment, theme.id).state.value.data?.modes ?? [];
	const source = { urls: theme.servingUrls, pinned, modes: [...new Set(modes.map((m) => m.dimension))], tokens: draft.tokens.value, prefix: theme.assetSettings.prefix };
	return (
		<>
			{theme.serving.mode === "signed" && <p class="notice warning">This Theme is served to signed addresses only: sign each address before a page links it, as livery sign does.</p>}
			{snippets(integration, source).map(({ where, text }) => (
				<figure key={where}>
					<figcaption><span>{where}</span><Copy text={text} /></figcaption>
					<pre tabIndex={0}>{text}</pre>
				</figure>
			))}
		</>
	);
}
