// What other people do: the event stream of the Environment that a view shows.
import { signal } from "@preact/signals";
import { environmentPath, send } from "../api/client";

export interface Happening {
	id: string;
	at: string;
	by: string;
	kind: string;
	environment: string;
	theme: string | null;
	variant: string | null;
	version: number | null;
	note: string | null;
}

export type Listener = (event: Happening) => void;
const listeners = new Set<Listener>();
/** Whether the stream is open: if not, the page may show what is old. */
export const connected = signal(true);

let followed = "";
let stop: AbortController | null = null;

/** Calls the listener for each event of the Environment that is followed, until the function it returns is called. */
export function listen(listener: Listener): () => void {
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** Follows the events of an Environment in place of the one before; "" follows none. */
export function followEnvironment(environment: string): void {
	if (environment === followed) return;
	followed = environment;
	stop?.abort();
	stop = null;
	connected.value = true;
	if (!environment) return;
	stop = new AbortController();
	void follow(environment, stop.signal);
}

async function follow(environment: string, signal: AbortSignal): Promise<void> {
	let last = "";
	for (let failures = 0; !signal.aborted; ) {
		try {
			const response = await send("GET", `${environmentPath(environment)}/events`, {
				headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) },
				signal,
				quiet: true,
			});
			connected.value = true;
			failures = 0;
			for await (const event of parse(response)) {
				if (event.id) last = event.id;
				if (event.data) for (const listener of [...listeners]) listener(JSON.parse(event.data) as Happening);
			}
		} catch {
			if (signal.aborted) return;
			failures++;
			connected.value = failures < 2;
		}
		await new Promise((resolve) => setTimeout(resolve, Math.min(15_000, 500 * 2 ** failures) * (0.5 + Math.random())));
	}
}

async function* parse(response: Response): AsyncGenerator<{ id: string; data: string }> {
	const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		const blocks = (rest + value).split("\n\n");
		rest = blocks.pop() ?? "";
		for (const block of blocks) {
			const event = { id: "", data: "" };
			for (const line of block.split("\n")) {
				if (line.startsWith("id:")) event.id = line.slice(3).trim();
				if (line.startsWith("data:")) event.data += line.slice(5).trimStart();
			}
			yield event;
		}
	}
}
