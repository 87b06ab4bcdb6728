import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import "../test/page";
import { changes } from "../state/overrides";
import { address } from "../api/client";
import type { Happening } from "../state/events";
import { search } from "../state/pages";
import type { Token } from "../state/token";
import { rangeOf } from "../ui/window";
import { action, fits, grouped, kinds } from "./activity/words";
import { operationsOf, requestOf } from "./calls/operations";
import { countsOf, moved, rowsOf } from "./matrix/logic";
import { mergeIdentity } from "./settings/identity";
import { draftOfMode, modesOf, shifted } from "./settings/modes";
import catalogue from "./settings/integrations.json";
import { member, snippets, tailwindTheme, type Integration } from "./settings/snippets";
import { parseLines } from "./variants/lines";

const token = (path: string, resolvedType = "color"): Token => ({ path, type: null, resolvedType, inferred: false, value: "#fff", description: null, extensions: null });

test("pasted lines become Variants, and each that cannot be created says why", () => {
	deepEqual(parseLines("midnight, Midnight, blue\n\n acme\tAcme \r\nplain\n").map((l) => [l.slug, l.displayName, l.problem]), [
		["midnight", "Midnight, blue", ""], ["acme", "Acme", ""], ["plain", "plain", ""],
	]);
	const problems = parseLines("a\na\n-x\n, name\nb,".concat("n".repeat(257))).map((l) => l.problem);
	deepEqual(problems.map((p) => p !== ""), [false, true, true, true, true]);
});

test("what is typed asks a list for a label or for words", () => {
	deepEqual(search(" Acme blue "), { q: "Acme blue" });
	deepEqual([search("app.io/region=eu = 1"), search("old=")], [{ "label.app.io/region": ["eu = 1"] }, { "label.old": [""] }]);
	equal(address("/themes", search("old=")), "/themes?label.old=");
	equal(address("/themes", search("")), "/themes");
});

test("a long list has what is in sight, and room for the rest", () => {
	for (const [count, columns, top] of [[1000, 1, 0], [1000, 4, -5000], [1000, 3, -1e6], [0, 2, 10], [7, 4, 900]] as const) {
		const r = rangeOf(count, 40, columns, top, 800);
		ok(r.first >= 0 && r.first <= r.last && r.last <= count);
		equal(r.before + Math.ceil((r.last - r.first) / columns) * 40 + r.after, Math.ceil(count / columns) * 40);
	}
	const r = rangeOf(1000, 40, 1, -4000, 800, 0);
	deepEqual([r.first, r.last], [100, 120]);
});

test("the matrix has what Variants override first, and all tokens on demand", () => {
	const tokens = [token("a.one"), token("a.two"), token("b.one")];
	const counts = countsOf([new Map([["b.one", 1], ["gone", 2]]), new Map([["b.one", 3]])]);
	deepEqual(rowsOf(tokens, counts, "", false).map((r) => [r.path, r.count, r.token !== undefined]), [["b.one", 2, true], ["gone", 1, false]]);
	deepEqual(rowsOf(tokens, counts, "", true).map((r) => r.path), ["b.one", "gone", "a.one", "a.two"]);
	deepEqual(rowsOf(tokens, counts, "ONE a", true).map((r) => r.path), ["a.one"]);
});

test("keys lead through the matrix and not out of it", () => {
	const at = { row: 1, column: 1 };
	const to = (key: string, control = false) => moved(key, control, at, 3, 3, 10);
	deepEqual(to("ArrowUp"), { row: 0, column: 1 });
	deepEqual(to("ArrowRight", true), { row: 1, column: 2 });
	deepEqual(to("PageDown"), { row: 2, column: 1 });
	deepEqual(to("End", true), { row: 2, column: 2 });
	deepEqual(to("Home"), { row: 1, column: 0 });
	equal(to("Enter"), null);
});

test("edits become one change a Variant, in their order", () => {
	deepEqual(changes([{ variant: "v", path: "a", value: null }, { variant: "w", path: "a", value: 1 }, { variant: "v", path: "b", value: undefined }]), [
		{ id: "v", operations: [{ operation: "set", path: "a", value: null }, { operation: "unset", path: "b" }] },
		{ id: "w", operations: [{ operation: "set", path: "a", value: 1 }] },
	]);
});

test("an edit of names and labels keeps what another client changed", () => {
	const before = { slug: "s", displayName: "N", metadata: { a: "1", b: "2" } };
	const now = { slug: "s2", displayName: "N", metadata: { a: "1", b: "3", c: "4" } };
	deepEqual(mergeIdentity(before, { slug: "s", displayName: "M", metadata: { b: "2", d: "5" } }, now), { slug: "s2", displayName: "M", metadata: { b: "3", c: "4", d: "5" } });
});

