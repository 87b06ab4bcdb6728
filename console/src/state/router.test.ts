import "../test/page";
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { go, query, setQuery } from "./router";

test("the address is written once one rests, and before one goes to another view", async () => {
	const written: string[] = [];
	const write = (_: unknown, __: string, to: string): void => {
		written.push(to);
		location.href = new URL(to, location.href).href;
	};
	Object.assign(globalThis, { history: { replaceState: write, pushState: write }, scrollTo: () => {} });
	for (const q of ["a", "ab", "abc"]) setQuery({ q });
	setQuery({ type: "color" });
	equal(query.value.toString(), "q=abc&type=color");
	deepEqual(written, []);
	await new Promise((resolve) => setTimeout(resolve, 300));
	deepEqual(written, ["/console/?q=abc&type=color"]);
	setQuery({ q: "" });
	go("/console/calls");
	deepEqual(written.slice(1), ["/console/?type=color", "/console/calls"]);
	equal(query.value.toString(), "");
	await new Promise((resolve) => setTimeout(resolve, 300));
	equal(written.length, 3);
});
