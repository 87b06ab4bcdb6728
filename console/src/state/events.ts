// What other people do: the event stream of the Environment that a view shows.
import { signal } from "@preact/signals-core";
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
	count?: number; // of the Variants, if they are many
}

export type Listener = (event: Happening) => void;
const listeners = new Set<Listener>();
const missedListeners = new Set<() => void>();

/** Calls the listener when events were missed, so that everything has to be read again. */
export function onMissed(listener: () => void): () => void {
	missedListeners.add(listener);
	return () => void missedListeners.delete(listener);
}

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
	void share(environment, stop.signal);
}

const emit = (event: Happening | null): void => {
	if (event) for (const listener of [...listeners]) listener(event);
	else for (const missed of [...missedListeners]) missed();
};

/** One tab of the browser holds the stream and tells the others: an origin that speaks HTTP/1.1 has six connections for all. */
async function share(environment: string, signal: AbortSignal): Promise<void> {
	const name = `livery events ${environment}`;
	const channel = new BroadcastChannel(name);
	channel.onmessage = ({ data }) => emit(data as Happening | null);
	signal.addEventListener("abort", () => channel.close());
	const tell = (event: Happening | null): void => {
		emit(event);
		channel.postMessage(event);
	};
	if (!navigator.locks) return follow(environment, tell, signal); // a page without TLS
	await navigator.locks.request(name, { signal }, () => follow(environment, tell, signal)).catch(() => undefined);
}

async function follow(environment: string, tell: (event: Happening | null) => void, signal: AbortSignal): Promise<void> {
	let last = "";
	for (let failures = 0; !signal.aborted; ) {
		try {
			const response = await send("GET", `${environmentPath(environment)}/events`, {
				headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) },
				signal,
				quiet: true,
			});
			if (!connected.value && !last) tell(null);
			connected.value = true;
			failures = 0;
			for await (const event of parse(response)) {
				if (event.id) last = event.id;
				if (event.event === "missed") tell(null);
				else if (event.data) tell(JSON.parse(event.data) as Happening);
			}
		} catch {
			if (signal.aborted) return;
			failures++;
			connected.value = failures < 2;
		}
		await new Promise((resolve) => setTimeout(resolve, Math.min(15_000, 500 * 2 ** failures) * (0.5 + Math.random())));
	}
}

async function* parse(response: Response): AsyncGenerator<{ id: string; event: string; data: string }> {
	const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		const blocks = (rest + value).split("\n\n");
		rest = blocks.pop() ?? "";
		for (const block of blocks) {
			const event = { id: "", event: "", data: "" };
			for (const line of block.split("\n")) {
				if (line.startsWith("id:")) event.id = line.slice(3).trim();
				if (line.startsWith("event:")) event.event = line.slice(6).trim();
				if (line.startsWith("data:")) event.data += line.slice(5).trimStart();
			}
			yield event;
		}
	}
}
