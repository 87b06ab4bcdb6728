// Every request that this page made, as a command of curl, and a form for any other.
import { useState } from "preact/hooks";
import { calls, curl, get, type Call } from "../../api/client";
import { query, setQuery } from "../../state/router";
import { Badge, Button, Checkbox, Copy, Empty, Time } from "../../ui/controls";
import { Console } from "./console";
import "./calls.css";

export function Calls() {
	const changes = query.value.get("changes") === "1";
	const shown = calls.value.filter((c) => !changes || c.method !== "GET");
	return (
		<>
			<h1>Requests</h1>
			<p class="muted">All that this page does is done by the public API. The commands below do the same in a terminal, with your token in <code>LIVERY_TOKEN</code>.</p>
			<Console />
			<h2>Made by this page</h2>
			<div class="tools">
				<Checkbox label="Only changes" checked={changes} onChange={(on) => setQuery({ changes: on ? "1" : "" })} />
				<span class="muted" role="status">{shown.length} requests, the newest first</span>
			</div>
			{shown.length === 0 && <Empty title="Nothing yet"><p>{changes ? "This page has changed nothing since it was opened." : "Go to a Theme, and the requests that read it show here."}</p></Empty>}
			<ol class="calls">{shown.map((c) => <Entry key={c.id} call={c} />)}</ol>
		</>
	);
}

const kindOf = (status: number): "" | "success" | "danger" | "warning" => (status === 0 ? "" : status < 300 ? "success" : status < 500 ? "warning" : "danger");

export function Answer({ status, text }: { status: number; text: string }) {
	let shown = text;
	try {
		shown = JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		// a text, or cut off
	}
	return <><p><Badge kind={kindOf(status)}>{status}</Badge></p>{shown && <pre tabIndex={0} class="answer">{shown.slice(0, 65536)}</pre>}</>;
}

function Entry({ call: c }: { call: Call }) {
	const [open, setOpen] = useState(false);
	const [again, setAgain] = useState<string | null>(null);
	const command = curl(c);
	const ask = (): void => void get<unknown>(c.path, undefined, { quiet: true }).then((data) => setAgain(JSON.stringify(data)), (error: Error) => setAgain(error.message));
	const answer = c.answer ?? again;
	return (
		<li>
			<details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
				<summary>
					<strong>{c.method}</strong> <code>{c.path}</code> <Badge kind={kindOf(c.status)}>{c.status || "…"}</Badge> <span class="muted">{Math.round(c.milliseconds)} ms, <Time at={c.at.toISOString()} /></span>
				</summary>
				{open && (
					<>
						<figure><figcaption><Copy text={command} label="Copy the command" /></figcaption><pre tabIndex={0}>{command}</pre></figure>
						{answer !== null && answer !== undefined ? <Answer status={c.status} text={answer} /> : c.method === "GET" && <Button onClick={ask}>Show the answer of now</Button>}
						{c.requestID && <p class="muted">Id in the origin's log: <code>{c.requestID}</code></p>}
					</>
				)}
			</details>
		</li>
	);
}
