// Which rows the matrix has, and where a key leads.
import type { Overrides } from "../../state/overrides";
import { finder, type Token } from "../../state/token";

export interface Row {
	path: string;
	token: Token | undefined; // undefined: the Theme has none of this path
	count: number; // Variants that override it
}

/** How many Variants override each path. */
export function countsOf(overrides: Iterable<Overrides>): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const row of overrides) for (const path of row.keys()) counts.set(path, (counts.get(path) ?? 0) + 1);
	return counts;
}

/** The rows: what Variants override first, in the order of the Theme; the other tokens only if all are asked for. */
export function rowsOf(tokens: readonly Token[], counts: ReadonlyMap<string, number>, words: string, all: boolean): Row[] {
	const found = finder(words);
	const fits = (path: string): boolean => found(path.toLowerCase());
	const overridden: Row[] = [];
	const others: Row[] = [];
	const strangers = new Map(counts);
	for (const token of tokens) {
		const count = counts.get(token.path) ?? 0;
		strangers.delete(token.path);
		if ((count > 0 || all) && fits(token.path)) (count > 0 ? overridden : others).push({ path: token.path, token, count });
	}
	for (const [path, count] of strangers) if (fits(path)) overridden.push({ path, token: undefined, count });
	return [...overridden, ...others];
}

export interface Place {
	row: number;
	column: number;
}

/** Where a key leads from a cell; null if it is none that moves. */
export function moved(key: string, control: boolean, at: Place, rows: number, columns: number, page: number): Place | null {
	const to = (row: number, column: number): Place => ({ row: Math.max(0, Math.min(rows - 1, row)), column: Math.max(0, Math.min(columns - 1, column)) });
	switch (key) {
		case "ArrowUp": return to(control ? 0 : at.row - 1, at.column);
		case "ArrowDown": return to(control ? rows : at.row + 1, at.column);
		case "ArrowLeft": return to(at.row, control ? 0 : at.column - 1);
		case "ArrowRight": return to(at.row, control ? columns : at.column + 1);
		case "PageUp": return to(at.row - page, at.column);
		case "PageDown": return to(at.row + page, at.column);
		case "Home": return to(control ? 0 : at.row, 0);
		case "End": return to(control ? rows : at.row, columns);
		default: return null;
	}
}
