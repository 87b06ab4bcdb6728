// The rows of the token table: the tree of groups, filtered.
import { aliases, finder, spell, type Token } from "../state/token";
import type { Group } from "../state/tokens";

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

/** Which tokens refer to a path through others alone. */
export function usesThrough(uses: ReadonlyMap<string, readonly string[]>, path: string): string[] {
	const direct = uses.get(path) ?? [];
	const all = new Set(direct);
	for (const one of all) for (const next of uses.get(one) ?? []) all.add(next); // what is added has its turn, too
	return [...all].filter((one) => one !== path && !direct.includes(one));
}

type Sets = { diagnostics: ReadonlySet<string>; changed: ReadonlySet<string>; uses: () => ReadonlyMap<string, unknown> };

/** What a filter lets through; null for everything. */
export function matcher(filter: Filter, sets: Sets): ((e: Entry) => boolean) | null {
	const found = finder(filter.words);
	if (!filter.words.trim() && !filter.type && !filter.only) return null;
	const only: Record<Filter["only"], (e: Entry) => boolean> = {
		"": () => true,
		diagnostics: (e) => sets.diagnostics.has(e.path),
		changed: (e) => sets.changed.has(e.path),
		unused: (e) => !sets.uses().has(e.path),
		overridden: (e) => e.overridden,
	};
	const chosen = only[filter.only] ?? only[""];
	return (e) => (!filter.type || e.type === filter.type) && chosen(e) && found(e.text);
}

/** All rows of the tree in their order, made once for a state of the draft. */
export interface Tree {
	rows: readonly Row[];
	/** For each row the place after the last one below it. */
	ends: readonly number[];
}

export function treeOf(entries: readonly Entry[], groups: readonly Group[] = []): Tree {
	const root = new Node("");
	for (const e of entries) root.at(e.path.split(".")).entry = e;
	for (const g of groups) if (g.path) root.at(g.path.split(".")); // the document itself has no row
	const rows: Row[] = [];
	const ends: number[] = [];
	root.list(rows, ends, 0);
	return { rows, ends };
}

/** The rows that a filter lets through, with the groups above them; of a closed group nothing else. */
export function rowsOf({ rows, ends }: Tree, match: ((e: Entry) => boolean) | null, closed: ReadonlySet<string>): { rows: Row[]; count: number } {
	const before = new Int32Array(rows.length + 1);
	for (let i = 0; i < rows.length; i++) {
		const token = rows[i]!.token;
		before[i + 1] = before[i]! + (token && (!match || match(token)) ? 1 : 0);
	}
	const shown: Row[] = [];
	for (let i = 0; i < rows.length; ) {
		const row = rows[i]!;
		const count = before[ends[i]!]! - before[i]!;
		const open = !closed.has(row.path);
		if (row.token) {
			if (before[i + 1]! > before[i]!) shown.push(row);
			i++;
		} else if (match && count === 0) {
			i = ends[i]!;
		} else {
			shown.push({ ...row, open, count });
			i = open ? i + 1 : ends[i]!;
		}
	}
	return { rows: shown, count: before[rows.length]! };
}

class Node {
	readonly below = new Map<string, Node>();
	entry: Entry | null = null;

	constructor(readonly path: string) {}

	at(names: readonly string[]): Node {
		let node: Node = this;
		for (const name of names) {
			let next = node.below.get(name);
			if (!next) {
				next = new Node(node.path ? `${node.path}.${name}` : name);
				node.below.set(name, next);
			}
			node = next;
		}
		return node;
	}

	list(rows: Row[], ends: number[], depth: number): void {
		for (const [name, node] of this.below) {
			const i = rows.push({ path: node.path, name, depth, token: node.entry }) - 1;
			ends.push(0);
			node.list(rows, ends, depth + 1);
			ends[i] = rows.length;
		}
	}
}
