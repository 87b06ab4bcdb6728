// One look at a Theme: a document as the origin has it, rendered here by the module, with edits that are not saved yet.
import { useEffect, useRef, useState } from "preact/hooks";
import { send, themePath, variantPath } from "../../api/client";
import type { Change } from "../../state/change";
import { openDraft } from "../../state/draft";
import { renderFiles, type RenderSource } from "../../state/renderer";
import { useResource } from "../../state/resource";
import { property, type JSONValue } from "../../state/token";
import { modesOf, type Dimension, type Pane } from "./pane";
import { prefixOf, propertiesOf, specimens, typesOf, type Specimen } from "./sheet";

/** What the origin has: the exact text of the document, and its own rendering of the stylesheet. */
interface Base {
	theme: string;
	css: Uint8Array<ArrayBuffer>;
}

export interface Look {
	source: RenderSource;
	/** The address of the origin's preview of the same, without the file. */
	address: string;
	query: Record<string, string>;
	css: string;
	properties: ReadonlyMap<string, string>;
	specimens: readonly Specimen[];
	/** Whether the stylesheet has the origin's bytes; null while edits are not saved. */
	identical: boolean | null;
}

async function load(address: string, query: Record<string, string>): Promise<Base> {
	const file = (name: string): Promise<ArrayBuffer> => previewFile(address, name, query);
	const [theme, css] = await Promise.all([file("tokens.dtcg.json"), file("tokens.css")]);
	return { theme: new TextDecoder("utf-8", { ignoreBOM: true }).decode(theme), css: new Uint8Array(css) };
}

/** A file as the origin renders it. */
export async function previewFile(address: string, name: string, query: Record<string, string>): Promise<ArrayBuffer> {
	const response = await send("GET", `${address}/${name}`, { query, headers: { Accept: "*/*" }, quiet: true });
	return response.arrayBuffer();
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
	return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The overrides that changes which are not saved come to; null for none. What they add or remove shows after the save. */
export function overridesOf(changes: readonly Change[]): string | null {
	const values: Record<string, JSONValue> = {};
	for (const { after } of changes) {
		for (const [path, token] of after) {
			if (token) values[path] = token.value;
			else delete values[path];
		}
	}
	return Object.keys(values).length > 0 ? JSON.stringify(values) : null;
}

async function lookAt(base: Base, overrides: string | null, address: string, query: Record<string, string>): Promise<Look> {
	let source: RenderSource = { theme: base.theme, prefix: "", overrides: null };
	let [own, types] = await renderFiles(source, ["tokens.css", "tokens.json"]);
	const text = new TextDecoder();
	const prefix = prefixOf(text.decode(base.css), text.decode(own));
	if (prefix) {
		source = { ...source, prefix };
		[own] = await renderFiles(source, ["tokens.css"]);
	}
	const identical = overrides === null ? sameBytes(own!, base.css) : null;
	if (overrides !== null) {
		source = { ...source, overrides };
		[own] = await renderFiles(source, ["tokens.css"]);
	}
	const css = text.decode(own);
	const properties = propertiesOf(css);
	const list = specimens(typesOf(text.decode(types)), properties, (path) => property(path, prefix));
	return { source, address, query, css, properties, specimens: list, identical };
}

export interface Looking {
	look?: Look;
	error?: Error;
	busy: boolean;
	/** The look is still the one of what the pane showed before. */
	old: boolean;
	retry: () => void;
}

/** The look of a pane. It follows every save, and what is typed in this browser. */
export function useLook(environment: string, theme: string, pane: Pane, dimensions: readonly Dimension[]): Looking {
	const address = `${pane.brand ? variantPath(environment, theme, pane.brand) : themePath(environment, theme)}/tokens`;
	const modes = modesOf(pane, dimensions);
	const query: Record<string, string> = { ...(pane.source === "draft" ? {} : { version: pane.source }), ...(modes ? { modes } : {}) };
	const kept = pane.source === "draft" ? "preview" : "sealed"; // a version never changes
	const key = `${kept} ${theme} ${pane.brand} ${pane.source} ${modes}`;
	const { state, reload } = useResource(key, () => load(`${address}/preview`, query));
	const draft = pane.source === "draft" && !modes ? openDraft(address) : undefined;
	const typed = draft ? overridesOf(draft.pending.value) : null;
	const [shown, setShown] = useState<{ look?: Look; error?: Error; base?: Base; key?: string }>({});
	const held = useRef<{ typed: string; base?: Base } | null>(null);
	const retried = useRef<Base | null>(null);
	const base = state.value.data;
	// What was typed stays over the document until the document with it is here.
	if (typed !== null) held.current = { typed, base };
	else if (held.current?.base !== base) held.current = null;
	const overrides = held.current?.typed ?? null;

	const revision = draft?.revision.value ?? 0;
	const known = useRef(revision);
	useEffect(() => {
		if (known.current !== revision) void reload();
		known.current = revision;
	}, [revision]);

	useEffect(() => {
		if (!base) return;
		let current = true;
		lookAt(base, overrides, `${address}/preview`, query).then(
			(look) => {
				if (!current) return;
				if (look.identical === false && retried.current !== base) {
					retried.current = base; // the two files were perhaps of two states of the draft
					void reload().then(() => (retried.current = state.value.data ?? null));
				} else setShown({ look, base, key });
			},
			(error: Error) => current && setShown((s) => ({ ...s, error })),
		);
		return () => {
			current = false;
		};
	}, [base, overrides]);

	const retry = (): void => {
		setShown({});
		void reload();
	};
	return { look: shown.look, error: state.value.error ?? shown.error, busy: state.value.loading || shown.base !== base, old: shown.key !== key, retry };
}
