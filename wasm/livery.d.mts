/**
 * Livery's renderer module (renderer.wasm) in browsers, Node 18 and later, and Workers: the bytes are those that
 * Livery's own edges serve. It needs no dependency, no network, no file system and no clock; the module gets the few
 * WASI functions that it imports from here, and they give it nothing.
 *
 * A page that previews a draft compiles the Theme once and an overlay for each change:
 *
 *     import { load } from "./livery.mjs";
 *     const livery = await load(await (await fetch("renderer.wasm")).arrayBuffer());
 *     const source = { theme, prefix: "acme", file: "tokens.css" };
 *     const plan = livery.open(livery.compile(source));
 *     style.textContent = new TextDecoder().decode(plan.render(livery.compile({ ...source, overrides })));
 *
 * An edge never sees a document. It fetches a version's plan bundle and a Variant's overlay bundle, each by its hash:
 *
 *     const plan = livery.open(openBundle(planBundle)["tokens.css"]);
 *     const bytes = plan.render(openBundle(overlayBundle)["tokens.css"]);
 *
 * Everything is synchronous but `load`. These types need TypeScript 5.7. A page needs 'wasm-unsafe-eval' in its Content-Security-Policy, if it has one.
 */

/** The name of a served file. */
export type FileName = "tokens.css" | "tokens.values.json" | "tokens.dtcg.json" | "tokens.json" | "tokens.flat.json";

/** The names of the served files, in the order of their numbers. */
export const files: readonly FileName[];

/** What a file is made from. */
export interface Source {
	/** The Theme document, JSON text as it is stored: `JSON.stringify` of a parsed document moves names that look like numbers. */
	theme: string;
	/** A Variant's overrides, the JSON text of a flat object from dotted path to value. Without it: the Theme alone. */
	overrides?: string | null;
	/** The prefix of custom properties, without dashes at its end. Without it: none. */
	prefix?: string | null;
	/** The file to make. */
	file: FileName;
}

/** What a module says of itself. */
export interface Info {
	/** The version of the contract between the module and its host. */
	readonly abi: 1;
	/** The version of the renderer. Two renderers of one version give the same bytes. */
	readonly core: string;
}

/** An open plan: one file of one Theme version, checked once and kept in the module until it is dropped. */
export interface Plan {
	/**
	 * The file with the Variant's overlay, or of the Theme alone if none is given. The result belongs to the caller.
	 * An overlay of no bytes is refused: it is a mistake more often than a wish for the Theme.
	 * @throws LiveryError 6, 7, 8 or 9
	 */
	render(overlay?: Uint8Array | null): Uint8Array<ArrayBuffer>;
	/** Frees the plan, which is refused from then on. A second call does nothing. */
	drop(): void;
}

/**
 * One running module. It holds at most 63 open plans. After a failure (a LiveryError of status 0 from any method) its
 * memory is anybody's guess, so every later call throws as well: load another one and open the plans again.
 */
export interface Livery {
	readonly info: Info;
	/**
	 * The plan of a file, or its overlay if `overrides` are given. The module keeps the Theme it compiled last, so
	 * that all files of one Theme, and all its Variants, cost one reading of it.
	 * @throws LiveryError 1, 2, 3 or 9
	 */
	compile(source: Source): Uint8Array<ArrayBuffer>;
	/**
	 * Opens a plan. The bytes are copied.
	 * @throws LiveryError 5 or 9
	 */
	open(plan: Uint8Array): Plan;
	/**
	 * The text of a file, straight from the documents. Where the same Theme is rendered again and again, keeping its
	 * plan open saves copying it.
	 * @throws LiveryError 1, 2, 3 or 9
	 */
	render(source: Source): string;
}

/**
 * Starts a module, given as its bytes or compiled; if code cannot be compiled at run time, as in Workers, it must be
 * compiled. Rejects with WebAssembly's own error if the bytes are not a module, and with a LiveryError of status 0 if
 * the module speaks another version of the contract or does not start.
 */
export function load(module: WebAssembly.Module | BufferSource): Promise<Livery>;

/**
 * The parts of a plan bundle or an overlay bundle, by file. A part of no bytes says that the bundle has none for the
 * file. The parts share memory with each other, and with the argument if that is an ArrayBuffer.
 * @throws LiveryError 5 if the bytes are not a bundle, or not a whole one
 */
export function openBundle(bundle: ArrayBuffer | Uint8Array): Record<FileName, Uint8Array<ArrayBuffer>>;

/** A refusal or a failure. Its message says what is wrong and what to do. */
export class LiveryError extends Error {
	name: "LiveryError";
	/**
	 * What is wrong: 1 the Theme is no JSON object, 2 the overrides are no JSON object, 3 no such file, 5 a plan or a
	 * bundle is damaged or of another format, 6 the same of an overlay, 7 the overlay was compiled for another plan,
	 * 8 the plan was dropped, 9 something is too large, empty, or one plan too many. The same input is refused every
	 * time. 0: not the input but the module failed, or cannot be used.
	 */
	status: number;
	/** Where the fault is in the text that `status` names, in bytes of UTF-8; else 0. */
	position: number;
}
