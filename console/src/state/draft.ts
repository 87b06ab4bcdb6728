// The draft of a Theme or a Variant as a view edits it: edits show at once, are sent one after another, can be undone,
// and are merged token by token with what other people edit meanwhile.
import { batch, computed, signal } from "@preact/signals";
import { ApiError, call, type Answer, type Schemas } from "../api/client";
import { caller } from "../api/session";
import { listen, onMissed, type Happening } from "./events";
import { equal, parent, pointer, renameAliases, type JSONValue, type Token } from "./token";

export interface Operation {
	operation: "add" | "replace" | "remove" | "move" | "copy" | "set" | "unset";
	path: string;
	from?: string;
	value?: JSONValue;
}

/** One step of editing: what it does, what takes it back, and the tokens that it is about. */
export interface Change {
	label: string;
	operations: Operation[];
	inverse: Operation[];
	/** The tokens as they are after it; null for one that is removed. */
	after: Map<string, Token | null>;
	/** The tokens as they were when it was made. */
	before: Map<string, Token | null>;
	/** The list has to be read again after it: groups, order or inherited types may be others. */
	structural: boolean;
}

export interface Conflict {
	path: string;
	mine: Token | null;
	theirs: Token | null;
	change: Change;
}

export interface Group {
	path: string;
	type: string | null;
	description: string | null;
}

type TokenSet = Schemas["ThemeTokenSetResource"]["resource"];
const undoSteps = 200;

export class Draft {
	readonly tokens = signal<readonly Token[]>([]);
	readonly groups = signal<readonly Group[]>([]);
	readonly loaded = signal(false);
	readonly error = signal<Error | null>(null);
	/** A refusal of the latest change: what was wrong, and the change, so that it can be tried again. */
	readonly refused = signal<{ change: Change; message: string } | null>(null);
	readonly conflicts = signal<readonly Conflict[]>([]);
	readonly pending = signal<readonly Change[]>([]);
	readonly latestVersion = signal<number | null>(null);
	readonly hasUnpublishedChanges = signal(false);
	/** Grows with every state of the server that was read or written: what previews and diagnostics depend on. */
	readonly revision = signal(0);
	/** Who else changed it last, and when. */
	readonly other = signal<{ by: string; at: number; paths: ReadonlySet<string> } | null>(null);
	readonly undoable = signal<readonly Change[]>([]);
	readonly redoable = signal<readonly Change[]>([]);
	readonly byPath = computed(() => new Map(this.tokens.value.map((t) => [t.path, t])));

	private etag: string | null = null;
	private sending = false;
	/** How many pending changes are sent one by one, since together they were refused. */
	private singly = 0;
	private stale = false;
	private editor = "";

	/** kind says of what the draft is; path is the address of its tokens. */
	constructor(readonly kind: "theme" | "variant", readonly path: string, private readonly isMine: (event: Happening) => boolean) {
		void this.read();
	}

	find = (path: string): Token | undefined => this.byPath.value.get(path);

	/** Follows the edits of other people until the function it returns is called. */
	follow(): () => void {
		const again = (by: string): void => {
			this.editor = by;
			this.stale = true;
			void this.work();
		};
		const ends = [listen((event) => this.isMine(event) && again(event.by)), onMissed(() => again(""))];
		if (this.loaded.value) again("");
		return () => ends.forEach((end) => end());
	}

	/** Reads the state of the server. Edits that are not sent yet are laid over it. */
	async read(): Promise<void> {
		try {
			const headers = this.etag && this.loaded.value ? { "If-None-Match": `"${this.etag}"` } : undefined;
			const answer = await call<{ resource: TokenSet }>("GET", this.path, { headers, quiet: true });
			this.take(answer, true);
			this.error.value = null;
		} catch (error) {
			if (error instanceof ApiError && error.status === 304) return;
			this.error.value = error as Error;
		}
	}

	private take(answer: Answer<{ resource: Partial<TokenSet> }>, whole: boolean): void {
		const set = answer.data.resource;
		batch(() => {
			this.etag = set.etag ?? null;
			this.latestVersion.value = set.latestVersion ?? null;
			this.hasUnpublishedChanges.value = set.hasUnpublishedChanges ?? false;
			if (whole) {
				const next = (set.tokens ?? []) as unknown as Token[];
				this.noteOthers(next);
				this.tokens.value = next;
				this.groups.value = (set.groups ?? []) as unknown as Group[];
				for (const change of this.pending.value) this.lay(change);
			}
			this.loaded.value = true;
			this.revision.value++;
		});
	}

