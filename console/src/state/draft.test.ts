import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { spelled, type Operation } from "./operations";
import { Draft } from "./draft";
import type { Token } from "./token";

/** An origin of one draft, as far as drafts need it. */
class Origin {
	etag = 1;
	tokens = new Map<string, unknown>([["a.x", 1], ["a.y", 2], ["b", "{a.x}"]]);
	batches: Operation[][] = [];
	refuse = 0;
	requests = 0;
	/** Refuses a batch that has this value. */
	wrong: unknown = null;

	answer(whole: boolean): Response {
		const tokens = [...this.tokens].map(([path, value]) => ({ path, type: "number", resolvedType: "number", inferred: false, value, description: null, extensions: null }));
		return Response.json({ resource: { etag: String(this.etag), latestVersion: 1, hasUnpublishedChanges: true, ...(whole ? { tokens, groups: [] } : {}) } });
	}

	fetch = async (address: string, init: RequestInit): Promise<Response> => {
		if (init.method === "GET") return this.answer(true);
		this.requests++;
		if (this.refuse) return Response.json({ status: "error", cause: "validation", messages: ["no"] }, { status: this.refuse });
		if (new URL(address, "http://x").searchParams.get("etag") !== String(this.etag)) return Response.json({ status: "error", cause: "conflict", messages: [] }, { status: 409 });
		const { operations } = JSON.parse(init.body as string) as { operations: Operation[] };
		if (operations.some((o) => o.value === this.wrong)) return Response.json({ status: "error", cause: "validation", messages: ["wrong"] }, { status: 400 });
		this.batches.push(operations);
		for (const o of operations) {
			const path = o.path.replace(/\/\$value$/, "").slice(1).replaceAll("/", ".");
			if (o.operation === "remove") this.tokens.delete(path);
			else if (o.operation === "move") {
				const from = o.from!.slice(1).replaceAll("/", ".");
				this.tokens.set(path, this.tokens.get(from));
				this.tokens.delete(from);
			} else this.tokens.set(path, o.path.endsWith("/$value") ? o.value : (o.value as { $value: unknown }).$value);
		}
		this.etag++;
		return this.answer(!(init.headers as Record<string, string>).Prefer);
	};

	/** What another client sets meanwhile. */
	other(path: string, value: unknown): void {
		this.tokens.set(path, value);
		this.etag++;
	}
}

