import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { blank, type Change } from "../../state/change";
import type { Token } from "../../state/token";
import { byMoves, pinnedAddress, rowsOf, touchedBy, verdict, type Diff } from "./diff";
import { overridesOf, sameBytes } from "./look";
import { dimensionsOf, firstPanes, inScheme, modesOf, presets, readPane, schemeOf, siteAddress, spellPane, type Pane } from "./pane";
import { differences, dressed, prefixOf, propertiesOf, specimens, typesOf } from "./sheet";

const pane = (more: Partial<Pane> = {}): Pane => ({ source: "draft", brand: "", modes: {}, scheme: "", ...more });

test("a pane is read as it was spelled", () => {
	for (const p of [pane(), pane({ source: "12", brand: "var_1" }), pane({ modes: { scheme: "dark", contrast: "more" } }), pane({ scheme: "light" }), pane({ brand: "var_1", modes: { a: "b-c" }, scheme: "dark" })]) {
		deepEqual(readPane(spellPane(p)), p);
	}
	equal(spellPane(pane()), "draft~-");
	for (const bad of [null, "", "0", "01", "latest", "~var_1", "draft/x"]) equal(readPane(bad), null, String(bad));
	deepEqual(readPane("3~-~~blue"), pane({ source: "3" }));
});

test("modes are named in the order of the Theme, whatever the order of the choice", () => {
	const dimensions = dimensionsOf([
		{ dimension: "scheme", mode: "light", variant: null },
		{ dimension: "contrast", mode: "more", variant: "var_1" },
		{ dimension: "scheme", mode: "dark", variant: "var_2" },
		{ dimension: "scheme", mode: "dark", variant: "var_3", for: "var_1" },
	]);
	deepEqual(dimensions, [{ name: "scheme", modes: ["light", "dark"] }, { name: "contrast", modes: ["more"] }]);
	equal(modesOf(pane({ modes: { contrast: "more", scheme: "dark" } }), dimensions), "scheme.dark,contrast.more");
	equal(modesOf(pane({ modes: { scheme: "gone", other: "x" } }), dimensions), "");
	deepEqual(inScheme(pane(), "dark", dimensions), pane({ modes: { scheme: "dark" } }));
	deepEqual(inScheme(pane(), "dark", []), pane({ scheme: "dark" }));
	equal(schemeOf(pane({ modes: { look: "dark" } })), "dark");
	equal(schemeOf(pane({ modes: { contrast: "more" } })), "");
});

test("a Theme offers the comparisons that it has something for", () => {
	const situation = { latest: null, hasDraft: true, brand: "", brands: [""], dimensions: [] };
	deepEqual(presets(situation).map((p) => p.text), ["Draft alone", "Light | Dark"]);
	deepEqual(firstPanes(situation), [pane()]);
	const whole = { ...situation, latest: 4, brands: ["", "var_1"] };
	deepEqual(presets(whole).map((p) => p.text), ["Draft alone", "Published | Draft", "Brand | Brand", "Light | Dark"]);
	deepEqual(firstPanes(whole), [pane({ source: "4" }), pane()]);
});

const css = (...lines: string[]): string => `/* Livery design tokens, format 1 */\n:root {\n${lines.map((l) => `  ${l}\n`).join("")}}\n`;

test("a sheet says which custom properties it has", () => {
	const text = css("--a: #fff;", "--b-c: 1px solid rgb(1, 2, 3);", '--d: "a: b;";') + "[data-scheme] {\n  --a: #000;\n}\n";
	deepEqual([...propertiesOf(text)], [["--a", "#fff"], ["--b-c", "1px solid rgb(1, 2, 3)"], ["--d", '"a: b;"']]);
	equal(propertiesOf(css()).size, 0);
	const other = propertiesOf(css("--a: #fff;", "--b-c: 2px;", "--e: 1;"));
	deepEqual(differences(propertiesOf(text), other), [
		{ name: "--b-c", a: "1px solid rgb(1, 2, 3)", b: "2px" },
		{ name: "--d", a: '"a: b;"', b: undefined },
		{ name: "--e", b: "1" },
	]);
});

test("the prefix is what stands before the name of a property", () => {
	const plain = css("--color-brand: red;");
	equal(prefixOf(css("--acme-color-brand: red;"), plain), "acme");
	equal(prefixOf(css("--a-b-color-brand: red;"), plain), "a-b");
	equal(prefixOf(plain, plain), "");
	equal(prefixOf(css(), css()), "");
	equal(prefixOf(css("--other: red;"), plain), "");
});

