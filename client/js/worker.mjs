// Themes without a network, in a service worker: what was shown once is shown while its edge is away. Types: worker.d.mts.

const file = /\/(?:latest|(\d+))\/(?!events$)[^/]+$|\/manifest\.json$/;
const gone = [401, 403, 404, 410]; // it may be read no longer

/** Answers for the files of an edge in a service worker; all other requests stay as they are. */
export function offline({ base, timeout = 1000, most = 50, first = [] }) {
	const at = new URL(`${base.replace(/\/$/, "")}/`, self.location.href).href;
	const open = () => caches.open("livery-theme");

	async function ask(request) {
		const answer = await fetch(request), cache = await open();
		if (gone.includes(answer.status)) await cache.delete(request, { ignoreVary: true });
		if (!answer.ok) return answer;
		await cache.put(request, answer.clone());
		const keys = await cache.keys(); // what was put last stands last
		await Promise.all(keys.slice(0, Math.max(0, keys.length - most)).map((key) => cache.delete(key, { ignoreVary: true })));
		return answer;
	}

	async function answerTo(event, pinned) {
		if (event.request.cache === "no-cache") return ask(event.request); // whether there is a newer one, the edge alone knows
		const held = await (await open()).match(event.request, { ignoreVary: true });
		if (held && pinned) return held; // it never changes
		const asked = ask(event.request);
		event.waitUntil(asked.catch(() => {})); // what comes too late is there for the next visit
		if (!held) return asked;
		const answer = await Promise.race([asked.catch(() => {}), new Promise((go) => setTimeout(go, timeout))]);
		return answer && (answer.ok || gone.includes(answer.status)) ? answer : held;
	}

	self.addEventListener("install", (event) => {
		event.waitUntil(Promise.allSettled(first.map((href) => ask(new Request(href, { credentials: "omit" })))));
	});
	self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
	self.addEventListener("fetch", (event) => {
		const { method, url, mode } = event.request, found = file.exec(url.split(/[?#]/, 1)[0]);
		if (method === "GET" && mode === "cors" && url.startsWith(at) && found) event.respondWith(answerTo(event, found[1]));
	});
}
