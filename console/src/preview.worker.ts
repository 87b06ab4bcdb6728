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
	const total = response.headers.has("Content-Encoding") ? 0 : Number(response.headers.get("Content-Length"));
	let loaded = 0;
	const counted = response.body!.pipeThrough(
		new TransformStream<Uint8Array, Uint8Array>({
			transform(chunk, controller) {
				loaded += chunk.length;
				port.postMessage({ loaded, total });
				controller.enqueue(chunk);
			},
		}),
	);
	return WebAssembly.compileStreaming(new Response(counted, { headers: { "Content-Type": "application/wasm" } }));
}

async function start(): Promise<Livery> {
	const { load } = (await import(loader)) as typeof import("../../wasm/livery.mjs");
	plans.clear();
	const made = await load(await (module ??= compiled()));
	port.postMessage({ ready: true });
	return made;
}

/** The open plan of a file; those of the Themes that were asked for last stay open. */
function planOf(l: Livery, source: Source): Plan {
	const key = `${source.prefix}\n${source.theme}`;
	const open = plans.get(key) ?? new Map<FileName, Plan>();
	plans.delete(key);
	plans.set(key, open);
	for (const [old, unused] of plans) {
		if (plans.size <= themesKept) break;
		for (const plan of unused.values()) plan.drop();
		plans.delete(old);
	}
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
