// The Themes of an Environment.
import { useState } from "preact/hooks";
import { call, environmentPath, get, type Page, type Theme } from "../api/client";
import { mayEdit } from "../api/session";
import { go, href } from "../state/router";
import { Dialog, TextField } from "../ui/controls";
import { Listing } from "./lists";

export function Themes({ params }: { params: Record<string, string> }) {
	const e = params.environment!;
	const [creating, setCreating] = useState(false);
	return (
		<>
			<h1>Themes</h1>
			<Listing name={`themes ${e}`} read={(query) => get<Page<Theme>>(`${environmentPath(e)}/themes`, query)} what="Theme" counted="tokens" link={(id, tab) => href.theme(e, id, tab)} create={mayEdit(e) ? () => setCreating(true) : undefined}>
				<p>A Theme is one design system: a tree of tokens, with a Variant for each brand. Make one here, or push files that you have:</p>
				<pre>livery push tokens.json --env {e} --theme acme --create</pre>
			</Listing>
			{creating && <NewTheme environment={e} onClose={() => setCreating(false)} />}
		</>
	);
}

/** A slug that a name suggests. */
export function slugOf(name: string): string {
	return name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 64);
}

function NewTheme({ environment, onClose }: { environment: string; onClose: () => void }) {
	const [name, setName] = useState("");
	const [slug, setSlug] = useState<string | null>(null);
	const create = async (): Promise<void> => {
		const { data } = await call<{ resource: Theme }>("POST", `${environmentPath(environment)}/themes`, {
			body: { displayName: name, slug: slug ?? slugOf(name), integration: { framework: "react", library: "plainCSS" } },
		});
		onClose();
		go(href.theme(environment, data.resource.id));
	};
	return (
		<Dialog title="New Theme" onClose={onClose} submit="Create" onSubmit={create} disabled={!name.trim()}>
			<TextField label="Name" spellcheck value={name} onInput={setName} required />
			<TextField label="Slug" value={slug ?? slugOf(name)} onInput={setSlug} hint="Letters, digits and - _ . ; the command line and files name the Theme by it." />
		</Dialog>
	);
}
