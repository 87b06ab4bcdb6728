// Usage: node worker.test.mjs base module canary. Asks the example Worker with real requests.
import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import worker from "../worker.mjs";

globalThis.crypto ??= webcrypto; // Node 18 has it, but not under its name
const [base, modulePath, canaryPath] = process.argv.slice(2);
const { plan, overlays, want } = await (await fetch(`${base}bundles`)).json();

// A KV namespace over a Map: get as the platform has it.
class Namespace {
	blobs = new Map();
	reads = 0;
	put(base64) {
		const bytes = Buffer.from(base64, "base64");
		const name = createHash("sha256").update(bytes).digest("hex");
		this.blobs.set(name, bytes);
		return name;
	}
	async get(name, type) {
		assert.equal(type, "arrayBuffer");
		this.reads++;
		const bytes = this.blobs.get(name);
		return bytes === undefined ? null : new Uint8Array(bytes).buffer;
	}
}

const BLOBS = new Namespace();
const env = {
	RENDERER: await WebAssembly.compile(await readFile(modulePath)),
	BLOBS,
	PLAN: BLOBS.put(plan),
	OVERLAYS: { plain: "", ...Object.fromEntries(Object.entries(overlays).map(([slug, bundle]) => [slug, BLOBS.put(bundle)])) },
	LIFETIME: 60,
};
const ask = (path, init, changed) => worker.fetch(new Request(`https://edge.example${path}`, init), { ...env, ...changed });

test("every file of every Variant is as native", async () => {
	for (const [variant, files] of Object.entries(want)) {
		for (const [file, text] of Object.entries(files)) {
			const answer = await ask(`/${variant}/${file}`);
			assert.equal(answer.status, 200);
			const bytes = Buffer.from(await answer.arrayBuffer());
			assert.ok(bytes.equals(Buffer.from(text, "base64")), `${variant}/${file}`);
			assert.equal(answer.headers.get("Content-Length"), String(bytes.length));
		}
	}
});

test("the head says what a browser and a cache need", async () => {
	const { headers } = await ask("/midnight/tokens.css");
	assert.equal(headers.get("Content-Type"), "text/css; charset=utf-8");
	assert.equal(headers.get("Cache-Control"), "public, max-age=60, stale-if-error=86400");
	assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
	assert.equal(headers.get("Access-Control-Allow-Origin"), "*");
	assert.match(headers.get("ETag"), /^"[0-9a-f]{32}"$/);
	assert.equal((await ask("/midnight/tokens.dtcg.json")).headers.get("Content-Type"), "application/design-tokens+json");
	assert.equal((await ask("/plain/tokens.css", {}, { LIFETIME: 0 })).headers.get("Cache-Control"), "public, max-age=31536000, immutable");
});

test("the tag is of the content", async () => {
	const tag = async (path) => (await ask(path)).headers.get("ETag");
	assert.equal(await tag("/midnight/tokens.css"), await tag("/midnight/tokens.css"));
	const tags = new Set([await tag("/midnight/tokens.css"), await tag("/plain/tokens.css"), await tag("/midnight/tokens.json")]);
	assert.equal(tags.size, 3);
});

test("who has the file gets 304 without it", async () => {
	const tag = (await ask("/midnight/tokens.css")).headers.get("ETag");
	for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
		const answer = await ask("/midnight/tokens.css", { headers: { "If-None-Match": known } });
		assert.equal(answer.status, 304, known);
		assert.equal(answer.headers.get("ETag"), tag);
		assert.equal((await answer.arrayBuffer()).byteLength, 0);
	}
	assert.equal((await ask("/plain/tokens.css", { headers: { "If-None-Match": tag } })).status, 200);
});

test("HEAD is GET without the body", async () => {
	const [get, head] = [await ask("/midnight/tokens.css"), await ask("/midnight/tokens.css", { method: "HEAD" })];
	assert.deepEqual([...head.headers], [...get.headers]);
	assert.equal((await head.arrayBuffer()).byteLength, 0);
});

test("other addresses are not found, other methods not allowed", async () => {
	const paths = ["/", "/midnight", "/midnight/", "/none/tokens.css", "/midnight/tokens.scss", "/midnight/tokens.css/", "//tokens.css",
		"/__proto__/tokens.css", "/constructor/tokens.css", "/midnight/constructor", "/midnight/__proto__", "/a/midnight/tokens.css", "/MIDNIGHT/tokens.css"];
	for (const path of paths) {
		const answer = await ask(path);
		assert.equal(answer.status, 404, path);
		assert.equal(answer.headers.get("Cache-Control"), "no-cache");
	}
	for (const method of ["POST", "PUT", "DELETE"]) {
		const answer = await ask("/midnight/tokens.css", { method });
		assert.equal(answer.status, 405);
		assert.equal(answer.headers.get("Allow"), "GET, HEAD");
	}
});

test("the plan is read once, an overlay for each request", async () => {
	await ask("/midnight/tokens.css");
	const before = BLOBS.reads;
	for (let i = 0; i < 5; i++) await ask("/midnight/tokens.css");
	assert.equal(BLOBS.reads, before + 5);
});

test("a new version is served as soon as it is named", async () => {
	const renamed = Buffer.from(plan, "base64");
	const text = renamed.indexOf("--color-");
	renamed.write("--colou-", text);
	const PLAN = BLOBS.put(renamed.toString("base64"));
	assert.match(await (await ask("/plain/tokens.css", {}, { PLAN })).text(), /--colou-/);
	assert.doesNotMatch(await (await ask("/plain/tokens.css")).text(), /--colou-/);
});

test("a blob that is missing or damaged is an error, never a wrong file", async () => {
	const damaged = { midnight: BLOBS.put(Buffer.from(overlays.midnight, "base64").subarray(0, -1).toString("base64")) };
	await assert.rejects(ask("/midnight/tokens.css", {}, { OVERLAYS: damaged }), /not a bundle/);
	await assert.rejects(ask("/midnight/tokens.css", {}, { OVERLAYS: { midnight: "00" } }), /not in BLOBS/);
	await assert.rejects(ask("/midnight/tokens.css", {}, { PLAN: "00" }), /not in BLOBS/);
	assert.equal((await ask("/midnight/tokens.css")).status, 200);
});

test("requests that come at once get their own files", async () => {
	const RENDERER = await WebAssembly.compile(await readFile(modulePath));
	const paths = Object.keys(want).flatMap((variant) => Object.keys(want[variant]).map((file) => [variant, file]));
	const answers = await Promise.all(paths.map(([variant, file]) => ask(`/${variant}/${file}`, {}, { RENDERER })));
	for (const [i, [variant, file]] of paths.entries()) {
		assert.ok(Buffer.from(await answers[i].arrayBuffer()).equals(Buffer.from(want[variant][file], "base64")), `${variant}/${file}`);
	}
});

test("a module that fails every time fails the request, and no other", async () => {
	const RENDERER = await WebAssembly.compile(await readFile(canaryPath));
	await assert.rejects(ask("/midnight/tokens.css", {}, { RENDERER }), /the instance failed/);
	assert.equal((await ask("/midnight/tokens.css")).status, 200);
});
