// The drafts of a Theme's Variants: what each changes, and the publish of many, with progress.
import { useState } from "preact/hooks";
import { call, get, themePath, type Page, type Schemas, type Variant } from "../../api/client";
import { useTheme } from "../../state/here";
import { usePages } from "../../state/pages";
import { invalidate } from "../../state/resource";
import { href } from "../../state/router";
import { More } from "../lists";
import { reasons } from "./publish";
import { Button, Checkbox, Form, Progress, TextField, Waiting, say, Fold } from "../../ui/controls";

type Done = Schemas["DoneVariant"];
const chunk = 100;

/** A Variant with a draft: what its publish would do, or why it is left out. */
interface Item {
	variant: Variant;
	done?: Done;
	skipped?: string;
}

export function ManyVariants({ environment, theme }: { environment: string; theme: string }) {
	const latest = useTheme(environment, theme).state.value.data?.latestVersion ?? null;
	return latest === null ? null : <Drafts key={latest} environment={environment} theme={theme} latest={latest} />;
}

function Drafts({ environment, theme, latest }: { environment: string; theme: string; latest: number }) {
	const at = `${themePath(environment, theme)}/variants`;
	const path = `${at}/publish`;
	const drafts = usePages<Item>(`variants ${theme} drafts`, { hasUnpublishedChanges: true, includeTotals: true }, async (query) => {
		const { items, ...page } = await get<Page<Variant>>(at, query, { quiet: true });
		if (items.length === 0) return { items: [], ...page };
		const { data } = await call<Schemas["PublishedVariants"]>("POST", path, { body: { variants: items.map((v) => v.id), dryRun: true }, quiet: true });
		return { items: items.map((variant) => ({ variant, done: data.published.find((d) => d.id === variant.id), skipped: data.skipped.find((d) => d.id === variant.id)?.reason })), ...page };
	});
	const [left, setLeft] = useState<ReadonlySet<string>>(new Set()); // ids that are not chosen
	const [note, setNote] = useState("");
	const [done, setDone] = useState<number | null>(null);
	const { data, error } = drafts.state.value;
	if (!data || error) return <Waiting of={drafts} what="Looking at the drafts of the Variants" />;
	const names = new Map(data.items.map(({ variant: v }) => [v.id, v.displayName]));
	const published = data.items.flatMap((one) => one.done ?? []);
	const standing = data.items.filter((one) => one.skipped === "alreadyPublished").length;
	const later = standing > 0 && <p class="muted">{standing} more {standing === 1 ? "Variant has" : "Variants have"} changes and stand on version {latest} already: publish them in their tab Changes, or here after the next publish of the Theme.</p>;
	const rest = <More of={drafts} what=" drafts" />;
	if (published.length === 0) return <>{later}{rest}</>;
	const chosen = published.filter((d) => !left.has(d.id));
	const toggle = (id: string, on: boolean): void => setLeft((ids) => new Set(on ? [...ids].filter((i) => i !== id) : [...ids, id]));
	const publish = async (): Promise<void> => {
		const skipped: Schemas["SkippedVariant"][] = [];
		try {
			for (let i = 0; i < chosen.length; i += chunk) {
				setDone(i);
				const variants = chosen.slice(i, i + chunk).map(({ id, etag }) => ({ id, etag }));
				const { data: answer } = await call<Schemas["PublishedVariants"]>("POST", path, { body: { variants, note: note.trim() || null }, headers: { "Idempotency-Key": crypto.randomUUID() } });
				skipped.push(...answer.skipped);
			}
		} finally {
			setDone(null);
			invalidate(`variants ${theme}`);
		}
		setNote("");
		say(`${chosen.length - skipped.length} of ${chosen.length} Variants are published.`, "success");
		if (skipped.length > 0) throw new Error(skipped.map((s) => `${names.get(s.id) ?? s.id} was left out: ${reasons[s.reason] ?? s.reason}`).join("\n"));
	};
	return (
		<Fold title="Drafts of Variants" count={published.length} open>
			<p>They can be published at version {latest} of the Theme. A publish of the Theme carries every Variant over; those without changes of their own are served as before until you publish them.</p>
			<ul class="look-list">
				{published.map((d) => (
					<li key={d.id} class="title-row">
						<Checkbox label={names.get(d.id) ?? d.slug} checked={!left.has(d.id)} onChange={(on) => toggle(d.id, on)} />
						<span class="muted">{summary(d)}</span>
						<a href={href.variant(environment, theme, d.id, "diff")} aria-label={`Look at the draft of ${names.get(d.id) ?? d.slug}`}>Look</a>
					</li>
				))}
			</ul>
			{later}
			{rest}
			<Form submit={`Publish ${chosen.length} ${chosen.length === 1 ? "Variant" : "Variants"}`} disabled={chosen.length === 0} onSubmit={publish}>
				<TextField label="Note for the Variants" spellcheck value={note} onInput={setNote} />
				{done !== null && <Progress label="Publishing" value={done} max={chosen.length} />}
			</Form>
			{left.size > 0 && <Button kind="quiet" onClick={() => setLeft(new Set())}>Choose all</Button>}
		</Fold>
	);
}

/** What a draft changes, in one line. */
export function summary(d: Pick<Done, "added" | "removed" | "changed">): string {
	const parts = (["added", "removed", "changed"] as const).filter((word) => d[word].length > 0).map((word) => `${d[word].length} ${word}`);
	return parts.join(", ") || "as served, carried over";
}
