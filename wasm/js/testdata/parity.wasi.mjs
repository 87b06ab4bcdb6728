// Usage: node parity.wasi.mjs base module. Compares through node:wasi and nothing of ours: a second host, written from
// the contract (package abi) alone, which gathers the pieces of render_iov itself.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";
import { compare } from "./parity.mjs";

const [base, module] = process.argv.slice(2);
const names = ["tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"];
const wasi = new WASI({ version: "preview1" });
const { instance } = await WebAssembly.instantiate(await readFile(module), { wasi_snapshot_preview1: wasi.wasiImport });
wasi.initialize(instance);
const guest = instance.exports;

const word = (at) => new DataView(guest.memory.buffer).getUint32(at, true);
const view = (at, size) => new Uint8Array(guest.memory.buffer, at, size);
const info = guest.info() >>> 0, result = word(info + 12);

// Calls an export and returns the pointer, length and position of its answer.
function call(name, ...args) {
	const status = guest[name](...args);
	const [at, size, position] = [4, 8, 12].map((offset) => word(result + offset));
	if (status !== 0) throw new Error(`${name}: status ${status}: ${Buffer.from(view(at, size))}`);
	return [at, size, position];
}

function input(...parts) {
	let at = guest.input(parts.reduce((sum, part) => sum + part.length, 0)) >>> 0;
	for (const part of parts) {
		view(at, part.length).set(part);
		at += part.length;
	}
}

function compile(kind, source) {
	const texts = [source.theme, source.overrides, source.prefix].map((text) => Buffer.from(text));
	input(...texts);
	const [at, size] = call("compile", kind, names.indexOf(source.file), ...texts.map((text) => text.length));
	return view(at, size).slice();
}

function render(slot, overlay) {
	input(overlay);
	const [at, count, size] = call("render_iov", slot, overlay.length);
	const file = new Uint8Array(size);
	let end = 0;
	for (let i = 0; i < count; i++) {
		const piece = view(word(at + 8 * i), word(at + 8 * i + 4));
		file.set(piece, end);
		end += piece.length;
	}
	if (end !== size) throw new Error(`the pieces have ${end} bytes, the file ${size}`);
	return file;
}

let slot = 0;
function make(source) {
	slot = (slot + 1) % word(info + 40); // every slot is as good as another
	const plan = compile(0, source), overlay = compile(1, source);
	view(guest.plan_alloc(slot, plan.length) >>> 0, plan.length).set(plan);
	call("plan_open", slot);
	const alone = render(slot, new Uint8Array()), variant = render(slot, overlay);
	call("plan_drop", slot);
	return [plan, overlay, alone, variant, variant];
}

if (word(info + 4) !== 1) throw new Error(`ABI ${word(info + 4)}`);
console.log(await compare(base, make));
