// Lists of the API as views show them: the first page, and each next one on demand. A search asks the API.
import { useEffect, useRef, useState } from "preact/hooks";
import { address, type Page, type Query } from "../api/client";
import { useResource, type Loaded } from "./resource";

const pageSize = 100;
const mostOfPage = 1000; // the API gives no more at once

export interface Pages<T> {
	items: readonly T[];
	query: Query; // what they were asked for by
	wanted: number; // how many items the view asks for
	next?: string; // the cursor of the page after these; none if there is no other
	total?: number; // items of the whole list
}

/** Reads a page of a list; before is how many items come before it. */
export type ReadPage<T> = (query: Query, before: number) => Promise<Page<T>>;

async function extend<T>({ items, query, wanted, next, total }: Pages<T>, read: ReadPage<T>): Promise<Pages<T>> {
	do {
		const size = Math.min(mostOfPage, wanted - items.length);
		const page = await read({ ...query, pageSize: size, ...(next ? { after: next, includeTotals: undefined } : {}) }, items.length);
		items = [...items, ...page.items];
		next = page.next;
		total = page.totalCount ?? total;
	} while (next && items.length < wanted);
	return { items, query, wanted, next, total };
}

/** A list as a view has it. */
export interface Paged<T> {
	/** Until a list by other parameters is there, the one before stays. */
	state: { readonly value: Loaded<Pages<T>> };
	reload: () => Promise<void>;
	/** Reads the next page too. */
	more: () => void;
}

/** The list that name and query name, as far as it is asked for. After an event, what is shown is read again. */
export function usePages<T>(name: string, query: Query, read: ReadPage<T>): Paged<T> {
	const { state, reload, set } = useResource<Pages<T>>(address(name, query), (old) => extend({ items: [], query, wanted: old?.wanted ?? pageSize }, read));
	const before = useRef<Pages<T> | undefined>(undefined);
	const { data, ...rest } = state.value;
	before.current = data ?? before.current;
	const more = (): void => {
		set({ ...data!, wanted: data!.items.length + pageSize });
		void reload((old) => extend(old!, read));
	};
	return { state: { value: { ...rest, data: before.current } }, reload: () => reload(), more };
}

/** Whether the list has no item at all, and not only none that was searched. */
export function isEmpty({ items, query: { includeTotals, orderBy, orderDir, ...filters } }: Pages<unknown>): boolean {
	return items.length === 0 && address("", filters) === "";
}

/** A text once it rests, as what is typed is sent. */
export function useRested(text: string): string {
	const [rested, setRested] = useState(text);
	useEffect(() => {
		const due = setTimeout(setRested, 250, text);
		return () => clearTimeout(due);
	}, [text]);
	return rested;
}

/** The parameters of a list that find what is typed: a label as name=value, or else a part of a name or slug. */
export function search(text: string): Query {
	const words = text.trim();
	const [, label, value = ""] = /^([\w.:/-]+)=(.*)$/.exec(words) ?? [];
	return label ? { [`label.${label}`]: [value] } : { q: words };
}
