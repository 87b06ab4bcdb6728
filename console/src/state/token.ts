// Tokens as the API lists them, and what can be said of them without the server.
export type JSONValue = null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue };

export interface Token {
	path: string;
	type: string | null;
	resolvedType: string | null;
	inferred: boolean;
	value: JSONValue;
	description: string | null;
	extensions: JSONValue;
}

/** The members of an object; null of any other value. */
export const members = (v: JSONValue): { [name: string]: JSONValue } | null => (v !== null && typeof v === "object" && !Array.isArray(v) ? v : null);

/** Whether all words of a search stand in a text, which is in lower case. */
export function finder(words: string): (text: string) => boolean {
	const list = words.toLowerCase().split(/\s+/);
	return (text) => {
		for (const word of list) if (!text.includes(word)) return false;
		return true;
	};
}

/** The JSON pointer (RFC 6901) of a dotted path. */
export function pointer(path: string): string {
	return path.split(".").map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));

export function equal(a: JSONValue | undefined, b: JSONValue | undefined): boolean {
	return a === b || JSON.stringify(a) === JSON.stringify(b);
}

const alias = /\{([^{}]+)\}/g;

/** The path that a value refers to as a whole, if it is an alias. */
export const aliasOf = (value: JSONValue): string | undefined => (typeof value === "string" ? /^\{([^{}]+)\}$/.exec(value)?.[1] : undefined);

/** The paths that a value refers to, in its strings at any depth. */
export function aliases(value: JSONValue): string[] {
	if (typeof value === "string") return value.includes("{") ? [...value.matchAll(alias)].map((m) => m[1]!) : [];
	if (value === null || typeof value !== "object") return [];
	return Object.values(value).flatMap(aliases);
}

/** The value with others for its texts and numbers, at any depth. */
export function mapped(value: JSONValue, to: (v: string | number) => JSONValue): JSONValue {
	if (typeof value === "string" || typeof value === "number") return to(value);
	if (value === null || typeof value !== "object") return value;
	if (Array.isArray(value)) return value.map((v) => mapped(v, to));
	return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, mapped(v, to)]));
}

/** The value with its references made references to where their tokens are now. */
export const renameAliases = (value: JSONValue, at: (path: string) => string): JSONValue =>
	mapped(value, (v) => (typeof v === "string" ? v.replace(alias, (_, path: string) => `{${at(path)}}`) : v));

/** Follows aliases that are whole values to the literal; null if one is missing or they go in a circle. */
export function resolve(value: JSONValue, find: (path: string) => Token | undefined, depth = 0): JSONValue {
	return mapped(value, (v) => {
		const path = aliasOf(v);
		if (!path) return v;
		const target = depth < 64 ? find(path) : undefined;
		return target ? resolve(target.value, find, depth + 1) : null;
	});
}

/** A value on one line, as a person would write it. */
export function spell(value: JSONValue): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}

/** The name of a path's custom property in tokens.css. */
export function property(path: string, prefix: string): string {
	const name = path.replace(/\.\$root$/, "").replaceAll(".", "-");
	return `--${prefix ? `${prefix}-` : ""}${name}`;
}
