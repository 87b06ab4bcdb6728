// The renderer module, in a worker of its own that starts with the first preview.
import { signal } from "@preact/signals-core";
import type { FileName } from "../../../wasm/livery.mjs";

export type { FileName };
export const fileNames: readonly FileName[] = ["tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"];

export interface RenderSource {
	/** The exact text of the document: never parsed and written again, which would move names. */
	theme: string;
	prefix: string;
	/** A flat object from path to value, as JSON text; null: nothing is laid over the document. */
	overrides: string | null;
}

export type ToWorker = RenderSource & { id: number; files: readonly FileName[] };
export type FromWorker =
	| { id: 0; loaded: number }
	| { id: number; files: Uint8Array<ArrayBuffer>[] }
	| { id: number; message: string; refused: boolean };

/** A document that cannot be rendered (refused), or a module that does not run. */
export class RenderError extends Error {
	constructor(message: string, readonly refused: boolean) {
		super(message);
	}
}

/** How much of the module is here, from 0 to 1; null once something was rendered or failed. */
export const loading = signal<number | null>(0);

declare const previewWorker: string; // the address of the worker's script, from the build

interface Waiting {
	done: (files: Uint8Array<ArrayBuffer>[]) => void;
	failed: (error: Error) => void;
}
const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let lastID = 0;

/** The page's policy takes scripts of workers from Trusted Types alone, if the browser has them. */
function trusted(address: string): string {
	const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(address: string): string } } }).trustedTypes;
	return types?.createPolicy("livery-preview", { createScriptURL: () => previewWorker }).createScriptURL(address) ?? address;
}

let script: string | undefined;

function started(): Worker {
	if (worker) return worker;
	const made = new Worker((script ??= trusted(previewWorker)), { type: "module" });
	made.onmessage = (event: MessageEvent<FromWorker>) => take(event.data);
	made.onerror = () => {
		made.terminate();
		worker = null;
		loading.value = null;
		for (const { failed } of waiting.values()) failed(new RenderError("its script does not start", false));
		waiting.clear();
	};
	return (worker = made);
}

function take(message: FromWorker): void {
	if ("loaded" in message) {
		if (loading.value !== null) loading.value = message.loaded;
		return;
	}
	const one = waiting.get(message.id);
	waiting.delete(message.id);
	loading.value = null;
	if ("files" in message) one?.done(message.files);
	else one?.failed(new RenderError(message.message, message.refused));
}

/** The bytes of files, as an edge would serve them. */
export function renderFiles(source: RenderSource, files: readonly FileName[]): Promise<Uint8Array<ArrayBuffer>[]> {
	return new Promise((done, failed) => {
		const id = ++lastID;
		waiting.set(id, { done, failed });
		started().postMessage({ ...source, id, files } satisfies ToWorker);
	});
}

/** What to say about a rendering that failed. */
export function adviceOf(error: Error): string {
	if (error instanceof RenderError && error.refused) return `This document cannot be rendered: ${error.message}. Mend it in the tab Tokens.`;
	if (error instanceof RenderError) return `The renderer does not run in this browser: ${error.message}. Load the page again, or update the browser.`;
	return error.message;
}