test("modes are edited as the API has them, and what is wrong is said", () => {
	const list = [{ dimension: "scheme", mode: "dark", variant: "var_1", when: "print" as const, for: "var_2" }, { dimension: "scheme", mode: "light", variant: null }];
	const drafts = list.map(draftOfMode);
	deepEqual(modesOf(drafts), { modes: list, problems: [] });
	equal(modesOf([drafts[0]!, drafts[0]!, { ...drafts[1]!, mode: "X" }]).problems.length, 2);
	deepEqual(shifted(["a", "b", "c"], 2, -1), ["a", "c", "b"]);
});

test("each pair of the catalogue has something to copy, with the Theme's addresses and names", () => {
	const files = (version: string) => ["tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.flat.json"].map((file) => ({ file, url: `https://cdn/${version}/${file}` }));
	const urls = { latest: files("latest"), pinned: files("3"), version: 3 } as never;
	const tokens = [token("color.accent.$root"), token("color.brand"), token("space.md", "dimension")];
	let pairs = 0;
	for (const [framework, { libraries }] of Object.entries(catalogue.frameworks)) {
		for (const library of libraries) {
			pairs++;
			for (const pinned of [false, true]) {
				const text = snippets(catalogue, { framework, library } as Integration, { urls, pinned, modes: ["scheme"], tokens, prefix: "x" }).map((s) => s.text).join("\n");
				ok(text.includes(`https://cdn/${pinned ? "3" : "latest"}/`), `${framework} ${library}`);
				ok(/buildTimeTokens|--x-color-brand|tokens\.color\.brand/.test(library + text), text);
				equal(text.includes("tokens.css?modes=scheme"), text.includes("tokens.css"));
				ok(!/\{[\w.]+\}|undefined/.test(text), text);
			}
		}
	}
	equal(pairs, 43);
	equal(member("color.text-on.500"), 'tokens.color["text-on"]["500"]');
	equal(tailwindTheme(catalogue.namespaces, { tokens, prefix: "x" }), "@theme inline reference {\n  --color-brand: var(--x-color-brand);\n  --spacing-md: var(--x-space-md);\n}");
});

test("events are sentences, and neighbours that say the same are one", () => {
	const event = (kind: string, variant: string | null = null, version: number | null = null, by = "ada"): Happening => ({ id: Math.random().toString(), at: "", by, kind, environment: "e", theme: "t", variant, version, note: null }) as Happening;
	for (const [kind] of kinds.slice(1)) ok(!action({ kind, version: null }).includes("."), kind);
	equal(action({ kind: "variant.published", version: 3 }), "published version 3 of the Variant");
	equal(action({ kind: "variants.published", version: 3, count: 42 }), "published version 3 of 42 Variants");
	const groups = grouped([event("variant.drafted", "v"), event("variant.drafted", "w"), event("variant.drafted", "v"), event("theme.published", null, 2), event("theme.published", null, 1), event("variant.drafted", "v", null, "bob")]);
	deepEqual(groups.map((g) => [g.count, g.variants.join()]), [[3, "v,w"], [1, ""], [1, ""], [1, "v"]]);
	ok(fits(event("theme.drafted"), { theme: "t", kind: "", by: "AD" }) && !fits(event("theme.drafted"), { theme: "", kind: "theme.created", by: "" }));
});

test("operations are read from the document, and their requests filled in", () => {
	const [read, change] = operationsOf({
		components: { parameters: { E: { name: "environmentID", in: "path", required: true, example: "env_1" } }, examples: { b: { value: { a: 1 } } } },
		paths: { "/e/{environmentID}": {
			parameters: [{ $ref: "#/components/parameters/E" }],
			get: { operationId: "read", summary: "Read", "x-livery-role": "viewer", parameters: [{ name: "label", in: "query" }, { name: "If-None-Match", in: "header" }] },
			put: { operationId: "change", requestBody: { content: { "application/json": { examples: { b: { $ref: "#/components/examples/b" } } } } } },
		} },
	});
	deepEqual([read!.method, read!.body, change!.body, change!.parameters[0]!.example], ["GET", null, '{\n  "a": 1\n}', "env_1"]);
	deepEqual(requestOf(read!, { label: "region=eu=x", "If-None-Match": '"a"' }), { path: "/e/{environmentID}", query: { "label.region": "eu=x" }, headers: { "If-None-Match": '"a"' }, missing: ["environmentID"] });
	equal(requestOf(read!, { environmentID: "a/b" }).path, "/e/a%2Fb");
});
