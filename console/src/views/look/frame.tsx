// A page of its own within the preview: a sheet of tokens dresses it, and nothing of the console.
import type { ComponentChildren } from "preact";
import { render } from "../../dom/render";
import { useEffect, useRef, useState } from "../../dom/hooks";
import { frameStyle } from "./framestyle";

interface Made {
	document: Document;
	sheet: CSSStyleSheet;
}

/** A frame without a site or scripts of its own, whose sheet is set by script. */
export function Frame({ title, css, scheme, attributes, variables, children }: {
	title: string;
	css: string;
	scheme: string;
	attributes: Readonly<Record<string, string>>;
	variables: ReadonlyMap<string, string>;
	children: ComponentChildren;
}) {
	const frame = useRef<HTMLIFrameElement>(null);
	const [made, setMade] = useState<Made | null>(null);
	const make = (): void => {
		const window = frame.current?.contentWindow as (Window & typeof globalThis) | null | undefined;
		const document = window?.document;
		if (!window || !document?.body || made?.document === document) return;
		const [own, sheet] = [new window.CSSStyleSheet(), new window.CSSStyleSheet()];
		own.replaceSync(frameStyle);
		document.adoptedStyleSheets = [sheet, own];
		document.documentElement.lang = "en";
		setMade({ document, sheet });
	};
	useEffect(make, []);
	useEffect(() => made?.sheet.replaceSync(css), [made, css]);
	useEffect(() => {
		if (!made) return;
		const root = made.document.documentElement;
		made.document.title = title;
		root.style.colorScheme = scheme;
		for (const name of root.getAttributeNames()) if (name.startsWith("data-")) root.removeAttribute(name);
		for (const [name, value] of Object.entries(attributes)) root.setAttribute(`data-${name}`, value);
		for (const name of [...root.style]) if (name.startsWith("--look-")) root.style.removeProperty(name);
		for (const [role, name] of variables) root.style.setProperty(`--look-${role}`, `var(${name})`);
	});
	useEffect(() => {
		if (made) render(<>{children}</>, made.document.body);
	});
	useEffect(() => () => {
		if (made) render(null, made.document.body);
	}, [made]);
	return <iframe ref={frame} class="look-frame" title={title} sandbox="allow-same-origin" onLoad={make} />;
}
