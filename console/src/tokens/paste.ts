// Custom properties that a person pastes, as values of tokens.
import { property, type Token } from "../state/token";

export interface Pasted {
	name: string;
	value: string;
	/** The token that has this custom property, if there is one. */
	path?: string;
}

/** The custom properties that a stylesheet declares, as the browser reads them; declarations without a rule count, too. */
export function declarations(css: string): Map<string, string> {
	const found = new Map<string, string>();
	const take = (rules: CSSRuleList): void => {
		for (const rule of [...rules] as (CSSRule & { style?: CSSStyleDeclaration; cssRules?: CSSRuleList })[]) {
			for (const name of rule.style ?? []) if (name.startsWith("--")) found.set(name, rule.style!.getPropertyValue(name).trim());
			take(rule.cssRules ?? ([] as unknown as CSSRuleList));
		}
	};
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(`*{${css.replace(/\/\*[^]*?\*\//g, " ")}}`);
	take(sheet.cssRules);
	return found;
}

/** Finds the token of each declaration, and makes var() of a known property an alias. */
export function match(declared: ReadonlyMap<string, string>, tokens: readonly Token[], prefix: string): Pasted[] {
	const paths = new Map(tokens.map((t) => [property(t.path, prefix), t.path]));
	return [...declared].map(([name, value]) => {
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