async function settled(draft: Draft): Promise<void> {
	for (let i = 0; i < 50 || draft.pending.value.length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function begin(): Promise<[Origin, Draft]> {
	const origin = new Origin();
	globalThis.fetch = origin.fetch as typeof fetch;
	const draft = new Draft("theme", "/public/v1/x/tokens", () => false);
	await settled(draft);
	return [origin, draft];
}

const values = (draft: Draft): Record<string, unknown> => Object.fromEntries(draft.tokens.value.map((t: Token) => [t.path, t.value]));

test("an edit shows at once, is sent, and is taken back", async () => {
	const [origin, draft] = await begin();
	draft.apply(draft.value("a.x", 5)!);
	equal(values(draft)["a.x"], 5);
	await settled(draft);
	equal(origin.tokens.get("a.x"), 5);
	draft.undo();
	await settled(draft);
	equal(origin.tokens.get("a.x"), 1);
	draft.redo();
	await settled(draft);
	equal(origin.tokens.get("a.x"), 5);
	equal(draft.value("a.x", 5), null);
});

test("edits of other tokens are merged, those of the same token are offered", async () => {
	const [origin, draft] = await begin();
	origin.other("a.y", 7);
	draft.apply(draft.value("a.x", 5)!);
	await settled(draft);
	deepEqual(values(draft), { "a.x": 5, "a.y": 7, b: "{a.x}" });
	origin.other("a.x", 8);
	draft.apply(draft.value("a.x", 9)!);
	await settled(draft);
	equal(values(draft)["a.x"], 8);
	const [conflict] = draft.conflicts.value;
	deepEqual([conflict!.mine!.value, conflict!.theirs!.value], [9, 8]);
	draft.settle(conflict!, true);
	await settled(draft);
	equal(origin.tokens.get("a.x"), 9);
	equal(draft.conflicts.value.length, 0);
});

test("several own edits of one token are no conflict with each other", async () => {
	const [origin, draft] = await begin();
	origin.other("a.y", 7);
	draft.apply(draft.value("a.x", 5)!);
	draft.apply(draft.value("a.x", 6)!);
	await settled(draft);
	deepEqual([draft.conflicts.value.length, origin.tokens.get("a.x")], [0, 6]);
});

test("a refused edit is shown as refused and taken off the page", async () => {
	const [origin, draft] = await begin();
	origin.refuse = 400;
	draft.apply(draft.value("a.x", 5)!);
	await settled(draft);
	equal(draft.refused.value!.message, "no");
	equal(values(draft)["a.x"], 1);
	origin.refuse = 0;
	draft.retry();
	await settled(draft);
	equal(origin.tokens.get("a.x"), 5);
});

test("a rename takes its aliases along, and back", async () => {
	const [origin, draft] = await begin();
	draft.apply(draft.rename("a.x", "a.z")!);
	deepEqual(values(draft), { "a.z": 1, "a.y": 2, b: "{a.z}" });
	await settled(draft);
	equal(origin.tokens.get("b"), "{a.z}");
	draft.undo();
	await settled(draft);
	deepEqual(Object.fromEntries([...origin.tokens].sort()), { "a.x": 1, "a.y": 2, b: "{a.x}" });
});

test("a token comes with the groups that it lacks, and takes those along that are empty without it", () => {
	const value = { $value: 3 };
	const at = (operations: Operation[], ...paths: string[]) => spelled(operations, paths);
	deepEqual(at([{ operation: "add", path: "/n/o/p~1q", value }], "a.x"), [{ operation: "add", path: "/n", value: { o: { "p/q": value } } }]);
	deepEqual(at([{ operation: "add", path: "/a/q", value }], "a.x"), [{ operation: "add", path: "/a/q", value }]);
	deepEqual(at([{ operation: "add", path: "/n/o", value }, { operation: "add", path: "/n/p", value }]), [{ operation: "add", path: "/n", value: { o: value } }, { operation: "add", path: "/n/p", value }]);
	deepEqual(at([{ operation: "remove", path: "/n/o/p" }], "n.o.p", "a"), [{ operation: "remove", path: "/n" }]);
	deepEqual(at([{ operation: "remove", path: "/n/o/p" }], "n.o.p", "n.o"), [{ operation: "remove", path: "/n/o/p" }]); // the group has members of its own
	deepEqual(at([{ operation: "remove", path: "/n/a" }, { operation: "remove", path: "/n/b" }], "n.a", "n.b"), [{ operation: "remove", path: "/n/a" }, { operation: "remove", path: "/n" }]);
	deepEqual(at([{ operation: "remove", path: "/n/a/$description" }], "n.a"), [{ operation: "remove", path: "/n/a/$description" }]);
});

test("of two people who make a token in one new group neither loses it, also if one takes it back", async () => {
	const [origin, draft] = await begin();
	origin.other("n.y", 7);
	draft.apply(draft.put({ path: "n.x", type: null, resolvedType: null, inferred: false, value: 5, description: null, extensions: null })!);
	await settled(draft);
	deepEqual([origin.tokens.get("n.x"), origin.tokens.get("n.y")], [5, 7]);
	draft.undo();
	await settled(draft);
	deepEqual(origin.batches.map((b) => b[0]!.path), ["/n/x", "/n/x"]);
	deepEqual([origin.tokens.has("n.x"), origin.tokens.get("n.y")], [false, 7]);
});

test("what is moved into a group that there is not makes it, and the group that it empties goes", () => {
	deepEqual(spelled([{ operation: "move", from: "/a/x", path: "/b/c/x" }], ["a.x"]), [{ operation: "add", path: "/b", value: { c: {} } }, { operation: "move", from: "/a/x", path: "/b/c/x" }, { operation: "remove", path: "/a" }]);
	deepEqual(spelled([{ operation: "move", from: "/a", path: "/b" }, { operation: "move", from: "/b/x", path: "/b/y" }], ["a.x"]), [{ operation: "move", from: "/a", path: "/b" }, { operation: "move", from: "/b/x", path: "/b/y" }]);
});

test("a token whose removal is taken back stands where it stood", async () => {
	const [origin, draft] = await begin();
	draft.apply(draft.removal(["a.x"])!);
	await settled(draft);
	draft.undo();
	await settled(draft);
	deepEqual(origin.batches.at(-1)!.map((o) => [o.operation, o.from ?? "", o.path]), [["add", "", "/a/x"], ["add", "", "/moved-aside"], ["move", "/a/y", "/moved-aside/y"], ["move", "/moved-aside/y", "/a/y"], ["remove", "", "/moved-aside"]]);
	const only = (path: string): Token => ({ path, type: null, resolvedType: null, inferred: false, value: 1, description: null, extensions: null });
	const among = ["g.a", "h.b.c", "h.d", "k"].map(only);
	deepEqual(spelled([{ operation: "add", path: "/g/a", value: {}, among }], ["h.b.c", "h.d", "k"]).map((o) => o.path), ["/g", "/moved-aside", "/moved-aside/h", "/moved-aside/k", "/h", "/k", "/moved-aside"]);
});

test("a text is replaced in names of groups and tokens, and in the aliases of them", async () => {
	const [, draft] = await begin();
	const change = draft.renames(["a", "a.x"], "a", "z", "")!; // the token's own name does not have the text
	deepEqual(change.operations, [{ operation: "move", from: "/a", path: "/z" }, { operation: "replace", path: "/b/$value", value: "{z.x}" }]);
	deepEqual([...change.after.keys()], ["a.x", "z.x", "a.y", "z.y", "b"]);
	equal(draft.renames(["a.x"], "x", "y", ""), null); // taken
});

test("of edits that are sent together only the one that is wrong is refused", async () => {
	const [origin, draft] = await begin();
	origin.wrong = 99;
	draft.apply(draft.value("b", 3)!); // on its way while the others are made
	draft.apply(draft.value("a.x", 99)!);
	draft.apply(draft.value("a.y", 6)!);
	await settled(draft);
	deepEqual([origin.tokens.get("a.x"), origin.tokens.get("a.y"), origin.tokens.get("b")], [1, 6, 3]);
	deepEqual([...draft.refused.value!.change.after.keys()], ["a.x"]);
});

test("a step of many tokens loses only those that another person changed", async () => {
	const [origin, draft] = await begin();
	origin.other("a.y", 7);
	draft.apply(draft.values([["a.x", 5], ["a.y", 6]], "Replace")!);
	await settled(draft);
	deepEqual([origin.tokens.get("a.x"), origin.tokens.get("a.y")], [5, 7]);
	deepEqual(draft.conflicts.value.map((c) => c.path), ["a.y"]);
	draft.undo();
	await settled(draft);
	deepEqual([origin.tokens.get("a.x"), origin.tokens.get("a.y")], [1, 7]);
});

test("two edits of one token are not in conflict with each other", async () => {
	const [origin, draft] = await begin();
	globalThis.fetch = (async (address: string, init: RequestInit) => {
		const answer = await origin.fetch(address, init);
		if (origin.batches.length === 1 && origin.tokens.get("a.y") === 2) origin.other("a.y", 7);
		return answer;
	}) as typeof fetch;
	draft.apply(draft.value("b", 3)!); // on its way while the others are made
	draft.apply(draft.value("a.x", 5)!);
	draft.apply(draft.value("a.x", 6)!);
	await settled(draft);
	equal(draft.conflicts.value.length, 0);
	deepEqual([origin.tokens.get("a.x"), origin.tokens.get("a.y")], [6, 7]);
});

test("an origin that is too busy is not asked again at once", async () => {
	const [origin, draft] = await begin();
	origin.refuse = 503;
	draft.apply(draft.value("a.x", 5)!);
	await new Promise((resolve) => setTimeout(resolve, 50));
	equal(origin.requests, 1);
	origin.refuse = 0;
	draft.apply(draft.value("a.y", 6)!);
	await settled(draft);
	deepEqual([origin.tokens.get("a.x"), origin.tokens.get("a.y"), draft.error.value], [5, 6, null]);
});

test("a change that clashes with nothing of another person is refused, not sent again and again", async () => {
	const [origin, draft] = await begin();
	origin.refuse = 409;
	draft.apply(draft.value("a.x", 5)!);
	await settled(draft);
	equal(origin.requests, 1);
	equal(draft.refused.value!.change.label, "Set a.x");
});