test("tokens are found by type and name for the parts of a sample", () => {
	const types = typesOf('{"color":{"$type":"color","text":{"default":{"$value":"#000","$type":"color"}},"accent":{"$root":{"$value":"#00f","$type":"color"},"hover":{"$value":"#008","$type":"color"}},"1":{"$value":"#111","$type":"color"}},"radius":{"card":{"$value":"4px","$type":"dimension"}},"$extensions":{"x":{"$value":1,"$type":"color"}}}');
	deepEqual([...types.keys()].sort(), ["color.1", "color.accent.$root", "color.accent.hover", "color.text.default", "radius.card"]);
	const nameOf = (path: string): string => `--${path.replace(".$root", "").replaceAll(".", "-")}`;
	const properties = new Map([["--color-text-default", "#000"], ["--color-accent", "#00f"], ["--color-accent-hover", "#008"], ["--radius-card", "4px"]]);
	const list = specimens(types, properties, nameOf);
	equal(list.length, 4, "a token without a custom property has no specimen");
	const rules = [
		{ part: "text", type: "color", words: "ink" },
		{ part: "text", type: "color", words: "TEXT.*default" },
		{ part: "text", type: "color", words: "hover" },
		{ part: "accent", type: "color", words: "accent", not: "hover" },
		{ part: "radius", type: "dimension" },
		{ part: "shadow", type: "shadow", words: "." },
	];
	deepEqual([...dressed(rules, list)], [["text", "--color-text-default"], ["accent", "--color-accent"], ["radius", "--radius-card"]]);
	equal(dressed([{ part: "first", type: "color", words: "accent" }], specimens(types, properties, nameOf).reverse()).get("first"), "--color-accent-hover", "of two as deep the first counts");
});

const token = (path: string, value: Token["value"]): Token => ({ ...blank(path), value });
const diff = (more: Partial<Diff> = {}): Diff => ({ from: 1, to: null, breaking: false, added: [], removed: [], renamed: [], retyped: [], changed: [], described: [], properties: { count: 0, added: [], removed: [], changed: [], taken: [] }, ...more });

test("a difference lists what can break first, with the values of both sides", () => {
	const d = diff({ breaking: true, added: ["n"], removed: ["r"], renamed: [{ from: "old", to: "new" }], retyped: [{ path: "t", from: null, to: "dimension" }], changed: ["new", "c"] });
	const before = new Map([["r", token("r", 1)], ["old", token("old", 2)], ["t", token("t", 3)], ["c", token("c", 4)]]);
	const after = new Map([["new", token("new", 5)], ["t", token("t", 6)], ["c", token("c", 7)], ["n", token("n", 8)]]);
	deepEqual(rowsOf(d, before, after).map((r) => [r.kind, r.path, r.note, r.before, r.after]), [
		["removed", "r", "", 1, undefined],
		["renamed", "new", "was old", 2, 5],
		["retyped", "t", "no type → dimension", 3, 6],
		["changed", "new", "", 2, 5],
		["changed", "c", "", 4, 7],
		["added", "n", "", undefined, 8],
	]);
	equal(verdict(d).length, 3);
});

test("the verdict says why, also if only the prefix changed or a rename keeps the property", () => {
	deepEqual(verdict(diff({ breaking: true })), ["Custom properties are gone, by another prefix or because their tokens have no value: a site that uses them falls back to nothing."]);
	deepEqual(verdict(diff({ breaking: true, removed: ["a", "b"], renamed: [{ from: "c.$root", to: "c" }] })), ["2 tokens removed: a site that uses the custom property falls back to nothing."]);
	equal(verdict(diff({ changed: ["a"] }))[0]!.startsWith("No site can break"), true);
});

test("the console publishes by moves: an inferred rename removes one token and adds another", () => {
	const d = diff({ removed: ["r"], added: ["n"], renamed: [{ from: "a", to: "b", inferred: true }, { from: "old", to: "new" }], retyped: [{ path: "b", from: null, to: "color" }], changed: ["b", "new"] });
	deepEqual(byMoves(d), diff({ removed: ["r", "a"], added: ["n", "b"], renamed: [{ from: "old", to: "new" }], changed: ["new"] }));
});

test("a publish of the Theme touches the Variants that override what changes", () => {
	const d = diff({ removed: ["r"], renamed: [{ from: "old", to: "new" }], retyped: [{ path: "t", from: null, to: "color" }], changed: ["c"] });
	const rows = new Map([["a", new Map([["r", 1], ["old", 2], ["t", 3], ["c", 4], ["x", 5]])], ["b", new Map([["x", 1]])]]);
	deepEqual(touchedBy(d, rows), [{ variant: "a", dropped: ["r"], renamed: ["old"], doubtful: ["t"], hiding: ["c"] }]);
});

test("edits that are not saved come to overrides, the last of each token", () => {
	const change = (...after: [string, Token | null][]): Change => ({ label: "", operations: [], inverse: [], before: new Map(), after: new Map(after), structural: false });
	equal(overridesOf([]), null);
	equal(overridesOf([change(["a", token("a", 1)], ["b", token("b", 2)]), change(["a", token("a", 3)], ["b", null])]), '{"a":3}');
	equal(overridesOf([change(["a", null])]), null);
});

test("addresses and bytes", () => {
	equal(pinnedAddress("https://e/latest/thm/-/latest/tokens.css", 7), "https://e/latest/thm/-/7/tokens.css");
	equal(sameBytes(new Uint8Array([1, 2]), new Uint8Array([1, 2])), true);
	equal(sameBytes(new Uint8Array([1, 2]), new Uint8Array([1, 3])), false);
	equal(sameBytes(new Uint8Array([1]), new Uint8Array([1, 2])), false);
	for (const bad of ["", "example.com", "javascript:alert(1)", "data:text/html,x", "https://own/x", "file:///etc/passwd"]) equal(siteAddress(bad, "https://own"), null, bad);
	equal(siteAddress("http://localhost:3000/a", "https://own")?.href, "http://localhost:3000/a");
});
