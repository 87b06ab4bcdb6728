// An edge of one's own in a few lines: serves /{variant}/{file} of one published Theme version, in the style of
// Cloudflare Workers. It renders what it is asked for from compiled blobs, and never sees a document.
//
// Bindings:
//   RENDERER  the renderer module that the version names, as a WebAssembly.Module
//   BLOBS     a KV namespace that holds blobs under their SHA-256, so that what is kept of one is never stale
//   PLAN      the name of the version's plan bundle
//   OVERLAYS  an object from the slug of each Variant to the name of its overlay bundle, or to "" if it has none
//   LIFETIME  how long an answer may be kept, in seconds; 0 says that the version is sealed and kept for ever
import { load, openBundle, LiveryError } from "../livery.mjs";

const types = {
	"tokens.css": "text/css; charset=utf-8",
	"tokens.values.json": "application/json",
	"tokens.dtcg.json": "application/design-tokens+json",
	"tokens.json": "application/json",
	"tokens.flat.json": "application/json",
};
const always = { "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" };

// What one isolate keeps between requests: the running module, and open plans by file.
let held;

export default {
	async fetch(request, env) {
		if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, { Allow: "GET, HEAD" });
		const [, variant, file, more] = new URL(request.url).pathname.split("/");
		if (more !== undefined || !Object.hasOwn(types, file ?? "") || !Object.hasOwn(env.OVERLAYS, variant)) {
			return refuse(404, { "Cache-Control": "no-cache" });
		}
		const bytes = await rendered(env, file, env.OVERLAYS[variant]);
		const lifetime = Number(env.LIFETIME);
		const headers = {
			...always,
			"Content-Type": types[file],
			"Cache-Control": lifetime > 0 ? `public, max-age=${lifetime}, stale-if-error=86400` : "public, max-age=31536000, immutable",
			ETag: await etag(bytes),
		};
		if (knows(request.headers.get("If-None-Match"), headers.ETag)) return new Response(null, { status: 304, headers });
		headers["Content-Length"] = String(bytes.length);
		return new Response(request.method === "HEAD" ? null : bytes, { headers });
	},
};

function refuse(status, headers) {
	return new Response(null, { status, headers: { ...always, ...headers } });
}

// Renders a file. An instance that failed is replaced, once: the next one gets sound memory.
async function rendered(env, file, overlayName) {
	const overlay = overlayName === "" ? undefined : openBundle(await blob(env, overlayName))[file];
	for (let attempt = 0; ; attempt++) {
		try {
			return (await plan(env, file)).render(overlay);
		} catch (error) {
			if (!(error instanceof LiveryError) || error.status !== 0 || attempt > 0) throw error;
			held = undefined;
		}
	}
}

// The open plan of a file. Requests that come at the same time may each load a module: the last one is kept.
async function plan(env, file) {
	if (held?.name !== env.PLAN || held.module !== env.RENDERER) {
		const bundle = openBundle(await blob(env, env.PLAN));
		held = { name: env.PLAN, module: env.RENDERER, bundle, livery: await load(env.RENDERER), plans: {} };
	}
	return (held.plans[file] ??= held.livery.open(held.bundle[file]));
}

async function blob(env, name) {
	const found = await env.BLOBS.get(name, "arrayBuffer");
	if (found === null) throw new Error(`the blob ${name} is not in BLOBS: store it there before it is named`);
	return found;
}

// A strong validator from the content.
async function etag(bytes) {
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return `"${Array.from(sum.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

// Reports whether an If-None-Match names the tag. A cache on the way may have weakened it.
function knows(header, tag) {
	return header !== null && (header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag));
}
