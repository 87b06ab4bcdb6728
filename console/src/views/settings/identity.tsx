// The name, slug and labels of a Theme or a Variant.
import { useState } from "preact/hooks";
import { ApiError, call, type Theme, type Variant } from "../../api/client";
import { Form, Section, TextField, say } from "../../ui/controls";
import { LabelsField, labelsOf, type Pairs } from "../../ui/labels";

export interface Identity {
	slug: string;
	displayName: string;
	metadata: Record<string, string>;
}

/** What is stored after an edit: of what another client changed meanwhile, that stays which the edit left alone. */
export function mergeIdentity(before: Identity, mine: Identity, now: Identity): Identity {
	const metadata = { ...now.metadata };
	for (const name of new Set([...Object.keys(before.metadata), ...Object.keys(mine.metadata)])) {
		const value = mine.metadata[name];
		if (value === before.metadata[name]) continue;
		if (value === undefined) delete metadata[name];
		else metadata[name] = value;
	}
	return {
		slug: mine.slug === before.slug ? now.slug : mine.slug,
		displayName: mine.displayName === before.displayName ? now.displayName : mine.displayName,
		metadata,
	};
}

/** Changes a resource with what change makes of its newest state; another client's write in between is read and merged again. */
export async function updated<T>(path: string, suffix: string, change: (now: T) => unknown): Promise<T> {
	for (let tries = 0; ; tries++) {
		const { data, etag } = await call<T>("GET", path, { quiet: true });
		try {
			return (await call<T>("PUT", path + suffix, { body: change(data), headers: etag ? { "If-Match": etag } : {} })).data;
		} catch (error) {
			if (!(error instanceof ApiError && error.status === 412) || tries === 4) throw error;
		}
	}
}

export function IdentityForm<T extends Theme | Variant>({ path, value, onSaved, may }: { path: string; value: T; onSaved: (value: T) => void; may: boolean }) {
	const [before, setBefore] = useState<Identity>(value);
	const [name, setName] = useState(value.displayName);
	const [slug, setSlug] = useState(value.slug);
	const [pairs, setPairs] = useState<Pairs>(Object.entries(value.metadata));
	const mine = { slug, displayName: name, metadata: labelsOf(pairs) };
	const same = JSON.stringify(mine) === JSON.stringify({ slug: before.slug, displayName: before.displayName, metadata: before.metadata });
	const save = async (): Promise<void> => {
		const saved = await updated<T>(path, "", (now) => mergeIdentity(before, mine, now));
		setBefore(saved);
		setName(saved.displayName);
		setSlug(saved.slug);
		setPairs(Object.entries(saved.metadata));
		onSaved(saved);
		say("Saved.", "success");
	};
	return (
		<Section title="Name and labels">
			{may ? (
				<Form submit="Save" onSubmit={save} disabled={same || !name.trim() || !slug}>
					<TextField label="Name" spellcheck value={name} onInput={setName} />
					<TextField label="Slug" value={slug} onInput={setSlug} hint="The command line and files name it by this. The addresses of served files have the id and do not change." />
					<LabelsField pairs={pairs} onChange={setPairs} />
				</Form>
			) : (
				<dl class="facts">
					<dt>Name</dt><dd>{value.displayName}</dd>
					<dt>Slug</dt><dd><code>{value.slug}</code></dd>
					<dt>Labels</dt><dd>{Object.entries(value.metadata).map(([n, v]) => <span class="badge" key={n}>{v ? `${n}=${v}` : n}</span>)}{Object.keys(value.metadata).length === 0 && "none"}</dd>
				</dl>
			)}
			<dl class="facts"><dt>Id</dt><dd><code>{value.id}</code></dd></dl>
		</Section>
	);
}
