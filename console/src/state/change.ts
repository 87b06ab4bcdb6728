// Changes of tokens as values: what a step of editing does, what takes it back, and what of it clashes with what other
// clients made meanwhile.
import type { Operation } from "./operations";
import { equal, pointer, type JSONValue, type Token } from "./token";

/** One step of editing: what it does, what takes it back, and the tokens that it is about. */
export interface Change {
	label: string;
	operations: Operation[];
	inverse: Operation[];
	/** The tokens as they are after it; null for one that is removed. */
	after: Map<string, Token | null>;
	/** The tokens as they were when it was made. */
	before: Map<string, Token | null>;
	/** The list has to be read again after it: groups, order or inherited types may be others. */
	structural: boolean;
}

export interface Conflict {
	path: string;
	mine: Token | null;
	theirs: Token | null;
	change: Change;
}

function content(t: Token | null): JSONValue {
	return t && [t.type, t.value, t.description, t.extensions];
}

/** The tokens of a change that another client made different from what they were when it was made. */
export function clashing(change: Change, theirs: ReadonlyMap<string, Token>): Conflict[] {
	const same = (a: Token | null, b: Token | null): boolean => equal(content(a), content(b));
	const list: Conflict[] = [];
	for (const [path, mine] of change.after) {
		const now = theirs.get(path) ?? null;
		if (!same(now, change.before.get(path) ?? null) && !same(now, mine)) list.push({ path, mine, theirs: now, change });
	}
	return list;
}

/** The part of a change that is about other tokens than these; null if it cannot be divided so, or nothing is left. */
export function without(change: Change, paths: ReadonlySet<string>): Change | null {
	const own = new Map([...paths].map((path) => [pointer(path), path]));
	const of = (o: Operation): string | undefined => (paths.has(o.path) ? o.path : own.get(o.path.replace(/\/\$(value|type|description|extensions)$/, "")));
	const known = new Set(change.operations.map(of));
	if (change.operations.some((o) => o.operation === "move") || [...paths].some((path) => !known.has(path))) return null;
	const rest = <T>(map: Map<string, T>): Map<string, T> => new Map([...map].filter(([path]) => !paths.has(path)));
	const operations = change.operations.filter((o) => !of(o));
	if (operations.length === 0) return null;
	return { ...change, operations, inverse: change.inverse.filter((o) => !of(o)), before: rest(change.before), after: rest(change.after) };
}

/** Several changes as one step. */
export function merged(label: string, parts: readonly Change[]): Change {
	return {
		label,
		operations: parts.flatMap((p) => p.operations),
		inverse: parts.toReversed().flatMap((p) => p.inverse),
		before: new Map(parts.toReversed().flatMap((p) => [...p.before])),
		after: new Map(parts.flatMap((p) => [...p.after])),
		structural: parts.some((p) => p.structural),
	};
}

export function blank(path: string): Token {
	return { path, type: null, resolvedType: null, inferred: false, value: null, description: null, extensions: null };
}

export function object(t: Token): JSONValue {
	return {
		...(t.type === null ? {} : { $type: t.type }),
		$value: t.value,
		...(t.description === null ? {} : { $description: t.description }),
		...(t.extensions === null ? {} : { $extensions: t.extensions }),
	};
}
