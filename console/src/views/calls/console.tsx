// Any operation of the API, filled in and sent from here.
import { useState } from "preact/hooks";
import { address, curl, get, root, send, type ApiError } from "../../api/client";
import { useEnvironments } from "../../state/here";
import { useResource } from "../../state/resource";
import { query, setQuery } from "../../state/router";
import type { JSONValue } from "../../state/token";
import { Badge, Copy, Dialog, Field, Form, SelectField, TextField, Waiting } from "../../ui/controls";
import { Answer } from "./calls";
import { operationsOf, requestOf, type Operation } from "./operations";

export function Console() {
	const [open, setOpen] = useState(query.value.has("op"));
	return (
		<details class="card" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>Make a request</summary>
			{open && <Operations />}
		</details>
	);
}

function Operations() {
	const document = useResource("openapi", async () => operationsOf(await get<{ [name: string]: JSONValue }>(`${root}/openapi.json`, undefined, { quiet: true })));
	const { data } = document.state.value;
	if (!data) return <Waiting of={document} what="Reading the API's document" />;
	const chosen = data.find((o) => o.id === query.value.get("op"));
	return (
		<>
			<SelectField label="Operation" value={chosen?.id ?? ""} options={[["", "Choose"], ...data.map((o) => [o.id, `${o.summary} (${o.method})`] as const)]} onChange={(op) => setQuery({ op })} />
			{chosen && <Request key={chosen.id} operation={chosen} />}
		</>
	);
}

function Request({ operation }: { operation: Operation }) {
	const environments = useEnvironments().state.value.data?.items ?? [];
	const [values, setValues] = useState<Readonly<Record<string, string>>>({});
	const filled = { environmentID: environments[0]?.id ?? "", ...values };
	const [body, setBody] = useState(operation.body ?? "");
	const [asking, setAsking] = useState(false);
	const [answer, setAnswer] = useState<{ status: number; text: string } | null>(null);
	const { path, query: parameters, headers, missing } = requestOf(operation, filled);
	const sent = operation.body === null ? undefined : body;
	const submit = async (): Promise<void> => {
		if (operation.method !== "GET" && !asking) return setAsking(true);
		setAsking(false);
		try {
			const response = await send(operation.method, path, { query: parameters, headers, ...(sent === undefined ? {} : { body: JSON.parse(sent) as unknown }) });
			setAnswer({ status: response.status, text: await response.text() });
		} catch (error) {
			const { status = 0, message } = error as ApiError;
			setAnswer({ status, text: message });
		}
	};
	const command = curl({ method: operation.method, path: address(path, parameters), headers: sent === undefined ? headers : { ...headers, "Content-Type": "application/json" }, body: sent });
	return (
		<>
			<p><strong>{operation.method}</strong> <code>{operation.path}</code> <Badge>{operation.role}</Badge></p>
			<Form submit="Send" danger={operation.method !== "GET"} onSubmit={submit} disabled={missing.length > 0}>
				<div class="parameters">
					{operation.parameters.map((p) => (
						<TextField key={p.name} label={`${p.name}${p.required ? ", needed" : ""}`} value={filled[p.name as "environmentID"] ?? ""} placeholder={p.example} onInput={(v) => setValues({ ...values, [p.name]: v })} />
					))}
				</div>
				{operation.body !== null && <Field label="Body">{(a) => <textarea class="input" rows={8} spellcheck={false} value={body} onInput={(event) => setBody(event.currentTarget.value)} {...a} />}</Field>}
				<figure><figcaption><Copy text={command} label="Copy the command" /></figcaption><pre tabIndex={0}>{command}</pre></figure>
			</Form>
			{answer && <Answer {...answer} />}
			{asking && (
				<Dialog title={operation.summary} onClose={() => setAsking(false)} submit="Send it" danger onSubmit={submit}>
					<p><strong>{operation.method}</strong> <code>{path}</code> changes what is stored.</p>
				</Dialog>
			)}
		</>
	);
}
