import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { blank } from "../state/change";
import { aliases, pointer, property, renameAliases, resolve, type Token } from "../state/token";
import { match, pathOf } from "./paste";
import { named } from "./tools";
import { matcher, rowsOf, themeEntries, treeOf, usesOf, usesThrough, variantEntries } from "./rows";

const token = (path: string, value: Token["value"], more: Partial<Token> = {}): Token => ({ ...blank(path), value, type: "color", resolvedType: "color", ...more });
const theme = [token("a.b", "#fff"), token("a.c.d", "{a.b}"), token("a.c.e", "#000"), token("f", "{a.c.d}")];
const none = { diagnostics: new Set<string>(), changed: new Set<string>(), uses: () => new Map<string, unknown>() };

test("a path is a pointer with its names escaped", () => equal(pointer("a/b.c~d"), "/a~1b/c~0d"));

test("aliases are found, followed and renamed at any depth", () => {
	deepEqual(aliases(["{a.b}", { color: "{c}", x: "1 {d} {e}" }, 1, null]), ["a.b", "c", "d", "e"]);
	const find = (path: string) => theme.find((t) => t.path === path);
	equal(resolve("{f}", find), "#fff");
	equal(resolve("{gone}", find), null);
	equal(resolve("{x}", () => token("x", "{x}")), null);
	deepEqual(renameAliases({ a: ["{g.h}", "{g}", "{gx}"] }, (path) => path.replace(/^g\b/, "k")), { a: ["{k.h}", "{k}", "{gx}"] });
});

test("the rows are the tree, a closed group hides what is in it", () => {
	const tree = treeOf(themeEntries(theme), ["", "empty"].map((path) => ({ path, type: null, description: null })));
	const all = rowsOf(tree, null, new Set());
	deepEqual(all.rows.map((r) => `${r.depth}${r.path}${r.token ? "" : "/"}${r.count ?? ""}`), ["0a/3", "1a.b", "1a.c/2", "2a.c.d", "2a.c.e", "0f", "0empty/0"]);
	equal(all.count, 4);
	deepEqual(rowsOf(tree, null, new Set(["a.c"])).rows.map((r) => r.path), ["a", "a.b", "a.c", "f", "empty"]);
});

test("a filter keeps what has all words, and the groups above it", () => {
	const entries = themeEntries(theme);
	const uses = usesOf(entries);
	deepEqual(uses.get("a.b"), ["a.c.d"]);
	deepEqual(usesThrough(uses, "a.b"), ["f"]);
	deepEqual(usesThrough(uses, "a.c.d"), []);
	const circle = usesOf(themeEntries([token("a", "{c}"), token("b", "{a}"), token("c", "{b}"), token("d", ["{a}", "{c}"])]));
	deepEqual([circle.get("a"), usesThrough(circle, "a")], [["b", "d"], ["c"]]);
	const shown = (filter: Partial<Parameters<typeof matcher>[0]>) => rowsOf(treeOf(entries), matcher({ words: "", type: "", only: "", ...filter }, { ...none, uses: () => uses }), new Set()).rows.map((r) => r.path);
	deepEqual(shown({ words: "A.C #000" }), ["a", "a.c", "a.c.e"]);
	deepEqual(shown({ type: "dimension" }), []);
	deepEqual(shown({ only: "unused" }), ["a", "a.c", "a.c.e", "f"]);
});

test("a Variant's rows are the Theme's tokens, then the overrides of what it lacks", () => {
	const entries = variantEntries(theme, [token("a.b", "red"), token("gone", "blue")]);
	deepEqual(entries.map((e) => [e.path, e.token.value, e.overridden, e.inherited?.value]), [["a.b", "red", true, "#fff"], ["a.c.d", "{a.b}", false, "{a.b}"], ["a.c.e", "#000", false, "#000"], ["f", "{a.c.d}", false, "{a.c.d}"], ["gone", "blue", true, undefined]]);
});

test("names are those of tokens and of groups, each once", () => {
	deepEqual(named(theme, "c"), ["a.c"]);
	deepEqual(named(theme, ""), ["a", "a.b", "a.c", "a.c.d", "a.c.e", "f"]);
});

test("pasted custom properties find their tokens", () => {
	deepEqual(match(new Map([["--p-a-b", "var(--p-f)"], ["--p-new-one", "1px"]]), theme, "p"), [{ name: "--p-a-b", value: "{f}", path: "a.b" }, { name: "--p-new-one", value: "1px", path: undefined }]);
	equal(pathOf("--p-new-one", "p"), "new.one");
	equal(property("a.$root", "p"), "--p-a");
});
