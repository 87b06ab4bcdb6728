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

/** The JSON pointer (RFC 6901) of a dotted path. */
export function pointer(path: string): string {
	return path.split(".").map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));

export function equal(a: JSONValue | undefined, b: JSONValue | undefined): boolean {
	return a === b || JSON.stringify(a) === JSON.stringify(b);
}

const alias = /\{([^{}]+)\}/g;

/** The paths that a value refers to, in its strings at any depth. */
export function aliases(value: JSONValue): string[] {
	if (typeof value === "string") return value.includes("{") ? [...value.matchAll(alias)].map((m) => m[1]!) : [];
	if (value === null || typeof value !== "object") return [];
	return Object.values(value).flatMap(aliases);
}

/** The value with its references made references to where their tokens are now. */
export function renameAliases(value: JSONValue, at: (path: string) => string): JSONValue {
	if (typeof value === "string") return value.replace(alias, (_, path: string) => `{${at(path)}}`);
	if (value === null || typeof value !== "object") return value;
	if (Array.isArray(value)) return value.map((v) => renameAliases(v, at));
	return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, renameAliases(v, at)]));
}

/** Follows aliases that are whole values to the literal; null if one is missing or they go in a circle. */
export function resolve(value: JSONValue, find: (path: string) => Token | undefined, depth = 0): JSONValue {
	if (typeof value === "string") {
		const whole = /^\{([^{}]+)\}$/.exec(value);
		if (!whole) return value;
		const target = depth < 64 ? find(whole[1]!) : undefined;
		return target ? resolve(target.value, find, depth + 1) : null;
	}
	if (value === null || typeof value !== "object") return value;
	if (Array.isArray(value)) return value.map((v) => resolve(v, find, depth + 1));
	return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, resolve(v, find, depth + 1)]));
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
