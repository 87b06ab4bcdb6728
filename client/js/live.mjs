// @livery/theme/live: has a theme ask for the newest stylesheet as soon as its edge hears of a publish. The pages of one
// browser that follow the same Theme share one event stream: the page that holds the lock has it, and tells the others.

/** The address of the event stream of a stylesheet at latest; undefined: its address is not one at latest. */
export function events(href) {
	const url = new URL(href, globalThis.location?.href);
	if (!/\/latest\/[^/]+$/.test(url.pathname)) return;
	url.pathname = url.pathname.replace(/[^/]+$/, "events");
	// The signature of a folder holds for its event stream; that of one file does not.
	url.search = url.search.replace(/^\?/, "").split("&").filter((part) => !part.startsWith("modes=")).join("&");
	return url.href;
}

const slowest = 900_000; // milliseconds between two attempts to open a stream that the edge refuses

/** Follows a theme until the returned function is called. address: of the event stream, if the theme's own does not lead to it. */
export function follow(theme, address) {
	let end = () => {}, followed;
	const begin = () => {
		const next = address ?? events(theme.href);
		if (next === followed) return;
		end();
		followed = next;
		end = next ? share(next, () => theme.refresh()) : () => {};
	};
	const stop = () => {
		end();
		followed = undefined;
	};
	const over = new AbortController();
	for (const name of ["ready", "changed"]) theme.addEventListener(name, begin, { signal: over.signal });
	addEventListener("pagehide", stop, { signal: over.signal }); // else the page could not be kept for the way back
	addEventListener("pageshow", begin, { signal: over.signal });
	begin();
	return () => {
		over.abort();
		stop();
	};
}

// share calls changed at each event, from the stream of this page or of another one.
function share(address, changed) {
	const over = new AbortController(), name = `livery ${address}`;
	const others = new BroadcastChannel(name);
	others.onmessage = changed;
	over.signal.addEventListener("abort", () => others.close());
	const have = () => new Promise((done) => {
		let source, retry, wait = 15_000;
		const open = () => {
			source = new EventSource(address);
			source.onopen = () => wait = 15_000;
			source.addEventListener("change", () => {
				others.postMessage(0);
				changed();
			});
			source.onerror = () => { // the browser comes back by itself, unless the edge refuses
				if (source.readyState !== EventSource.CLOSED) return;
				retry = setTimeout(open, wait * (1 + Math.random()));
				wait = Math.min(2 * wait, slowest);
			};
		};
		open();
		over.signal.addEventListener("abort", () => {
			clearTimeout(retry);
			source.close();
			done();
		});
	});
	// Locks are there in secure contexts alone: elsewhere each page has a stream.
	if (navigator.locks) navigator.locks.request(name, { signal: over.signal }, have).catch(() => {}); // given up while it waits
	else have();
	return () => over.abort();
}
