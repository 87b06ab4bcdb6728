// The changes that views make to a list of tokens.
import { blank, merged, object, type Change, type Operation } from "./change";
import { computed, signal } from "@preact/signals-core";
import { equal, parent, pointer, renameAliases, type JSONValue, type Token } from "./token";

export interface Group {
	path: string;
	type: string | null;
	description: string | null;
}

/** The tokens of a Theme, or the overrides of a Variant, and what can be changed in them. No method changes anything. */
export class Tokens {
	readonly tokens = signal<readonly Token[]>([]);
	readonly groups = signal<readonly Group[]>([]);
	readonly byPath = computed(() => new Map(this.tokens.value.map((t) => [t.path, t])));

	constructor(readonly kind: "theme" | "variant") {}

	find = (path: string): Token | undefined => this.byPath.value.get(path);

	/** A change of a token's value. */
	value(path: string, value: JSONValue, label = `Set ${path}`): Change | null {
		const before = this.find(path) ?? null;
		if (before && equal(before.value, value)) return null;
		if (!before && this.kind === "theme") return this.put({ ...blank(path), value });
		const after: Token = { ...(before ?? blank(path)), value };
		const at = `${pointer(path)}/$value`;
		return this.kind === "variant"
			? this.#change(label, [{ operation: "set", path, value }], [before ? { operation: "set", path, value: before.value } : { operation: "unset", path }], [[path, before, after]])
			: this.#change(label, [{ operation: "replace", path: at, value }], [{ operation: "replace", path: at, value: before!.value }], [[path, before, after]], before!.type === null);
	}

	/** Many values in one step. */
	values(values: Iterable<[string, JSONValue]>, label: string): Change | null {
		const parts = [...values].map(([path, value]) => this.value(path, value)).filter((c) => c !== null);
		return parts.length > 0 ? merged(label, parts) : null;
	}

	/** A change of a Theme token's type (null: as its group says), description or extensions. */
	member(path: string, name: "$type" | "$description" | "$extensions", value: JSONValue): Change | null {
		const before = this.find(path);
		const key = name.slice(1) as "type" | "description" | "extensions";
		if (!before || this.kind === "variant" || equal(before[key], value)) return null;
		const at = `${pointer(path)}/${name}`;
		const to = (v: JSONValue): Operation => (v === null ? { operation: "remove", path: at } : { operation: "add", path: at, value: v });
		return this.#change(`Set ${name} of ${path}`, [to(value)], [to(before[key])], [[path, before, { ...before, [key]: value } as Token]], name === "$type");
	}

	/** A token that is created, or takes the place of one as a whole. */
	put(token: Token): Change | null {
		const before = this.find(token.path) ?? null;
		if (this.kind === "variant") return this.value(token.path, token.value);
		const group = this.#missing(token.path);
		let value: JSONValue = object(token);
		const names = token.path.slice(group.length).split(".").filter(Boolean);
		for (const name of names.reverse()) value = { [name]: value };
		const at = group || token.path;
		const inverse: Operation[] = before ? [{ operation: "replace", path: pointer(at), value: object(before) }] : [{ operation: "remove", path: pointer(at) }];
		return this.#change(`${before ? "Replace" : "Add"} ${token.path}`, [{ operation: before ? "replace" : "add", path: pointer(at), value }], inverse, [[token.path, before, token]], true);
	}

	/** The topmost group above a new token that does not exist yet; the path itself if all exist. */
	#missing(path: string): string {
		const known = (group: string): boolean => this.tokens.value.some((t) => t.path.startsWith(`${group}.`)) || this.groups.value.some((g) => g.path === group);
		let at = path;
		for (let group = parent(path); group && !known(group); group = parent(group)) at = group;
		return at;
	}

	/** Removes tokens; of a Variant, its overrides. */
	removal(paths: readonly string[]): Change | null {
		const tokens = paths.map((path) => this.find(path)).filter((t) => t !== undefined);
		if (tokens.length === 0) return null;
		const label = tokens.length === 1 ? `Remove ${tokens[0]!.path}` : `Remove ${tokens.length} tokens`;
		if (this.kind === "variant") {
			return this.#change(label, tokens.map((t) => ({ operation: "unset", path: t.path })), tokens.map((t) => ({ operation: "set", path: t.path, value: t.value })), tokens.map((t) => [t.path, t, null]));
		}
		return this.#change(
			label,
			tokens.map((t) => ({ operation: "remove", path: pointer(t.path) })),
			tokens.map((t) => ({ operation: "add", path: pointer(t.path), value: object(t) })),
			tokens.map((t) => [t.path, t, null]),
			true,
		);
	}

	/** Renames a token or a group of a Theme together with the aliases that name it. */
	rename(from: string, to: string): Change | null {
		if (this.kind === "variant" || from === to) return null;
		const inside = (path: string): boolean => path === from || path.startsWith(`${from}.`);
		const at = (path: string): string => (inside(path) ? to + path.slice(from.length) : path);
		const operations: Operation[] = [{ operation: "move", from: pointer(from), path: pointer(to) }];
		const inverse: Operation[] = [{ operation: "move", from: pointer(to), path: pointer(from) }];
		const tokens: [string, Token | null, Token | null][] = [];
		for (const t of this.tokens.value) {
			const value = renameAliases(t.value, from, to);
			const path = at(t.path);
			if (!equal(value, t.value)) {
				operations.push({ operation: "replace", path: `${pointer(path)}/$value`, value });
				inverse.unshift({ operation: "replace", path: `${pointer(path)}/$value`, value: t.value });
			}
			if (path !== t.path) tokens.push([t.path, t, null], [path, null, { ...t, path, value }]);
			else if (!equal(value, t.value)) tokens.push([path, t, { ...t, value }]);
		}
		return tokens.length > 0 ? this.#change(`Rename ${from} to ${to}`, operations, inverse, tokens, true) : null;
	}

	#change(label: string, operations: Operation[], inverse: Operation[], tokens: [string, Token | null, Token | null][], structural = false): Change {
		return {
			label,
			operations,
			inverse,
			structural,
			before: new Map(tokens.map(([path, before]) => [path, before])),
			after: new Map(tokens.map(([path, , after]) => [path, after])),
		};
	}
}
