// The changes that views make to a list of tokens.
import { blank, merged, object, type Change } from "./change";
import type { Operation } from "./operations";
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

	/** The paths of tokens and of groups. */
	readonly places = computed(() => {
		const paths = new Set<string>();
		for (const one of [...this.tokens.value, ...this.groups.value]) for (let at = one.path; at && !paths.has(at); at = parent(at)) paths.add(at);
		return paths;
	});

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

	/** What a group says itself. */
	groupAt = (path: string): Group => this.groups.value.find((g) => g.path === path) ?? { path, type: null, description: null };

	/** A change of a member of a Theme's token or group: its type (null: as its group says), description or, of a token, extensions. */
	member(path: string, name: "$type" | "$description" | "$extensions", value: JSONValue): Change | null {
		const token = this.find(path);
		const key = name.slice(1) as "type" | "description";
		const before = (token ?? this.groupAt(path))[key];
		if (this.kind === "variant" || equal(before, value)) return null;
		const at = `${pointer(path)}/${name}`;
		const to = (v: JSONValue): Operation => (v === null ? { operation: "remove", path: at } : { operation: "add", path: at, value: v });
		return this.#change(`Set ${name} of ${path}`, [to(value)], [to(before)], token ? [[path, token, { ...token, [key]: value } as Token]] : [], !token || name === "$type");
	}

	/** A token that is created, or takes the place of one as a whole. */
	put(token: Token): Change | null {
		const before = this.find(token.path) ?? null;
		if (this.kind === "variant") return this.value(token.path, token.value);
		const path = pointer(token.path);
		const inverse: Operation = before ? { operation: "replace", path, value: object(before) } : { operation: "remove", path };
		return this.#change(`${before ? "Replace" : "Add"} ${token.path}`, [{ operation: before ? "replace" : "add", path, value: object(token) }], [inverse], [[token.path, before, token]], true);
	}

	/** Removes tokens; of a Variant, its overrides. */
	removal(paths: readonly string[]): Change | null {
		const tokens = paths.map((path) => this.find(path)).filter((t) => t !== undefined);
		if (tokens.length === 0) return null;
		const label = tokens.length === 1 ? `Remove ${tokens[0]!.path}` : `Remove ${tokens.length} tokens`;
		const gone = tokens.map((t): [string, Token, null] => [t.path, t, null]);
		if (this.kind === "variant") {
			return this.#change(label, tokens.map((t) => ({ operation: "unset", path: t.path })), tokens.map((t) => ({ operation: "set", path: t.path, value: t.value })), gone);
		}
		const among = this.tokens.value;
		const back = tokens.toReversed().map((t): Operation => ({ operation: "add", path: pointer(t.path), value: object(t), among }));
		return this.#change(label, tokens.map((t) => ({ operation: "remove", path: pointer(t.path) })), back, gone, true);
	}

	/** Makes a group that has no tokens yet, or removes one that has none. Its description, if empty, has the origin list it. */
	group(path: string, made: boolean): Change {
		const { type, description } = this.groupAt(path);
		const add: Operation = { operation: "add", path: pointer(path), value: { ...(type === null ? {} : { $type: type }), $description: description ?? "" } };
		const remove: Operation = { operation: "remove", path: pointer(path) };
		return made ? this.#change(`Add ${path}`, [add], [remove], [], true) : this.#change(`Remove ${path}`, [remove], [add], [], true);
	}

	/** Renames a token or a group of a Theme together with the aliases that name it. */
	rename(from: string, to: string): Change | null {
		const inside = (path: string): boolean => path === from || path.startsWith(`${from}.`);
		return this.#moved(`Rename ${from} to ${to}`, [[from, to]], (path) => (inside(path) ? to + path.slice(from.length) : path));
	}

	/**
	 * Renames the tokens and groups at these paths, each with a text in its own name replaced, together with the aliases that
	 * name them; null if a name is taken.
	 */
	renames(paths: readonly string[], from: string, to: string, label: string): Change | null {
		const chosen = new Set(paths);
		/** The path after the first n groups of it were renamed. */
		const partly = (path: string, n: number): string => {
			let whole = "";
			return path.split(".").map((name, i) => {
				whole += (whole && ".") + name;
				return i < n && chosen.has(whole) ? name.replaceAll(from, to) : name;
			}).join(".");
		};
		const at = (path: string): string => partly(path, Infinity);
		const list = paths.map((path) => ({ path, depth: path.split(".").length })).sort((a, b) => a.depth - b.depth); // a group before what is in it
		if (paths.some((path) => this.places.value.has(at(path)))) return null;
		return this.#moved(label, list.map(({ path, depth }) => [partly(path, depth - 1), at(path)]), at);
	}

	/** Moves tokens and groups, one after another; at says where a path is then. */
	#moved(label: string, all: readonly [string, string][], at: (path: string) => string): Change | null {
		const moves = all.filter(([from, to]) => from !== to);
		if (this.kind === "variant" || moves.length === 0) return null;
		const operations = moves.map(([from, to]): Operation => ({ operation: "move", from: pointer(from), path: pointer(to) }));
		const inverse = moves.toReversed().map(([from, to]): Operation => ({ operation: "move", from: pointer(to), path: pointer(from) }));
		const tokens: [string, Token | null, Token | null][] = [];
		for (const t of this.tokens.value) {
			const value = renameAliases(t.value, at);
			const path = at(t.path);
			if (!equal(value, t.value)) {
				operations.push({ operation: "replace", path: `${pointer(path)}/$value`, value });
				inverse.unshift({ operation: "replace", path: `${pointer(path)}/$value`, value: t.value });
			}
			if (path !== t.path) tokens.push([t.path, t, null], [path, null, { ...t, path, value }]);
			else if (!equal(value, t.value)) tokens.push([path, t, { ...t, value }]);
		}
		return this.#change(label, operations, inverse, tokens, true);
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
