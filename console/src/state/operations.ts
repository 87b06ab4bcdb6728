// What a step of editing says to the origin, which knows pointers (RFC 6901) and not tokens: a token that is added comes
// with the groups that it needs, one that is removed takes those along that are empty then, and one that comes back takes
// its place. All of this is decided when a step is sent, on top of what the draft has by then.
import { pointer, type JSONValue, type Token } from "./token";

export interface Operation {
	operation: "add" | "replace" | "remove" | "move" | "copy" | "set" | "unset";
	path: string;
	from?: string;
	value?: JSONValue;
	/** Of a token that is added again: the tokens among which it stood. Not sent. */
	among?: readonly Token[];
}

const aside = "/moved-aside"; // a group that is there for the length of a batch
const placed = 500; // what stands after a token that comes back is moved behind it; of more it stays in front

const above = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const last = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const inside = (path: string, group: string): boolean => path === group || path.startsWith(`${group}/`);

/** The operations as they are sent to a draft with tokens and groups at these paths. */
export function spelled(operations: readonly Operation[], paths: Iterable<string>): Operation[] {
	const under = new Map<string, number>(); // how many tokens, and groups with members of their own, are at a pointer or below it
	const note = (path: string, n: number): void => {
		for (let at = path; at; at = above(at)) under.set(at, (under.get(at) ?? 0) + n);
	};
	/** The topmost group above a path that has nothing else, or the path itself. */
	const topmost = (path: string): string => {
		let at = path;
		for (let up = above(path); up && !under.get(up); up = above(up)) at = up;
		return at;
	};
	const add = (path: string, value: JSONValue): Operation => {
		const at = topmost(path);
		for (let up = path; up !== at; up = above(up)) value = { [last(up).replaceAll("~1", "/").replaceAll("~0", "~")]: value };
		return { operation: "add", path: at, value };
	};
	const move = (from: string, path: string): Operation[] => {
		const group = above(path);
		const list: Operation[] = group && !under.get(group) ? [add(group, {})] : [];
		const moved = [...under].filter(([p]) => inside(p, from));
		note(from, -(under.get(from) ?? 0));
		for (const [p, n] of moved) if (p !== from) under.delete(p), under.set(path + p.slice(from.length), n);
		note(path, moved.find(([p]) => p === from)?.[1] ?? 0);
		list.push({ operation: "move", from, path });
		const emptied = topmost(from);
		if (emptied !== from && !inside(path, emptied)) list.push({ operation: "remove", path: emptied });
		return list;
	};
	/** Moves what stood after a path behind it again: it is moved away and back, since what is moved into a group is its last. */
	const behind = (path: string, at: string, among: readonly Token[]): Operation[] => {
		const group = above(at);
		const later = among.map((t) => pointer(t.path));
		const names = new Set(later.slice(later.indexOf(path) + 1).filter((p) => p.startsWith(`${group}/`)).map((p) => p.slice(group.length + 1).split("/")[0]!));
		const siblings = [...names].filter((name) => `${group}/${name}` !== at && under.get(`${group}/${name}`));
		if (siblings.length === 0 || siblings.length > placed) return [];
		const moves = (from: string, to: string): Operation[] => siblings.map((name) => ({ operation: "move", from: `${from}/${name}`, path: `${to}/${name}` }));
		return [{ operation: "add", path: aside, value: {} }, ...moves(group, aside), ...moves(aside, group), { operation: "remove", path: aside }];
	};
	for (const path of paths) note(pointer(path), 1);
	return operations.flatMap(({ among, ...o }) => {
		if (o.operation === "move") return move(o.from!, o.path);
		if (/\/\$(value|type|description|extensions)$/.test(o.path)) return o;
		if (o.operation === "add") {
			const made = add(o.path, o.value!);
			const rest = among ? behind(o.path, made.path, among) : [];
			note(o.path, 1);
			return [made, ...rest];
		}
		if (o.operation !== "remove") return o;
		note(o.path, -(under.get(o.path) ?? 0));
		return { ...o, path: topmost(o.path) };
	});
}
