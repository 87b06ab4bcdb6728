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

/** For which part of a sample a token is meant, judged by its type and the words of its path; what comes first is tried first. */
const roles: readonly (readonly [role: string, type: string, words: RegExp, not?: RegExp])[] = [
	["canvas", "color", /canvas|background\.(default|page|base|body)|\bpage\b|paper/, /text|on-/],
	["canvas", "color", /background|surface|\bbg\b/, /text|on-|hover|scrim|overlay|sunken/],
	["raised", "color", /raised|card|surface|elevated/, /text|on-|hover/],
	["text", "color", /(text|foreground|fg|ink)\b.*(default|primary|base|body)|on-(surface|background)\b/],
	["text", "color", /text|foreground|\bfg\b|\bink\b/, /on-|link|muted|subtle|disabled/],
	["muted", "color", /muted|secondary|subtle/, /background|surface|line|border|accent/],
	["accent", "color", /accent|primary|action|brand/, /on-|text|hover|soft|subtle|active|foreground/],
	["on-accent", "color", /on-(accent|primary|brand|action)|inverse/],
	["line", "color", /line|border|divider|outline/, /focus|strong/],
	["danger", "color", /danger|error|critical|negative/, /on-|soft|background|text/],
	["success", "color", /success|positive/, /on-|soft|background|text/],
	["radius", "dimension", /(radius|rounded|corner).*(card|md|medium|base|default)/],
	["radius", "dimension", /radius|rounded|corner/, /pill|full|none/],
	["control", "dimension", /(radius|rounded|corner).*(control|button|sm)/],
	["space", "dimension", /(space|spacing|inset|padding).*(card|lg|md|medium|base|default)/],
	["shadow", "shadow", /mid|medium|md|card|./, /ring|focus|inset/],
	["title", "typography", /display|heading|title|headline/],
	["body", "typography", /body|text|paragraph|default|base/],
	["family", "fontFamily", /body|sans|text|./],
	["border", "border", /card|default|base|./],
	["gradient", "gradient", /./],
];

/** The custom property for each part of the samples that a Theme has a token for. */
export function rolesOf(list: readonly Specimen[]): Map<string, string> {
	const found = new Map<string, string>();
	for (const [role, type, words, not] of roles) {
		if (found.has(role)) continue;
		const fits = list.filter((s) => s.type === type && words.test(s.path.toLowerCase()) && !not?.test(s.path.toLowerCase()));
		const best = fits.toSorted((a, b) => a.path.split(".").length - b.path.split(".").length)[0];
		if (best) found.set(role, best.name);
	}
	return found;
}
