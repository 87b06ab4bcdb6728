// What an application needs of a Theme, for each library: texts to copy, with the Theme's own addresses and names. The texts
// are in integrations.json, which the view that shows them loads.
import type { Schemas, Theme } from "../../api/client";
import { property, type Token } from "../../state/token";

export type Integration = Schemas["Integration"];

/** integrations.json: the frameworks with the libraries that each accepts, and the texts for each library. What stands in
 *  {braces} in a text is the address of a file, or one of the words in snippets. */
export interface Catalogue {
	frameworks: Record<string, { name: string; head: string; libraries: string[] }>;
	libraries: Record<string, { name: string; snippets: string[][] }>;
	namespaces: Record<string, string>; // of Tailwind's theme, by the type of a token
}

export interface Snippet {
	where: string;
	text: string;
}

export interface Source {
	urls: Theme["servingUrls"];
	pinned: boolean;
	modes: readonly string[]; // names of the dimensions
	tokens: readonly Token[];
	prefix: string;
}

function address({ urls, pinned, modes }: Source, file: string): string {
	const files = (pinned && urls.pinned ? urls.pinned : urls.latest) as { file: string; url: string }[];
	const url = files.find((f) => f.file === file)?.url ?? `…/${file}`;
	return file === "tokens.css" && modes.length > 0 ? `${url}?modes=${modes.join(",")}` : url;
}

/** The path of a colour of the Theme, to show how one is used. */
function example(tokens: readonly Token[], words: readonly string[]): string {
	const colors = tokens.filter((t) => t.resolvedType === "color" && !t.path.includes("$"));
	for (const word of words) {
		const found = colors.find((t) => t.path.split(".").includes(word));
		if (found) return found.path;
	}
	return colors[0]?.path ?? "color.brand";
}

/** How JavaScript reads a path of tokens.values.json. */
export function member(path: string): string {
	return path.split(".").reduce((text, name) => text + (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`), "tokens");
}

/** References of Tailwind's theme to the Theme's custom properties, at most as many as a reader looks at. */
export function tailwindTheme(namespaces: Catalogue["namespaces"], { tokens, prefix }: Pick<Source, "tokens" | "prefix">, most = 12): string {
	const lines: string[] = [];
	const known = new Set<string>();
	for (const t of tokens) {
		const namespace = t.path.startsWith("radius.") ? "radius" : t.path.startsWith("space.") || t.path.startsWith("spacing.") ? "spacing" : namespaces[t.resolvedType ?? ""];
		if (!namespace || t.path.includes("$")) continue;
		const parts = t.path.split(".");
		if (parts.length > 1 && parts[0] === (namespace === "spacing" && t.path.startsWith("space.") ? "space" : namespace)) parts.shift();
		const name = `--${namespace}-${parts.join("-")}`;
		if (known.has(name)) continue;
		known.add(name);
		lines.push(`  ${name}: var(${property(t.path, prefix)});`);
	}
	const more = lines.length > most ? [`  /* and ${lines.length - most} more: livery pull --format tailwind writes all of them */`] : [];
	return `@theme inline reference {\n${[...lines.slice(0, most), ...more].join("\n")}\n}`;
}

/** What to copy for one integration. */
export function snippets({ frameworks, libraries, namespaces }: Catalogue, { framework, library }: Integration, source: Source): Snippet[] {
	const color = example(source.tokens, ["accent", "brand", "primary"]);
	const words: Record<string, () => string> = {
		head: () => frameworks[framework]!.head,
		css: () => `var(${property(color, source.prefix)})`,
		value: () => member(color),
		tailwind: () => tailwindTheme(namespaces, source),
	};
	const filled = (text: string): string => text.replace(/\{([\w.]+)\}/g, (_, name: string) => words[name]?.() ?? address(source, name));
	return libraries[library]!.snippets.map(([where, text]) => ({ where: filled(where!), text: filled(text!) }));
}
