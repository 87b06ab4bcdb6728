// The lists of Themes and of Variants: found by their words and labels, as cards or as a table. A thousand cost what the screen shows.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Theme } from "../api/client";
import type { Overrides } from "../state/overrides";
import type { Resource } from "../state/resource";
import { query, setQuery } from "../state/router";
import { finder } from "../state/token";
import { Badge, Button, Empty, SelectField, TextField, Waiting } from "../ui/controls";
import { Cards, Table } from "./listviews";
import "./lists.css";

export type Listed = Pick<Theme, "id" | "slug" | "displayName" | "metadata" | "tokenCount" | "updatedAt" | "latestVersion" | "hasUnpublishedChanges">;

/** Whether all words stand in a resource's names or labels. */
export function matches(of: Pick<Listed, "slug" | "displayName" | "metadata">, words: string): boolean {
	const text = [of.slug, of.displayName, ...Object.entries(of.metadata).map(([name, value]) => `${name}=${value}`)].join("\n").toLowerCase();
	return finder(words)(text);
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

/** Whether a Theme or a Variant is published, and has a draft. */
export function State({ of }: { of: Pick<Listed, "latestVersion" | "hasUnpublishedChanges"> }) {
	return (
		<>
			{of.latestVersion === null ? <Badge>not published</Badge> : <Badge kind="success">version {of.latestVersion}</Badge>}
			{of.hasUnpublishedChanges && <Badge kind="warning">draft</Badge>}
		</>
	);
}

export interface ListingProps<T extends Listed> {
	of: Resource<T[]>;
	what: string; // Theme or Variant
	counted: string; // what tokenCount counts
	link: (id: string, tab?: string) => string;
	overrides?: (id: string) => Overrides;
	create?: () => void; // undefined if the caller may not
	children: ComponentChildren; // what an empty list teaches
}

export function Listing<T extends Listed>({ of, what, create, children, ...rest }: ListingProps<T>) {
	const { data } = of.state.value;
	const words = query.value.get("q") ?? "";
	const sort = (query.value.get("sort") ?? "") as Sort;
	const list = query.value.get("as") === "list";
	const shown = useMemo(() => sorted((data ?? []).filter((one) => matches(one, words)), sort), [data, words, sort]);
	const View = list ? Table : Cards;
	return (
		<>
			<Waiting of={of} what={`Reading the ${what}s`} />
			<div class="tools">
				{data && data.length > 0 && (
					<>
						<TextField label={`Find a ${what}`} hidden placeholder="Find by name, slug or label" type="search" value={words} onInput={(q) => setQuery({ q })} />
						<SelectField
							label="Order" hidden value={sort} onChange={(s) => setQuery({ sort: s })}
							options={[["", "By slug"], ["name", "By name"], ["changed", "Last changed first"], ["size", `Most ${rest.counted} first`], ["drafts", "Drafts first"]]}
						/>
						<Button kind="quiet" aria-pressed={list} onClick={() => setQuery({ as: list ? "" : "list" })}>{list ? "Show as cards" : "Show as a list"}</Button>
						<span class="muted" role="status">{shown.length} of {data.length}</span>
					</>
				)}
				{create && <Button kind="primary" class="at-end" onClick={create}>New {what}{rest.overrides && "s"}</Button>}
			</div>
			{data?.length === 0 && <Empty title={`No ${what} yet`}>{children}</Empty>}
			{data && data.length > 0 && shown.length === 0 && <Empty title={`No ${what} has these words`}><Button onClick={() => setQuery({ q: "" })}>Show all</Button></Empty>}
			{shown.length > 0 && <View list={shown} what={what} {...rest} />}
		</>
	);
}
