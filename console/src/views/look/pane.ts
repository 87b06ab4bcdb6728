// What a pane of the preview shows, and how its address spells it.
import type { Schemas } from "../../api/client";

export type ModeEntry = Schemas["Mode"];
export type Scheme = "" | "light" | "dark";

export interface Pane {
	/** "draft" or the number of a version. */
	source: string;
	/** The id of a Variant; empty: the Theme itself. */
	brand: string;
	/** The chosen mode of each dimension that has one. */
	modes: Readonly<Record<string, string>>;
	/** The colour scheme that the page of the pane asks for; empty: as the browser. */
	scheme: Scheme;
}

export const panesShown = 4;

/** A pane as a value of the query: source, brand, modes, scheme. */
export function spellPane(p: Pane): string {
	const modes = Object.entries(p.modes).map(([dimension, mode]) => `${dimension}.${mode}`).join("_");
	return [p.source, p.brand || "-", modes, p.scheme].join("~").replace(/~+$/, "");
}

/** The pane of a value of the query; null if it is not one. */
export function readPane(text: string | null): Pane | null {
	const [source = "", brand = "-", modes = "", scheme = ""] = (text ?? "").split("~");
	if (!/^(draft|[1-9]\d*)$/.test(source)) return null;
	return {
		source,
		brand: brand === "-" ? "" : brand,
		modes: Object.fromEntries(modes.split("_").filter((m) => m.includes(".")).map((m) => m.split(".", 2) as [string, string])),
		scheme: scheme === "light" || scheme === "dark" ? scheme : "",
	};
}

export interface Dimension {
	name: string;
	modes: readonly string[];
}

/** The dimensions of a list of modes in its order, which is the order of `?modes=`. */
export function dimensionsOf(list: readonly ModeEntry[]): Dimension[] {
	const all = new Map<string, Set<string>>();
	for (const { dimension, mode } of list) all.set(dimension, (all.get(dimension) ?? new Set()).add(mode));
	return [...all].map(([name, modes]) => ({ name, modes: [...modes] }));
}

/** The value of the parameter modes for a pane; empty without modes. */
export function modesOf(p: Pane, dimensions: readonly Dimension[]): string {
	return dimensions.filter((d) => d.modes.includes(p.modes[d.name] ?? "")).map((d) => `${d.name}.${p.modes[d.name]}`).join(",");
}

const isScheme = (name: string | undefined): name is "light" | "dark" => name === "light" || name === "dark";

/** The colour scheme that the root of a pane's page has: that of its mode, if it has one. */
export function schemeOf(p: Pane): Scheme {
	return p.scheme || (Object.values(p.modes).find(isScheme) ?? "");
}

/** A pane in a colour scheme: by the Theme's modes, if a dimension has that one. */
export function inScheme(p: Pane, scheme: "light" | "dark", dimensions: readonly Dimension[]): Pane {
	const d = dimensions.find((one) => one.modes.includes(scheme));
	return d ? { ...p, scheme: "", modes: { ...p.modes, [d.name]: scheme } } : { ...p, scheme };
}

export interface Situation {
	latest: number | null;
	hasDraft: boolean;
	brand: string; // of the view
	brands: readonly string[];
	dimensions: readonly Dimension[];
}

const plain = (source: string, brand: string): Pane => ({ source, brand, modes: {}, scheme: "" });

/** The panes of a view whose address names none. */
export function firstPanes(s: Situation): Pane[] {
	return s.latest !== null && s.hasDraft ? [plain(String(s.latest), s.brand), plain("draft", s.brand)] : [plain("draft", s.brand)];
}

/** Pairs of panes that people look at often; those that a Theme has nothing for are left out. */
export function presets(s: Situation): { text: string; panes: Pane[] }[] {
	const draft = plain("draft", s.brand);
	const other = s.brands.find((b) => b !== s.brand);
	const all = [{ text: "Draft alone", panes: [draft] }];
	if (s.latest !== null) all.push({ text: "Published | Draft", panes: [plain(String(s.latest), s.brand), draft] });
	if (other !== undefined) all.push({ text: "Brand | Brand", panes: [draft, plain("draft", other)] });
	all.push({ text: "Light | Dark", panes: [inScheme(draft, "light", s.dimensions), inScheme(draft, "dark", s.dimensions)] });
	return all;
}

/** The address as a frame may have it; null if it is none, or one of this origin, whose pages could reach the console. */
export function siteAddress(text: string, own: string): URL | null {
	if (!URL.canParse(text)) return null;
	const url = new URL(text);
	return (url.protocol === "https:" || url.protocol === "http:") && url.origin !== own ? url : null;
}
