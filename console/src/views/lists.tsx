// The lists of Themes and of Variants: found by their words and labels, as cards or as a table. A thousand cost what the screen shows.
import type { ComponentChildren } from "preact";
import type { Theme } from "../api/client";
import type { Overrides } from "../state/overrides";
import { isEmpty, search, usePages, useRested, type Paged, type ReadPage } from "../state/pages";
import { query, setQuery } from "../state/router";
import { Badge, Button, Checkbox, Empty, SelectField, TextField, Waiting } from "../ui/controls";
import { Cards, Table } from "./listviews";
import "./lists.css";

export type Listed = Pick<Theme, "id" | "slug" | "displayName" | "metadata" | "tokenCount" | "updatedAt" | "latestVersion" | "hasUnpublishedChanges">;

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
	name: string; // of the list, for what events change
	read: ReadPage<T>;
	what: string; // Theme or Variant
	counted: string; // what tokenCount counts
	link: (id: string, tab?: string) => string;
	overrides?: (id: string) => Overrides;
	create?: () => void; // undefined if the caller may not
	children: ComponentChildren; // what an empty list teaches
}

export function Listing<T extends Listed>({ name, read, what, create, children, ...rest }: ListingProps<T>) {
	const words = query.value.get("q") ?? "";
	const sort = query.value.get("sort") ?? "";
	const drafts = query.value.get("drafts") === "1";
	const list = query.value.get("as") === "list";
	const changed = sort === "changed";
	const of = usePages(name, { includeTotals: true, orderBy: changed ? "updatedAt" : "", orderDir: changed ? "descending" : "", ...search(useRested(words)), hasUnpublishedChanges: drafts || "" }, read);
	const { data } = of.state.value;
	const View = list ? Table : Cards;
	const none = data && isEmpty(data);
	return (
		<>
			<Waiting of={of} what={`Reading the ${what}s`} />
			<div class="tools">
				{data && !none && (
					<>
						<TextField label={`Find a ${what}`} hidden placeholder="Find by name, slug or label" type="search" value={words} onInput={(q) => setQuery({ q })} />
						<SelectField label="Order" hidden value={sort} onChange={(s) => setQuery({ sort: s })} options={[["", "By slug"], ["changed", "Last changed first"]]} />
						<Checkbox label="Drafts only" checked={drafts} onChange={(on) => setQuery({ drafts: on ? "1" : "" })} />
						<Button kind="quiet" aria-pressed={list} onClick={() => setQuery({ as: list ? "" : "list" })}>{list ? "Show as cards" : "Show as a list"}</Button>
						<span class="muted" role="status">{data.items.length} of {data.total}</span>
					</>
				)}
				{create && <Button kind="primary" class="at-end" onClick={create}>New {what}{rest.overrides && "s"}</Button>}
			</div>
			{none && <Empty title={`No ${what} yet`}>{children}</Empty>}
			{data?.items.length === 0 && !none && <Empty title={`No ${what} has these words`}><Button onClick={() => setQuery({ q: "", drafts: "" })}>Show all</Button></Empty>}
			{data && data.items.length > 0 && <View list={data.items} what={what} {...rest} />}
			<More of={of} />
		</>
	);
}

/** The button that shows the next page of a list, if there is one. */
export function More({ of: { state, more }, what = "" }: { of: Paged<unknown>; what?: string }) {
	const { data, loading } = state.value;
	if (!data?.next) return null;
	return <p><Button busy={loading} onClick={more}>Show more</Button> {data.total && <span class="muted">{data.items.length} of {data.total}{what}</span>}</p>;
}