	private noteOthers(next: readonly Token[]): void {
		if (!this.loaded.value || !this.editor) return;
		const mine = new Set(this.pending.value.flatMap((c) => [...c.after.keys()]));
		const paths = new Set<string>();
		for (const t of next) {
			const known = this.find(t.path);
			if (!mine.has(t.path) && known !== t && !equal(known as unknown as JSONValue, t as unknown as JSONValue)) paths.add(t.path);
		}
		if (paths.size > 0) this.other.value = { by: this.editor, at: Date.now(), paths };
	}

	/** Shows a change before the server has it. */
	private lay(change: Change): void {
		const rest = new Map(change.after);
		const moved = new Map(change.operations.filter((o) => o.operation === "move").map((o) => [o.from, o.path]));
		const next: Token[] = [];
		for (const t of this.tokens.value) {
			if (!rest.has(t.path)) {
				next.push(t);
				continue;
			}
			const after = rest.get(t.path);
			rest.delete(t.path);
			if (after) next.push(after);
			const to = moved.get(pointer(t.path));
			if (!after && to !== undefined) {
				for (const [path, token] of rest) {
					if (token && pointer(path) === to) {
						next.push(token);
						rest.delete(path);
					}
				}
			}
		}
		for (const token of rest.values()) if (token) next.push(token);
		this.tokens.value = next;
	}

	/** Makes a change: shown at once, sent after those before it. */
	apply(change: Change): void {
		batch(() => {
			this.lay(change);
			this.pending.value = [...this.pending.value, change];
			this.undoable.value = [...this.undoable.value, change].slice(-undoSteps);
			this.redoable.value = [];
			this.refused.value = null;
		});
		void this.work();
	}

	private replay(change: Change): void {
		batch(() => {
			this.lay(change);
			this.pending.value = [...this.pending.value, change];
		});
		void this.work();
	}

	undo(): Change | null {
		const change = this.undoable.value.at(-1);
		if (!change) return null;
		this.undoable.value = this.undoable.value.slice(0, -1);
		this.redoable.value = [...this.redoable.value, change];
		this.replay({ ...change, label: `Undo: ${change.label}`, operations: change.inverse, inverse: change.operations, after: change.before, before: change.after, structural: true });
		return change;
	}

	redo(): Change | null {
		const change = this.redoable.value.at(-1);
		if (!change) return null;
		this.redoable.value = this.redoable.value.slice(0, -1);
		this.undoable.value = [...this.undoable.value, change];
		this.replay(change);
		return change;
	}

	/** Sends what is pending and reads what is stale, one request at a time. */
	private async work(): Promise<void> {
		if (this.sending) return;
		this.sending = true;
		try {
			while (this.pending.value.length > 0 || this.stale) {
				if (this.pending.value.length === 0) {
					this.stale = false;
					await this.read();
					this.editor = "";
					continue;
				}
				if (!(await this.sendPending())) return;
			}
		} finally {
			this.sending = false;
		}
	}

	private async sendPending(): Promise<boolean> {
		const changes = this.pending.value.slice(0, this.singly > 0 ? 1 : undefined);
		const structural = changes.some((c) => c.structural);
		try {
			const answer = await call<{ resource: Partial<TokenSet> }>("PATCH", this.path, {
				body: { operations: changes.flatMap((c) => c.operations) },
				query: { etag: this.etag },
				headers: structural ? {} : { Prefer: "return=minimal" },
			});
			this.pending.value = this.pending.value.slice(changes.length);
			this.singly = Math.max(0, this.singly - 1);
			this.error.value = null;
			this.take(answer, structural);
			return true;
		} catch (err) {
			return this.failed(changes, err as ApiError);
		}
	}

	/** What follows from a request that failed; it returns whether the next one is sent at once. */
	private async failed(changes: readonly Change[], error: ApiError): Promise<boolean> {
		if (error.status !== 409 && error.status !== 412) return this.drop(changes, error);
		try {
			return (await this.merge(changes)) || this.drop(changes, error);
		} catch (err) {
			return this.drop(changes, err as ApiError);
		}
	}

