// What an application needs of a Theme, for each library: texts to copy, with the Theme's own addresses and names.
import type { Schemas, Theme } from "../../api/client";
import { property, type Token } from "../../state/token";

export type Integration = Schemas["Integration"];
export type Library = Integration["library"];

const universal: readonly Library[] = ["plainCSS", "tailwindCSS", "buildTimeTokens"];

/** The libraries that each framework accepts. */
export const catalogue: Readonly<Record<Integration["framework"], readonly Library[]>> = {
	react: [...universal, "chakraUI", "mui", "shadcnUI"],
	nextJS: [...universal, "chakraUI", "mui", "shadcnUI"],
	vue: [...universal, "vuetify", "primeVue"],
	nuxt: [...universal, "vuetify", "primeVue"],
	angular: [...universal, "material", "primeNg"],
	svelte: [...universal, "skeleton"],
	solid: universal,
	qwik: universal,
	astro: universal,
	alpine: universal,
};

export const names: Readonly<Record<string, string>> = {
	plainCSS: "Plain CSS", tailwindCSS: "Tailwind CSS", buildTimeTokens: "Build-time tokens", chakraUI: "Chakra UI", shadcnUI: "shadcn/ui", material: "Angular Material",
	skeleton: "Skeleton", mui: "MUI", vuetify: "Vuetify", primeVue: "PrimeVue", primeNg: "PrimeNG",
	react: "React", nextJS: "Next.js", vue: "Vue", nuxt: "Nuxt", angular: "Angular", svelte: "Svelte", solid: "Solid", qwik: "Qwik", astro: "Astro", alpine: "Alpine",
};

const heads: Readonly<Record<string, string>> = {
	react: "index.html", nextJS: "the <head> of app/layout.tsx", vue: "index.html", nuxt: "app.head.link of nuxt.config.ts, as an object", angular: "src/index.html",
	svelte: "src/app.html", solid: "index.html", qwik: "src/root.tsx", astro: "the <head> of your layout", alpine: "the <head> of your pages",
};

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

const namespaces: Readonly<Record<string, string>> = { color: "color", fontFamily: "font", fontWeight: "font-weight", cubicBezier: "ease", shadow: "shadow", borderRadius: "radius", radius: "radius" };

/** References of Tailwind's theme to the Theme's custom properties, at most as many as a reader looks at. */
export function tailwindTheme(tokens: readonly Token[], prefix: string, most = 12): string {
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

const download = (source: Source, file: string): Snippet => ({ where: "Before each build", text: `curl -fsS -o src/${file} '${address(source, file)}'` });

/** What to copy for one integration. */
export function snippets({ framework, library }: Integration, source: Source): Snippet[] {
	const link: Snippet = { where: `In ${heads[framework]}`, text: `<link rel="stylesheet" href="${address(source, "tokens.css")}">` };
	const color = example(source.tokens, ["accent", "brand", "primary"]);
	const css = `var(${property(color, source.prefix)})`;
	const value = member(color);
	const values = download(source, "tokens.values.json");
	const tokens = `import tokens from "./tokens.values.json";\n`;
	const js = (text: string): Snippet[] => [values, { where: "In your application", text: tokens + text }];
	switch (library) {
		case "plainCSS": return [link, { where: "In your stylesheet", text: `.button { background: ${css}; }` }];
		case "tailwindCSS": return [link, { where: "In your stylesheet", text: `@import "tailwindcss";\n\n${tailwindTheme(source.tokens, source.prefix)}` }];
		case "shadcnUI": return [link, { where: "In your stylesheet", text: `@import "tailwindcss";\n@custom-variant dark (&:where([data-scheme="dark"], [data-scheme="dark"] *));\n\n:root { --primary: ${css}; }\n\n${tailwindTheme(source.tokens, source.prefix)}` }];
		case "chakraUI": return [link, { where: "In your application", text: `import { createSystem, defaultConfig } from "@chakra-ui/react";\n\nexport const system = createSystem(defaultConfig, {\n  theme: { tokens: { colors: { brand: { value: "${css}" } } } },\n});` }];
		case "material": return [link, { where: "In src/styles.css", text: `:root { --mat-sys-primary: ${css}; }` }];
		case "skeleton": return [link, { where: "In src/app.css", text: `[data-theme] { --color-primary-500: ${css}; }` }];
		case "mui": return js(`import { createTheme } from "@mui/material/styles";\n\nexport const theme = createTheme({\n  palette: { primary: { main: ${value} } },\n});`);
		case "vuetify": return js(`import { createVuetify } from "vuetify";\n\nexport default createVuetify({\n  theme: { themes: { light: { colors: { primary: ${value} } } } },\n});`);
		case "primeVue": return js(`import { definePreset } from "@primeuix/themes";\nimport Aura from "@primeuix/themes/aura";\n\nconst preset = definePreset(Aura, { semantic: { primary: { 500: ${value} } } });\napp.use(PrimeVue, { theme: { preset } });`);
		case "primeNg": return js(`import { definePreset } from "@primeuix/themes";\nimport Aura from "@primeuix/themes/aura";\n\nconst preset = definePreset(Aura, { semantic: { primary: { 500: ${value} } } });\nexport const providers = [providePrimeNG({ theme: { preset } })];`);
		default: return [
			{ ...download(source, "tokens.dtcg.json"), where: "Before each build: the document, with aliases" },
			{ where: "style-dictionary.config.mjs", text: `export default {\n  source: ["src/tokens.dtcg.json"],\n  platforms: {\n    scss: { transformGroup: "scss", buildPath: "build/", files: [{ destination: "_tokens.scss", format: "scss/variables" }] },\n  },\n};` },
			{ ...download(source, "tokens.flat.json"), where: "Or from dotted path to value" },
		];
	}
}
