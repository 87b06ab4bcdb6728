// What a stylesheet of tokens says, read from its text: the renderer writes one declaration a line.
import type { JSONValue } from "../../state/token";

/** The custom properties of the first block, in their order. */
export function propertiesOf(css: string): Map<string, string> {
	const all = new Map<string, string>();
	let inside = false;
	for (const line of css.split("\n")) {
		if (line.startsWith("}")) break;
		if (line.startsWith(":root")) inside = true;
		const at = line.indexOf(": ");
		if (inside && line.startsWith("  --") && at > 0 && line.endsWith(";")) all.set(line.slice(2, at), line.slice(at + 2, -1));
	}
	return all;
}

export interface Difference {
	name: string;
	a?: string;
	b?: string;
}

/** The custom properties that two sheets do not have alike. */
export function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): Difference[] {
	const list: Difference[] = [];
	for (const [name, value] of a) if (b.get(name) !== value) list.push({ name, a: value, b: b.get(name) });
	for (const [name, value] of b) if (!a.has(name)) list.push({ name, b: value });
	return list;
}

/** The types of tokens by dotted path, from the text of tokens.json, which resolves them. */
export function typesOf(text: string): Map<string, string> {
	const types = new Map<string, string>();
	const walk = (node: JSONValue, path: string): void => {
		if (node === null || typeof node !== "object" || Array.isArray(node)) return;
		if ("$value" in node && typeof node.$type === "string") types.set(path, node.$type);
		for (const [name, child] of Object.entries(node)) {
			if (name === "$root" || !name.startsWith("$")) walk(child, path ? `${path}.${name}` : name);
		}
	};
	walk(JSON.parse(text) as JSONValue, "");
	return types;
}

/** The prefix of custom properties, found by the first token that a sheet has a property of. */
export function prefixOf(css: string, plain: string): string {
	const mine = propertiesOf(css).keys().next().value;
	const bare = propertiesOf(plain).keys().next().value;
	if (!mine || !bare || !mine.endsWith(bare.slice(2))) return "";
	return mine.slice(2, mine.length - bare.length + 1);
}

export interface Specimen {
	path: string;
	type: string;
	name: string; // of the custom property
	value: string;
}

/** The tokens that have a custom property, with their types. */
export function specimens(types: ReadonlyMap<string, string>, properties: ReadonlyMap<string, string>, nameOf: (path: string) => string): Specimen[] {
	const list: Specimen[] = [];
	for (const [path, type] of types) {
		const name = nameOf(path);
		const value = properties.get(name);
		if (value !== undefined) list.push({ path, type, name, value });
	}
	return list;
}

/** Of which tokens something is: of a type, with words in their path that a regular expression has, and others that it
 *  has not. */
export interface Rule {
	part?: string;
	type?: string;
	words?: string;
	not?: string;
}

export function fits({ type, words = "", not }: Rule, s: Specimen): boolean {
	return s.type === type && RegExp(words, "i").test(s.path) && !(not && RegExp(not, "i").test(s.path));
}

/** The custom property for each part of the samples that a Theme has a token for; the first rule of a part that finds one
 *  counts, and of its tokens the one that is least deep in the tree. */
export function dressed(rules: readonly Rule[], list: readonly Specimen[]): Map<string, string> {
	const found = new Map<string, string>();
	const depth = (s: Specimen): number => s.path.split(".").length;
	for (const rule of rules) {
		if (found.has(rule.part!)) continue;
		const [best] = list.filter((s) => fits(rule, s)).sort((a, b) => depth(a) - depth(b));
		if (best) found.set(rule.part!, best.name);
	}
	return found;
}
