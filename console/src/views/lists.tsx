// What the lists of Themes and of Variants share: words that find, an order, states and labels.
import type { Theme } from "../api/client";
import { setQuery } from "../state/router";
import { Badge, Button, SelectField, TextField } from "../ui/controls";
import "./lists.css";

type Listed = Pick<Theme, "slug" | "displayName" | "metadata" | "tokenCount" | "updatedAt" | "latestVersion" | "hasUnpublishedChanges">;

/** Whether all words stand in a resource's names or labels. */
export function matches(of: Pick<Listed, "slug" | "displayName" | "metadata">, words: string): boolean {
	const text = [of.slug, of.displayName, ...Object.entries(of.metadata).map(([name, value]) => `${name}=${value}`)].join("\n").toLowerCase();
	return words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export type Sort = "" | "name" | "changed" | "size" | "drafts";

/** A list in another order than that of its slugs. */
export function sorted<T extends Listed>(list: readonly T[], by: Sort): readonly T[] {
	const collator = new Intl.Collator();
	switch (by) {
		case "name": return list.toSorted((a, b) => collator.compare(a.displayName, b.displayName));
		case "changed": return list.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
		case "size": return list.toSorted((a, b) => b.tokenCount - a.tokenCount);
		case "drafts": return list.toSorted((a, b) => Number(b.hasUnpublishedChanges) - Number(a.hasUnpublishedChanges));
		default: return list;
	}
}

export function ListTools({ what, size, words, sort, list, shown, all }: { what: string; size: string; words: string; sort: Sort; list: boolean; shown: number; all: number }) {
	return (
		<>
			<TextField label={`Find a ${what}`} hidden placeholder="Find by name, slug or label" type="search" value={words} onInput={(q) => setQuery({ q })} />
			<SelectField
				label="Order" hidden value={sort} onChange={(s) => setQuery({ sort: s })}
				options={[["", "By slug"], ["name", "By name"], ["changed", "Last changed first"], ["size", size], ["drafts", "Drafts first"]]}
			/>
			<Button kind="quiet" aria-pressed={list} onClick={() => setQuery({ as: list ? "" : "list" })}>{list ? "Show as cards" : "Show as a list"}</Button>
			<span class="muted" role="status">{shown} of {all}</span>
		</>
	);
}

/** Whether a Theme or a Variant is published, and has a draft. */
export function State({ of }: { of: Pick<Listed, "latestVersion" | "hasUnpublishedChanges"> }) {
	return (
		<>
			{of.latestVersion === null ? <Badge>not published</Badge> : <Badge kind="success">version {of.latestVersion}</Badge>}
			{of.hasUnpublishedChanges && <Badge kind="warning">draft</Badge>}
		</>
	);
}

/** Labels that find the others with the same when they are pressed. */
export function Labels({ labels }: { labels: Record<string, string> }) {
	return (
		<span class="states">
			{Object.entries(labels).map(([name, value]) => {
				const text = value ? `${name}=${value}` : name;
				return <button key={name} type="button" class="badge" aria-label={`Find ${text}`} onClick={() => setQuery({ q: text })}>{text}</button>;
			})}
		</span>
	);
}
