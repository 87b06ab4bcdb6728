// Custom properties that a person pastes, as values of tokens.
import { property, type Token } from "../state/token";

export interface Pasted {
	name: string;
	value: string;
	/** The token that has this custom property, if there is one. */
	path?: string;
}

/** The declarations of custom properties in a stylesheet, the last of each name. Comments are left out. */
export function declarations(css: string): { name: string; value: string }[] {
	const found = new Map<string, string>();
	const text = css.replace(/\/\*[\s\S]*?\*\//g, " ");
	const name = /(--[\w\u0080-\uffff-]+)\s*:/g;
	for (let m = name.exec(text); m; m = name.exec(text)) {
		const end = valueEnd(text, name.lastIndex);
		const value = text.slice(name.lastIndex, end).trim().replace(/\s*!important$/, "");
		if (value) found.set(m[1]!, value);
		name.lastIndex = end;
	}
	return [...found].map(([name, value]) => ({ name, value }));
}

/** Where a value that begins at a place ends: before ; or } outside of brackets and strings. */
function valueEnd(text: string, from: number): number {
	let depth = 0;
	let quote = "";
	for (let i = from; i < text.length; i++) {
		const c = text[i]!;
		if (quote) {
			if (c === "\\") i++;
			else if (c === quote) quote = "";
		} else if (c === '"' || c === "'") quote = c;
		else if (c === "(" || c === "[") depth++;
		else if (c === ")" || c === "]") depth--;
		else if (depth <= 0 && (c === ";" || c === "}")) return i;
	}
	return text.length;
}

/** Finds the token of each declaration, and makes var() of a known property an alias. */
export function match(css: string, tokens: readonly Token[], prefix: string): Pasted[] {
	const paths = new Map(tokens.map((t) => [property(t.path, prefix), t.path]));
	return declarations(css).map(({ name, value }) => {
		const target = /^var\(\s*(--[\w\u0080-\uffff-]+)\s*\)$/.exec(value)?.[1];
		const alias = target && paths.get(target);
		return { name, value: alias ? `{${alias}}` : value, path: paths.get(name) };
	});
}

/** Where a declaration without a token would be made: dashes are groups, after the prefix. */
export function pathOf(name: string, prefix: string): string {
	const rest = name.slice(2);
	const own = prefix && rest.startsWith(`${prefix}-`) ? rest.slice(prefix.length + 1) : rest;
	return own.split("-").filter(Boolean).join(".");
}
