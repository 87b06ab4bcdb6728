// The order of the bundle's functions. gzip finds again what it has read within the last 32 KB: functions that are alike
// compress better near each other, and where a function stands means nothing to the program. order.txt lists their names,
// and - for whatever else stands at the top of the bundle, whose own order stays. node order.mjs seconds looks for a
// better order by trying: the list is only worth another look if much of the sources has changed.
import { parse } from "acorn";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const file = new URL("order.txt", import.meta.url);
const list = () => readFileSync(file, "utf8").split(/\s+/).filter(Boolean);

/** The statements of a script: functions by their names in the sources, as names has them by those of the script, others by -. */
function statements(script, names) {
	return parse(script, { ecmaVersion: "latest", sourceType: "module" }).body.map((n) => {
		const isFunction = n.type === "FunctionDeclaration";
		return { name: isFunction ? names.get(n.id.name) : "-", text: script.slice(n.start, n.end).replace(/;?$/, isFunction ? "" : ";") };
	});
}

/** A script with its functions in the order of the list; those that it lacks come last. */
export function ordered(script, names) {
	const all = statements(script, names);
	const next = list().map((name) => {
		const i = all.findIndex((s) => s.name === name);
		return i < 0 ? "" : all.splice(i, 1)[0].text;
	});
	return [...next, ...all.map((s) => s.text)].join("");
}

/** Looks for an order for so many seconds, and writes it. */
export function search(script, names, seconds) {
	const size = (all) => gzipSync(all.map((s) => s.text).join(""), { level: 9, memLevel: 9 }).length;
	let best = statements(ordered(script, names), names);
	let least = size(best);
	const pick = (n) => Math.floor(Math.random() * n);
	for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
		const tried = [...best];
		const from = pick(tried.length);
		let n = 0;
		for (const most = pick(3) ? 1 : 8; n < most && tried[from + n]?.name !== "-" && from + n < tried.length; ) n++;
		tried.splice(pick(tried.length - n + 1), 0, ...tried.splice(from, n));
		const now = size(tried);
		if (n > 0 && now <= least) [best, least] = [tried, now];
	}
	writeFileSync(file, `${best.map((s) => s.name).join("\n")}\n`);
	return least;
}
