// Usage: node shim.test.mjs module canary foreign. What the shim promises beside the bytes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load, openBundle, files, LiveryError } from "../../livery.mjs";

const [module, canary, foreign] = await Promise.all(process.argv.slice(2).map((name) => readFile(name)));
const theme = '{"a":{"$type":"color","$value":"red"},"ö":{"$type":"color","$value":"{a}"}}';
const file = "tokens.css";
const css = (bytes) => new TextDecoder().decode(bytes);
const livery = await load(module);

// Returns the LiveryError that f throws.
function refusal(f) {
	try {
		f();
	} catch (error) {
		assert.ok(error instanceof LiveryError && error instanceof Error, String(error));
		assert.equal(error.name, "LiveryError");
		return error;
	}
	assert.fail("nothing was refused");
}

test("a module is taken as bytes, as an ArrayBuffer and compiled", async () => {
	for (const source of [module, new Uint8Array(module).buffer, await WebAssembly.compile(module)]) {
		const other = await load(source);
		assert.equal(other.info.abi, 1);
		assert.match(other.info.core, /^\d+\.\d+\.\d+$/);
	}
});

test("bytes that are no module, and modules that are not the renderer, are refused", async () => {
	await assert.rejects(load(new Uint8Array(8)), WebAssembly.CompileError);
	const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
	await assert.rejects(load(empty), (error) => error instanceof LiveryError && error.status === 0);
});

test("a module of another contract is refused with its version", async () => {
	await assert.rejects(load(foreign), (error) => error instanceof LiveryError && error.status === 0 && /ABI 7/.test(error.message));
});

test("a preview is the Theme with overrides and prefix", () => {
	assert.match(livery.render({ theme, file }), /--a: red;\n {2}--ö: red;/);
	assert.match(livery.render({ theme, overrides: '{"a":"blue"}', prefix: "p", file }), /--p-a: blue;\n {2}--p-ö: blue;/);
	const alone = livery.render({ theme, file });
	for (const none of [null, undefined, ""]) assert.equal(livery.render({ theme, overrides: none, prefix: none, file }), alone);
	assert.deepEqual(livery.compile({ theme, overrides: null, file }), livery.compile({ theme, file }));
	assert.equal(livery.render({ theme, file: "tokens.flat.json" }), '{"a":"red","ö":"red"}\n');
});

test("a refusal names the text and the byte, and says what to do", () => {
	const cases = [
		[{ theme: '{"ö":]', file }, 1, 6],
		[{ theme: "[]", file }, 1, 0],
		[{ theme: undefined, file }, 1, 0],
		[{ theme, overrides: '{"a":"ö",}', file }, 2, 10],
		[{ theme, file: "tokens.scss" }, 3, 0],
		[{ theme }, 3, 0],
	];
	for (const [source, status, position] of cases) {
		const error = refusal(() => livery.render(source));
		assert.deepEqual([error.status, error.position], [status, position], error.message);
		assert.match(error.message, /.+: correct or renew it$/);
	}
	assert.equal(refusal(() => livery.render({ theme: " ".repeat(18 << 20), file })).status, 9);
	assert.match(livery.render({ theme, file }), /--a: red;/, "a refusal leaves the instance sound");
});

test("plans that are open at once, and previews, do not touch each other", async () => {
	const livery = await load(module);
	const plans = files.map((name) => livery.open(livery.compile({ theme, file: name })));
	const alone = plans.map((plan) => css(plan.render()));
	plans[1].drop();
	const other = livery.open(livery.compile({ theme: '{"z":{"$value":1}}', file }));
	assert.match(css(other.render()), /--z: 1;/);
	for (const i of [0, 2, 3, 4]) assert.equal(css(plans[i].render()), alone[i]);
	assert.match(livery.render({ theme: '{"y":{"$value":2}}', file }), /--y: 2;/);
	for (const i of [0, 2, 3, 4]) assert.equal(css(plans[i].render()), alone[i]);
	for (const plan of [...plans, other]) plan.drop();
});

test("a dropped plan is refused and drops nothing else", () => {
	const first = livery.open(livery.compile({ theme, file }));
	first.drop();
	const second = livery.open(livery.compile({ theme, file }));
	first.drop();
	assert.equal(refusal(() => first.render()).status, 8);
	assert.match(css(second.render()), /--a: red;/);
	second.drop();
});

test("open plans have an end, and dropping makes room", () => {
	const blob = livery.compile({ theme, file }), plans = [];
	for (let i = 0; i < 63; i++) plans.push(livery.open(blob));
	assert.equal(refusal(() => livery.open(blob)).status, 9);
	assert.match(livery.render({ theme, file }), /--a: red;/, "a preview needs no room");
	plans[40].drop();
	plans[40] = livery.open(blob);
	for (const plan of plans) {
		assert.match(css(plan.render()), /--a: red;/);
		plan.drop();
	}
});