	/**
	 * A refused change: what was shown is taken back, and the change is offered again. Of several that were sent together
	 * one alone may be wrong, so each is sent by itself. Without an answer they stay pending, and are sent again later.
	 */
	private drop(changes: readonly Change[], error: ApiError): boolean {
		if (!error.status || error.status === 401 || error.status >= 500 || error.status === 429) {
			this.error.value = error;
			setTimeout(() => void this.work(), 2000);
			return false;
		}
		if (changes.length > 1) {
			this.singly = changes.length;
			return true;
		}
		this.singly = Math.max(0, this.singly - 1);
		batch(() => {
			this.pending.value = this.pending.value.slice(changes.length);
			this.undoable.value = this.undoable.value.filter((c) => !changes.includes(c));
			const before = this.refused.value;
			const change = changes[0]!;
			this.refused.value = before
				? { change: merged(`${before.change.label}, ${change.label}`, [before.change, change]), message: error.message }
				: { change, message: error.message };
		});
		this.stale = true;
		return true;
	}

	/**
	 * Reads what the other client made, and lays those changes over it that are about other tokens. It returns false if
	 * the draft is the one that is known: then the origin refused the change itself.
	 */
	private async merge(changes: readonly Change[]): Promise<boolean> {
		const answer = await call<{ resource: TokenSet }>("GET", this.path, { quiet: true });
		if (this.etag !== null && answer.data.resource.etag === this.etag) return false;
		const theirs = new Map((answer.data.resource.tokens as unknown as Token[]).map((t) => [t.path, t]));
		const found = new Map<string, Conflict>();
		const left = new Map<Change, Change | null>();
		for (const change of changes) {
			const clashes = clashing(change, theirs);
			for (const c of clashes) found.set(c.path, c);
			const rest = clashes.length > 0 ? without(change, new Set(clashes.map((c) => c.path))) : change;
			left.set(change, rest);
			for (const [path, mine] of rest?.after ?? []) mine ? theirs.set(path, mine) : theirs.delete(path);
		}
		const kept = (list: readonly Change[]): Change[] => list.map((c) => (left.has(c) ? left.get(c)! : c)).filter((c) => c !== null);
		batch(() => {
			this.pending.value = kept(this.pending.value);
			this.undoable.value = kept(this.undoable.value);
			this.conflicts.value = [...this.conflicts.value.filter((c) => !found.has(c.path)), ...found.values()];
			this.take(answer, true);
		});
		return true;
	}

	/** Ends a conflict: the other value stays, or the own one takes its place. */
	settle(conflict: Conflict, mine: boolean): void {
		this.conflicts.value = this.conflicts.value.filter((c) => c !== conflict);
		if (!mine) return;
		const change = conflict.mine ? this.put(conflict.mine) : this.removal([conflict.path]);
		if (change) this.apply(change);
	}

	/** Tries a refused change again. */
	retry(): void {
		const refused = this.refused.value;
		if (refused) this.apply(refused.change);
	}

	// --- the changes that views make ---

	/** A change of a token's value. */
	value(path: string, value: JSONValue, label = `Set ${path}`): Change | null {
		const before = this.find(path) ?? null;
		if (before && equal(before.value, value)) return null;
		if (!before && this.kind === "theme") return this.put({ ...blank(path), value });
		const after: Token = { ...(before ?? blank(path)), value };
		const at = `${pointer(path)}/$value`;
		return this.kind === "variant"
			? this.change(label, [{ operation: "set", path, value }], [before ? { operation: "set", path, value: before.value } : { operation: "unset", path }], [[path, before, after]])
			: this.change(label, [{ operation: "replace", path: at, value }], [{ operation: "replace", path: at, value: before!.value }], [[path, before, after]], before!.type === null);
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
		return this.change(`Set ${name} of ${path}`, [to(value)], [to(before[key])], [[path, before, { ...before, [key]: value } as Token]], name === "$type");
	}

	/** A token that is created, or takes the place of one as a whole. */
	put(token: Token): Change | null {
		const before = this.find(token.path) ?? null;
		if (this.kind === "variant") return this.value(token.path, token.value);
		const group = this.missing(token.path);
		let value: JSONValue = object(token);
		const names = token.path.slice(group.length).split(".").filter(Boolean);
		for (const name of names.reverse()) value = { [name]: value };
		const at = group || token.path;
		const inverse: Operation[] = before ? [{ operation: "replace", path: pointer(at), value: object(before) }] : [{ operation: "remove", path: pointer(at) }];
		return this.change(`${before ? "Replace" : "Add"} ${token.path}`, [{ operation: before ? "replace" : "add", path: pointer(at), value }], inverse, [[token.path, before, token]], true);
	}

