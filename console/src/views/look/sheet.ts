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

/** For which part of a sample a token is meant, judged by its type and the words of its path. */
const roles: readonly (readonly [role: string, type: string, words: RegExp, not?: RegExp])[] = [
	["canvas", "color", /canvas|background\.(default|page|base|body)|\bpage\b|paper/, /text|on-|hover/],
	["canvas", "color", /background|surface|\bbg\b/, /text|on-|hover|scrim|overlay|sunken|inverse/],
	["raised", "color", /raised|card|surface|elevated|layer/, /text|on-|hover|scrim/],
	["text", "color", /(text|foreground|fg|content|ink)\b.*(default|primary|base|body)|on-(surface|background)\b/],
	["text", "color", /text|foreground|\bfg\b|\bink\b/, /on-|inverse|link|muted|subtle|disabled/],
	["muted", "color", /muted|secondary|subtle|soft/, /background|surface|line|border|accent/],
	["accent", "color", /accent|primary|action|brand/, /on-|text|hover|soft|subtle|active|foreground|\.\d/],
	["accent", "color", /accent|primary|action|brand/, /on-|text|foreground/],
	["on-accent", "color", /on-(accent|primary|brand|action)|(accent|primary|brand|action).*(text|foreground|contrast)|inverse/],
	["line", "color", /line|border|divider|outline|stroke/, /focus|strong/],
	["danger", "color", /danger|error|critical|negative|destructive/, /on-|soft|background|text/],
	["success", "color", /success|positive|valid/, /on-|soft|background|text/],
	["radius", "dimension", /(radius|rounded|corner|shape).*(card|md|medium|lg|base|default)/],
	["radius", "dimension", /radius|rounded|corner/, /pill|full|none/],
	["control", "dimension", /(radius|rounded|corner).*(control|button|sm|small|base|default)/],
	["space", "dimension", /(space|spacing|gap|inset|padding).*(card|lg|large|md|medium|base|default)/],
	["space", "dimension", /space|spacing|gap|inset|padding/],
	["shadow", "shadow", /mid|medium|md|card|default|base/],
	["shadow", "shadow", /./, /ring|focus|inset/],
	["title", "typography", /display|heading|title|headline|h1|h2/],
	["body", "typography", /body|text|paragraph|default|base/],
	["family", "fontFamily", /body|sans|text|base|default/],
	["family", "fontFamily", /./],
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