test("a file belongs to the caller", () => {
	const plan = livery.open(livery.compile({ theme, file }));
	const first = plan.render();
	const before = css(first);
	plan.render(livery.compile({ theme, overrides: '{"a":"blue"}', file }));
	assert.equal(css(first), before);
	first.fill(0);
	assert.equal(css(plan.render()), before);
	plan.drop();
});

test("what is damaged or belongs to another plan is refused, never rendered", () => {
	const overlay = livery.compile({ theme, overrides: '{"a":"blue"}', file });
	const blob = livery.compile({ theme, file });
	const plan = livery.open(blob);
	const other = livery.open(livery.compile({ theme: '{"a":{"$value":1}}', file }));
	assert.equal(refusal(() => other.render(overlay)).status, 7);
	assert.equal(refusal(() => plan.render(new Uint8Array())).status, 6);
	assert.equal(refusal(() => plan.render(overlay.subarray(1))).status, 6);
	for (let n = 1; n < overlay.length; n++) assert.equal(refusal(() => plan.render(overlay.subarray(0, n))).status, 6);
	for (let n = 1; n < blob.length; n++) assert.equal(refusal(() => livery.open(blob.subarray(0, n))).status, 5);
	assert.equal(refusal(() => livery.open(new Uint8Array())).status, 9);
	assert.match(css(plan.render(overlay)), /--a: blue;/);
	plan.drop();
	other.drop();
});

// The bundle as the contract draws it, from five parts.
function bundle(parts) {
	const head = [0x5359564c, 0x50001];
	let at = 0;
	for (const part of parts) {
		head.push(at, part.length);
		at += part.length;
	}
	return Buffer.concat([new Uint8Array(Uint32Array.from(head).buffer), ...parts]);
}

test("a bundle is split by file, wherever it lies in memory", () => {
	const parts = files.map((name) => livery.compile({ theme, file: name }));
	const whole = bundle(parts);
	const moved = new Uint8Array(whole.length + 3).subarray(3);
	moved.set(whole);
	for (const given of [whole, moved, new Uint8Array(whole).buffer]) {
		const split = openBundle(given);
		assert.deepEqual(Object.keys(split), [...files]);
		files.forEach((name, i) => assert.deepEqual([...split[name]], [...parts[i]]));
	}
});

test("a part that a bundle does not have is not the Theme alone", () => {
	const split = openBundle(bundle([[], [1], [], [2], []].map((part) => Uint8Array.from(part))));
	const plan = livery.open(livery.compile({ theme, file }));
	assert.equal(refusal(() => plan.render(split[file])).status, 6);
	plan.drop();
});

test("a damaged bundle is refused", () => {
	const whole = bundle(files.map((name) => livery.compile({ theme, file: name })));
	for (let n = 0; n < whole.length; n++) assert.equal(refusal(() => openBundle(whole.subarray(0, n))).status, 5);
	assert.equal(refusal(() => openBundle(Buffer.concat([whole, Buffer.of(0)]))).status, 5);
	for (const at of [0, 4, 6, 12, 47]) {
		const damaged = Buffer.from(whole);
		damaged[at] ^= 64;
		assert.equal(refusal(() => openBundle(damaged)).status, 5);
	}
});

test("memory that grows in a call is seen", async () => {
	const other = await load(canary);
	assert.equal(css(other.compile({ theme: "hello" })), "hello");
	assert.equal(css(other.compile({ theme: "grow" })), "grown");
	assert.equal(css(other.compile({ theme: "again" })), "again");
});

for (const way of ["panic", "recurse"]) {
	test(`an instance that failed (${way}) is not used again`, async () => {
		const other = await load(canary);
		const error = refusal(() => other.compile({ theme: way }));
		assert.equal(error.status, 0);
		assert.match(error.message, /the instance failed, load another/);
		if (way === "panic") assert.match(error.message, /the canary is dead/, "what the module wrote is part of the message");
		for (const use of [() => other.compile({ theme: "hello" }), () => other.open(new Uint8Array(9)), () => other.render({ theme, file })]) {
			const later = refusal(use);
			assert.equal(later.status, 0);
			assert.match(later.message, /the instance failed, load another/);
		}
		assert.equal(css((await load(canary)).compile({ theme: "hello" })), "hello");
	});
}

test("rendering for long does not grow the module", () => {
	const long = `{"$type":"number",${Array.from({ length: 3000 }, (_, i) => `"t${i}":{"$value":${i}}`)}}`;
	const plan = livery.open(livery.compile({ theme: long, file }));
	let before;
	for (let i = 0; i < 300; i++) {
		plan.render(livery.compile({ theme: long, overrides: `{"t${i}":-1}`, file }));
		if (i === 30) before = process.memoryUsage().rss;
	}
	plan.drop();
	assert.ok(process.memoryUsage().rss < before + (96 << 20), "the process grew");
});
