// The rows of the token table: the tree of groups, filtered.
import { aliases, spell, type Token } from "../state/token";
import type { Group } from "../state/draft";

export interface Row {
	path: string;
	name: string;
	depth: number;
	/** null for a group. */
	token: Entry | null;
	open?: boolean;
	/** Tokens in a group. */
	count?: number;
}

/** A token as the table shows it: of a Variant, the Theme's with the override beside it. */
export interface Entry {
	path: string;
	type: string | null;
	token: Token;
	/** Of a Variant: the Theme's own token; undefined if the Theme lacks it. */
	inherited?: Token;
	overridden: boolean;
	/** What the filter looks at, in lower case. */
	text: string;
}

export interface Filter {
	words: string;
	type: string;
	only: "" | "diagnostics" | "changed" | "unused" | "overridden";
}

function entry(token: Token, inherited: Token | undefined, overridden: boolean): Entry {
	const type = inherited?.resolvedType ?? token.resolvedType;
	return { path: token.path, type, token, inherited, overridden, text: `${token.path}\n${spell(token.value)}\n${type ?? ""}\n${token.description ?? inherited?.description ?? ""}`.toLowerCase() };
}

export const themeEntries = (tokens: readonly Token[]): Entry[] => tokens.map((t) => entry(t, undefined, false));

/** The Theme's tokens with a Variant's overrides, and after them the overrides of what the Theme lacks. */
export function variantEntries(theme: readonly Token[], overrides: readonly Token[]): Entry[] {
	const own = new Map(overrides.map((t) => [t.path, t]));
	const known = new Set(theme.map((t) => t.path));
	return [
		...theme.map((t) => entry(own.get(t.path) ?? t, t, own.has(t.path))),
		...overrides.filter((t) => !known.has(t.path)).map((t) => entry(t, undefined, true)),
	];
}

/** Which tokens refer to a path. */
export function usesOf(entries: readonly Entry[]): Map<string, string[]> {
	const uses = new Map<string, string[]>();
	for (const { path, token } of entries) {
		for (const to of new Set(aliases(token.value))) {
			const list = uses.get(to);
			if (list) list.push(path);
			else uses.set(to, [path]);
		}
	}
	return uses;
}

export function filtered(entries: readonly Entry[], filter: Filter, sets: { diagnostics: ReadonlySet<string>; changed: ReadonlySet<string>; uses: ReadonlyMap<string, unknown> }): readonly Entry[] {
	const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0 && !filter.type && !filter.only) return entries;
	return entries.filter((e) => {
		if (filter.type && e.type !== filter.type) return false;
		switch (filter.only) {
			case "diagnostics": if (!sets.diagnostics.has(e.path)) return false; break;
			case "changed": if (!sets.changed.has(e.path)) return false; break;
			case "unused": if (sets.uses.has(e.path)) return false; break;
			case "overridden": if (!e.overridden) return false; break;
		}
		return words.every((word) => e.text.includes(word));
	});
}

/** The rows of the entries: a row for each group before what is in it; of a closed group nothing else. */
export function rowsOf(entries: readonly Entry[], closed: ReadonlySet<string>, groups: readonly Group[] = []): Row[] {
	const tree = new Node("");
	for (const e of entries) tree.put(e);
	for (const g of groups) tree.group(g.path.split("."));
	const rows: Row[] = [];
	tree.list(rows, closed, 0);
	return rows;
}

class Node {
	readonly below = new Map<string, Node>();
	entry: Entry | null = null;
	count = 0;

	constructor(readonly path: string) {}

	put(e: Entry): void {
		let node: Node = this;
		node.count++;
		for (const name of e.path.split(".")) {
			node = node.child(name);
			node.count++;
		}
		node.entry = e;
	}

	group(names: readonly string[]): void {
		let node: Node = this;
		for (const name of names) node = node.child(name);
	}

	private child(name: string): Node {
		let next = this.below.get(name);
		if (!next) {
			next = new Node(this.path ? `${this.path}.${name}` : name);
			this.below.set(name, next);
		}
		return next;
	}

	list(rows: Row[], closed: ReadonlySet<string>, depth: number): void {
		for (const [name, node] of this.below) {
			if (node.entry) rows.push({ path: node.path, name, depth, token: node.entry });
			if (node.below.size === 0 && node.entry) continue;
			const open = !closed.has(node.path);
			if (!node.entry) rows.push({ path: node.path, name, depth, token: null, open, count: node.count });
			if (open || node.entry) node.list(rows, closed, depth + 1);
		}
	}
}
