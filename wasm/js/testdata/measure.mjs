// Measures the shim, in Node and in a browser: all times are in milliseconds.

// The mean time of as many calls as fill a clock that may tick only every tenth of a millisecond. What came before lets
// the engine compile what is hot.
function mean(f) {
	for (let calls = 0, end = performance.now() + 2000; calls < 2000 && performance.now() < end; calls++) f();
	const began = performance.now();
	let calls = 0, passed = 0;
	for (; passed < 300; calls++, passed = performance.now() - began) f();
	return passed / calls;
}

async function once(f) {
	const began = performance.now();
	const value = await f();
	return [value, performance.now() - began];
}

export async function measure(load, bytes, { theme, overrides }) {
	const file = "tokens.css";
	const [module, compile] = await once(() => WebAssembly.compile(bytes));
	const [livery, start] = await once(() => load(module));
	const [planBlob, first] = await once(() => livery.compile({ theme, file }));
	const overlay = livery.compile({ theme, overrides, file });
	const plan = livery.open(planBlob);
	const other = overrides.replace("{", "{ "); // what was compiled last is not compiled again
	let turn = 0;
	return {
		compile,
		start,
		first,
		plan: mean(() => livery.open(planBlob).drop()),
		render: mean(() => plan.render(overlay)),
		preview: mean(() => plan.render(livery.compile({ theme, overrides: ++turn % 2 ? other : overrides, file }))),
	};
}
