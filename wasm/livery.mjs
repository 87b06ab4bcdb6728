// Livery's renderer: see livery.d.mts.
export const files = ["css", "values.json", "dtcg.json", "json", "flat.json"].map((end) => "tokens." + end);

export class LiveryError extends Error {
	name = "LiveryError";
}

const encode = (text) => new TextEncoder().encode(text ?? "");
const decode = (bytes) => new TextDecoder().decode(bytes);
const fail = (message, status = 0, position = 0) => {
	throw Object.assign(new LiveryError(message), { status, position });
};

export function openBundle(bundle) {
	const all = new Uint8Array(bundle), head = new Uint32Array(all.buffer, 0, all.length >> 2), parts = {};
	let end = 48;
	for (const i in files) parts[files[i]] = all.subarray(end, end += head[3 + 2 * i]);
	if (head[0] !== 0x5359564c || head[1] !== 0x50001 || end !== all.length) fail("not a bundle: fetch it again", 5);
	return parts;
}

export async function load(module) {
	let log = "", clock = 0n;
	const wasi = {
		clock_time_get(id, precision, at) { view(at, 1, BigUint64Array)[0] = ++clock << 20n },
		fd_write(fd, list) { log += decode(view(...view(list, 2, Uint32Array))) },
		proc_exit: fail,
	};
	const imports = new Proxy(wasi, { get: (own, name) => own[name] ?? (() => 0) });
	const made = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
	let { exports } = made.instance ?? made;
	const view = (at, size, View = Uint8Array) => new View(exports.memory.buffer, at, size);
	const call = (name, ...args) => {
		try {
			return exports[name](...args) >>> 0;
		} catch (error) {
			exports = {};
			fail(`the instance failed, load another: ${error.message} ${log}`);
		}
	};
	const write = (bytes, name, ...args) => {
		const at = call(name, ...args, bytes.length) || fail("no room: shorten it, or drop plans", 9);
		view(at).set(bytes);
	};
	const ask = (name, ...args) => {
		const status = call(name, ...args), [, at, size, position] = view(result, 4, Uint32Array);
		return status ? fail(`${decode(view(at, size))}: correct or renew it`, status, position) : view(at, size).slice();
	};

	call("_initialize");
	const [, abi, , result, core, size] = view(call("info"), 6, Uint32Array);
	if (abi !== 1) fail(`ABI ${abi}: take the livery.mjs of that module`);
	const info = { abi, core: decode(view(core, size)) };
	const compile = ({ theme, overrides, prefix, file }) => {
		const texts = [theme, overrides, prefix];
		write(encode(texts.join("")), "input");
		return ask("compile", overrides != null, files.indexOf(file), ...texts.map((text) => encode(text).length));
	};
	const slots = Array(64).fill(0);
	const open = (plan, slot = slots.indexOf(0, 1)) => {
		write(plan, "plan_alloc", slot);
		ask("plan_open", slot);
		slots[slot] = 1;
		return {
			render: (overlay) => ask("render", slot, overlay && (write(overlay, "input"), overlay.length || 1)),
			drop() {
				slots[slot] &&= call("plan_drop", slot);
				slot = -1;
			},
		};
	};
	const render = ({ overrides, ...source }) => decode(open(compile(source), 0).render(overrides && compile({ ...source, overrides })));
	return { info, compile, open, render };
}
