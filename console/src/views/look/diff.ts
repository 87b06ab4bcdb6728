// What a difference of two states says, made ready to read.
import type { Schemas } from "../../api/client";
import { property, spell, type JSONValue, type Token } from "../../state/token";

export type Diff = Schemas["TokenDiff"];
export type Kind = "removed" | "renamed" | "retyped" | "changed" | "added";

export interface Row {
	kind: Kind;
	path: string;
	/** What else there is to say: the old path, or both types. */
	note: string;
	before?: JSONValue;
	after?: JSONValue;
	/** The types of both; a Variant's overrides have none, but a colour is known by its value. */
	typeBefore: string | null;
	typeAfter: string | null;
}

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;

const typeOf = (t: Token | undefined): string | null => t?.resolvedType ?? (t && /^#|"colorSpace"/.test(spell(t.value)) ? "color" : null);

/** A row for each difference, what can break a site first. */
export function rowsOf(d: Diff, before: ReadonlyMap<string, Token>, after: ReadonlyMap<string, Token>): Row[] {
	const old = new Map(d.renamed.map((r) => [r.to, r.from]));
	const row = (kind: Kind, path: string, note = ""): Row => {
		const [a, b] = [before.get(old.get(path) ?? path), after.get(path)];
		return { kind, path, note, before: a?.value, after: b?.value, typeBefore: typeOf(a), typeAfter: typeOf(b) };
	};
	return [
		...d.removed.map((path) => row("removed", path)),
		...d.renamed.map(({ from, to, inferred }) => row("renamed", to, `was ${from}${inferred ? ", paired by equal content" : ""}`)),
		...d.retyped.map(({ path, from, to }) => row("retyped", path, `${from ?? "no type"} → ${to ?? "no type"}`)),
		...d.changed.map((path) => row("changed", path)),
		...d.added.map((path) => row("added", path)),
		...d.described.map((path) => row("changed", path, "its description or other metadata")),
	];
}

/** The difference as a publish makes it that follows moves alone: an inferred rename removes one token and adds another. */
export function byMoves(d: Diff): Diff {
	const inferred = d.renamed.filter((r) => r.inferred);
	const paths = new Set(inferred.map((r) => r.to));
	const others = (path: string): boolean => !paths.has(path);
	return {
		...d,
		removed: [...d.removed, ...inferred.map((r) => r.from)],
		added: [...d.added, ...paths],
		renamed: d.renamed.filter((r) => !r.inferred),
		retyped: d.retyped.filter((r) => others(r.path)),
		changed: d.changed.filter(others),
	};
}

/** Why a site can break, or why it cannot, in words. */
export function verdict(d: Diff, variant = false): string[] {
	if (!d.breaking) {
		return [variant ? "No site can break: overrides change values, and every custom property stays." : "No site can break: every custom property keeps its name, and every token its type."];
	}
	const moved = d.renamed.filter((r) => property(r.from, "") !== property(r.to, ""));
	const reasons: string[] = [];
	if (d.removed.length > 0) reasons.push(`${count(d.removed.length, "token")} removed: a site that uses the custom property falls back to nothing.`);
	if (moved.length > 0) reasons.push(`${count(moved.length, "custom property").replace("propertys", "properties")} under another name: a site that uses the old one falls back to nothing.`);
	if (d.retyped.length > 0) reasons.push(`${count(d.retyped.length, "token")} of another type: what takes the value may not accept it.`);
	if (d.properties.taken.length > 0) reasons.push(`${d.properties.taken.join(", ")}: another token declares it now.`);
	if (reasons.length === 0) reasons.push("Custom properties are gone, by another prefix or because their tokens have no value: a site that uses them falls back to nothing.");
	return reasons;
}

export interface Touched {
	variant: string;
	dropped: string[];
	renamed: string[];
	doubtful: string[]; // overrides of retyped tokens: dropped if they do not fit
	hiding: string[]; // overrides that keep a change of the Theme from showing
}

/** Which Variants a publish of the Theme touches, and how. */
export function touchedBy(d: Diff, rows: Iterable<readonly [string, ReadonlyMap<string, JSONValue>]>): Touched[] {
	const list: Touched[] = [];
	for (const [variant, overrides] of rows) {
		const has = (path: string): boolean => overrides.has(path);
		const one = {
			variant,
			dropped: d.removed.filter(has),
			renamed: d.renamed.map((r) => r.from).filter(has),
			doubtful: d.retyped.map((r) => r.path).filter(has),
			hiding: d.changed.filter(has),
		};
		if (one.dropped.length + one.renamed.length + one.doubtful.length + one.hiding.length > 0) list.push(one);
	}
	return list;
}

/** The address of a file at a version, from its address at latest. */
export function pinnedAddress(latest: string, version: number): string {
	const at = latest.lastIndexOf("/latest/");
	return at < 0 ? latest : `${latest.slice(0, at)}/${version}/${latest.slice(at + "/latest/".length)}`;
}