	/** The topmost group above a new token that does not exist yet; the path itself if all exist. */
	private missing(path: string): string {
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
			return this.change(label, tokens.map((t) => ({ operation: "unset", path: t.path })), tokens.map((t) => ({ operation: "set", path: t.path, value: t.value })), tokens.map((t) => [t.path, t, null]));
		}
		return this.change(
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
		return tokens.length > 0 ? this.change(`Rename ${from} to ${to}`, operations, inverse, tokens, true) : null;
	}

	private change(label: string, operations: Operation[], inverse: Operation[], tokens: [string, Token | null, Token | null][], structural = false): Change {
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

function content(t: Token | null): JSONValue {
	return t && [t.type, t.value, t.description, t.extensions];
}

/** The tokens of a change that another client made different from what they were when it was made. */
function clashing(change: Change, theirs: ReadonlyMap<string, Token>): Conflict[] {
	const same = (a: Token | null, b: Token | null): boolean => equal(content(a), content(b));
	const list: Conflict[] = [];
	for (const [path, mine] of change.after) {
		const now = theirs.get(path) ?? null;
		if (!same(now, change.before.get(path) ?? null) && !same(now, mine)) list.push({ path, mine, theirs: now, change });
	}
	return list;
}

/** The part of a change that is about other tokens than these; null if it cannot be divided so, or nothing is left. */
function without(change: Change, paths: ReadonlySet<string>): Change | null {
	const own = new Map([...paths].map((path) => [pointer(path), path]));
	const of = (o: Operation): string | undefined => (paths.has(o.path) ? o.path : own.get(o.path.replace(/\/\$(value|type|description|extensions)$/, "")));
	const known = new Set(change.operations.map(of));
	if (change.operations.some((o) => o.operation === "move") || [...paths].some((path) => !known.has(path))) return null;
	const rest = <T>(map: Map<string, T>): Map<string, T> => new Map([...map].filter(([path]) => !paths.has(path)));
	const operations = change.operations.filter((o) => !of(o));
	if (operations.length === 0) return null;
	return { ...change, operations, inverse: change.inverse.filter((o) => !of(o)), before: rest(change.before), after: rest(change.after) };
}

/** Several changes as one step. */
export function merged(label: string, parts: readonly Change[]): Change {
	return {
		label,
		operations: parts.flatMap((p) => p.operations),
		inverse: parts.toReversed().flatMap((p) => p.inverse),
		before: new Map(parts.toReversed().flatMap((p) => [...p.before])),
		after: new Map(parts.flatMap((p) => [...p.after])),
		structural: parts.some((p) => p.structural),
	};
}

export function blank(path: string): Token {
	return { path, type: null, resolvedType: null, inferred: false, value: null, description: null, extensions: null };
}

function object(t: Token): JSONValue {
	return {
		...(t.type === null ? {} : { $type: t.type }),
		$value: t.value,
		...(t.description === null ? {} : { $description: t.description }),
		...(t.extensions === null ? {} : { $extensions: t.extensions }),
	};
}

const drafts = new Map<string, Draft>();

/** The draft of the tokens at an address, if a view has opened it. */
export const openDraft = (path: string): Draft | undefined => drafts.get(path);

/** The draft of a Theme (variant null) or a Variant, one for all views. */
export function draftOf(environmentPath: string, theme: string, variant: string | null): Draft {
	const path = `${environmentPath}/themes/${theme}${variant ? `/variants/${variant}` : ""}/tokens`;
	let draft = drafts.get(path);
	if (!draft) {
		draft = new Draft(variant ? "variant" : "theme", path, (e) => e.theme === theme && (e.variant === variant || (variant !== null && e.kind === "theme.published")));
		drafts.set(path, draft);
		for (const [old, d] of drafts) if (drafts.size > 8 && d !== draft && d.pending.value.length === 0) drafts.delete(old);
	}
	return draft;
}

export function forgetDrafts(): void {
	drafts.clear();
}

export const me = (): string => caller.value?.subject ?? "";
