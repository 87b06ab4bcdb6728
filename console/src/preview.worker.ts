// Runs the renderer module beside the page, so that rendering never holds up typing. The module and its loader come from the origin.
import type { FileName, Livery, Plan, Source } from "../../wasm/livery.mjs";
import type { FromWorker, ToWorker } from "./state/renderer";

const port = self as unknown as { postMessage(message: FromWorker, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<ToWorker>) => void };
const loader = "/console/assets/livery.mjs";
const address = "/console/assets/renderer.wasm";
const themesKept = 8; // each has up to five plans, and a module holds 63

let module: Promise<WebAssembly.Module> | undefined;
let livery: Promise<Livery> | undefined;
const plans = new Map<string, Map<FileName, Plan>>();

async function compiled(): Promise<WebAssembly.Module> {
	const response = await fetch(address);
	if (!response.ok) throw new Error(`the origin answers ${response.status} for ${address}`);
	const size = Number(response.headers.get("X-Livery-Size") ?? Infinity);
	let bytes = 0;
	const counted = new WritableStream<Uint8Array>({ write: (part) => port.postMessage({ id: 0, loaded: (bytes += part.length) / size }) });
	response.clone().body!.pipeTo(counted).catch(() => {}); // a download that breaks off is compileStreaming's to report
	return WebAssembly.compileStreaming(response);
}

async function start(): Promise<Livery> {
	const { load } = (await import(loader)) as typeof import("../../wasm/livery.mjs");
	plans.clear();
	return load(await (module ??= compiled()));
}

/** The open plan of a file. Plans stay open until there are those of too many Themes. */
function planOf(l: Livery, source: Source): Plan {
	const key = `${source.prefix}\n${source.theme}`;
	if (!plans.has(key) && plans.size === themesKept) {
		for (const old of plans.values()) for (const plan of old.values()) plan.drop();
		plans.clear();
	}
	const open = plans.get(key) ?? new Map<FileName, Plan>();
	plans.set(key, open);
	let plan = open.get(source.file);
	if (!plan) open.set(source.file, (plan = l.open(l.compile({ ...source, overrides: null }))));
	return plan;
}

async function answer({ id, theme, prefix, overrides, files }: ToWorker): Promise<void> {
	try {
		const l = await (livery ??= start());
		const made = files.map((file) => {
			const source = { theme, prefix, overrides, file };
			const plan = planOf(l, source);
			return plan.render(overrides === null ? null : l.compile(source));
		});
		port.postMessage({ id, files: made }, made.map((bytes) => bytes.buffer));
	} catch (err) {
		const error = err as Error & { status?: number };
		const started = await livery?.then(() => true, () => false);
		if (!started) module = undefined;
		if (!error.status) livery = undefined; // a module that failed is not used again
		port.postMessage({ id, message: error.message, refused: Boolean(error.status) });
	}
}

port.onmessage = (event) => void answer(event.data);
