// The samples of a look: a document of its own, samples.html, that a sheet of tokens dresses, and nothing of the console.
import { useEffect, useRef, useState } from "preact/hooks";
import { finder } from "../../state/token";
import { dressed, fits, type Specimen } from "./sheet";


interface Loaded extends Document {
	sheet: CSSStyleSheet; // of the tokens
}

declare const samplesAddress: string; // of samples.html, from the build
const tokensShown = 1500;
const sampled = 24; // of each kind below the components; of colours all that tokensShown lets through

/** words finds tokens; null: the components, and samples of the tokens below them. Specimens in changed are marked. */
export function Frame({ title, css, scheme, modes, list, changed, words }: {
	title: string;
	css: string;
	scheme: string;
	modes: Readonly<Record<string, string>>;
	list: readonly Specimen[];
	changed: ReadonlySet<string>;
	words: string | null;
}) {
	const frame = useRef<HTMLIFrameElement>(null);
	const [document, setDocument] = useState<Loaded | null>(null);
	const load = (): void => {
		const window = frame.current!.contentWindow as Window & typeof globalThis;
		const [own, sheet] = [new window.CSSStyleSheet(), new window.CSSStyleSheet()];
		own.replaceSync(sampleStyle());
		window.document.adoptedStyleSheets = [own, sheet];
		setDocument(Object.assign(window.document, { sheet }));
	};
	useEffect(() => document?.sheet.replaceSync(css), [document, css]);
	useEffect(() => {
		if (!document) return;
		const root = document.documentElement;
		for (const name of root.getAttributeNames()) if (name !== "lang") root.removeAttribute(name);
		document.title = title;
		root.style.colorScheme = scheme;
		for (const [name, value] of Object.entries(modes)) root.setAttribute(`data-${name}`, value);
		for (const [part, name] of dressed([...document.querySelectorAll<HTMLElement>("template[data-part]")].map((e) => e.dataset), list)) root.style.setProperty(`--look-${part}`, `var(${name})`);
	});
	useEffect(() => {
		if (document) fill(document, list, changed, words);
	}, [document, list, changed, words]);
	return <iframe ref={frame} class="look-frame" title={title} src={samplesAddress} sandbox="allow-same-origin" onLoad={load} />;
}

/** The style of the samples, which the page's sheet has for a medium of this name. */
function sampleStyle(): string {
	const own = [...document.styleSheets[0]!.cssRules].find((r) => r instanceof CSSMediaRule && r.conditionText === "samples") as CSSMediaRule;
	return [...own.cssRules].map((r) => r.cssText).join("");
}

/** The root has attributes of the modes, which may have the names of any of the document's hooks. */
function fill(document: Document, list: readonly Specimen[], changed: ReadonlySet<string>, words: string | null): void {
	const all = <T extends HTMLElement>(selector: string): T[] => [...document.querySelectorAll<T>(selector)];
	const fit = finder(words ?? "");
	const found = list.filter((s) => fit(`${s.path} ${s.name} ${s.value}`.toLowerCase()));
	const shown = found.slice(0, tokensShown);
	const kinds = all<HTMLTemplateElement>("template[data-style]");
	const sections = all("section[data-types]");
	const named = sections.flatMap((e) => e.dataset.types!.split(" "));
	for (const e of sections) {
		const types = e.dataset.types!;
		const of = shown.filter((s) => (types ? types.split(" ").includes(s.type) : words !== null && !named.includes(s.type)));
		e.hidden = of.length === 0;
		e.querySelector("output")!.value = String(of.length);
		e.lastElementChild!.replaceChildren(...(words === null && types !== "color" ? of.slice(0, sampled) : of).map((s) => figure(document, kinds, s, changed.has(s.name))));
	}
	for (const e of all("main > [data-component]")) e.hidden = words !== null;
	const [more, none] = all("p[data-more], p[data-none]");
	more!.hidden = shown.length === found.length;
	more!.querySelector("output")!.value = String(found.length - shown.length);
	none!.hidden = found.length > 0;
}

/** One token: its sample, name and value. */
function figure(document: Document, kinds: readonly HTMLTemplateElement[], of: Specimen, differs: boolean): HTMLElement {
	const e = document.createElement("figure");
	const kind = kinds.find((k) => fits(k.dataset, of));
	if (differs) e.className = "differs";
	if (kind) {
		e.append(document.importNode(kind.content, true));
		const { style } = (e.firstElementChild!.firstElementChild ?? e.firstElementChild) as HTMLElement;
		style.setProperty(kind.dataset.style!, `var(${of.name})`);
		style.letterSpacing = `var(${of.name}-letter-spacing)`;
	}
	const [caption, value] = [document.createElement("figcaption"), document.createElement("code")];
	value.append(of.value);
	caption.append(of.path, value);
	e.append(caption);
	return e;
}
