// The draft of a Theme or a Variant as a view edits it: edits show at once, are sent one after another, can be undone,
// and are merged token by token with what other people edit meanwhile.
import { batch, signal } from "@preact/signals-core";
import { ApiError, call, type Answer, type Schemas } from "../api/client";
import { clashing, merged, without, type Change, type Conflict } from "./change";
import { listen, onMissed, type Happening } from "./events";
import { spelled } from "./operations";
import { equal, pointer, type JSONValue, type Token } from "./token";
import { Tokens, type Group } from "./tokens";

type TokenSet = Schemas["ThemeTokenSetResource"]["resource"];
const undoSteps = 200;

export class Draft extends Tokens {
	readonly loaded = signal(false);
	readonly error = signal<Error | null>(null);
	/** A refusal of the latest change: what was wrong, and the change, so that it can be tried again. */
	readonly refused = signal<{ change: Change; message: string } | null>(null);
	readonly conflicts = signal<readonly Conflict[]>([]);
	readonly pending = signal<readonly Change[]>([]);
	/** Grows with every state of the server that was read or written: what previews and diagnostics depend on. */
	readonly revision = signal(0);
	/** Who else changed it last, and when. */
	readonly other = signal<{ by: string; at: number; paths: ReadonlySet<string> } | null>(null);
	readonly undoable = signal<readonly Change[]>([]);
	readonly redoable = signal<readonly Change[]>([]);

	#etag: string | null = null;
	/** Where the draft has tokens, and groups with members of their own, as the origin said it last. */
	#paths: readonly string[] = [];
	#sending = false;
	/** How many pending changes are sent one by one, since together they were refused. */
	#singly = 0;
	#stale = false;
	#editor = "";
	readonly #isMine: (event: Happening) => boolean;

	/** kind says of what the draft is; path is the address of its tokens. */
	constructor(kind: "theme" | "variant", readonly path: string, isMine: (event: Happening) => boolean) {
		super(kind);
		this.#isMine = isMine;
		void this.read();
	}

	/** Follows the edits of other people until the function it returns is called. */
	follow(): () => void {
		const again = (by: string): void => {
			this.#editor = by;
			this.#stale = true;
			void this.#work();
		};
		const ends = [listen((event) => this.#isMine(event) && again(event.by ?? "another person")), onMissed(() => again(""))];
		if (this.loaded.value) again("");
		return () => ends.forEach((end) => end());
	}

	/** Reads the state of the server. Edits that are not sent yet are laid over it. */
	async read(): Promise<void> {
		try {
			const headers = this.#etag && this.loaded.value ? { "If-None-Match": `"${this.#etag}"` } : undefined;
			const answer = await call<{ resource: TokenSet }>("GET", this.path, { headers, quiet: true });
			this.#take(answer, true);
			this.error.value = null;
		} catch (error) {
			if (error instanceof ApiError && error.status === 304) return;
			this.error.value = error as Error;
		}
	}

	#take(answer: Answer<{ resource: Partial<TokenSet> }>, whole: boolean): void {
		const set = answer.data.resource;
		batch(() => {
			this.#etag = set.etag ?? null;
			if (whole) {
				const next = (set.tokens ?? []) as unknown as Token[];
				this.#noteOthers(next);
				this.tokens.value = next;
				this.groups.value = (set.groups ?? []) as unknown as Group[];
				this.#paths = [...next, ...this.groups.value].map((one) => one.path).filter(Boolean);
				for (const change of this.pending.value) this.#lay(change);
			}
			this.loaded.value = true;
			this.revision.value++;
		});
	}

	#noteOthers(next: readonly Token[]): void {
		if (!this.loaded.value || !this.#editor) return;
		const mine = new Set(this.pending.value.flatMap((c) => [...c.after.keys()]));
		const paths = new Set<string>();
		for (const t of next) {
			const known = this.find(t.path);
			if (!mine.has(t.path) && known !== t && !equal(known as unknown as JSONValue, t as unknown as JSONValue)) paths.add(t.path);
		}
		if (paths.size > 0) this.other.value = { by: this.#editor, at: Date.now(), paths };
	}

	/** Shows a change before the server has it. */
	#lay(change: Change): void {
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
			this.#lay(change);
			this.pending.value = [...this.pending.value, change];
			this.undoable.value = [...this.undoable.value, change].slice(-undoSteps);
			this.redoable.value = [];
			this.refused.value = null;
		});
		void this.#work();
	}

	#replay(change: Change): void {
		batch(() => {
			this.#lay(change);
			this.pending.value = [...this.pending.value, change];
		});
		void this.#work();
	}

	undo(): Change | null {
		const change = this.undoable.value.at(-1);
		if (!change) return null;
		this.undoable.value = this.undoable.value.slice(0, -1);
		this.redoable.value = [...this.redoable.value, change];
		this.#replay({ ...change, label: `Undo: ${change.label}`, operations: change.inverse, inverse: change.operations, after: change.before, before: change.after, structural: true });
		return change;
	}

	redo(): Change | null {
		const change = this.redoable.value.at(-1);
		if (!change) return null;
		this.redoable.value = this.redoable.value.slice(0, -1);
		this.undoable.value = [...this.undoable.value, change];
		this.#replay(change);
		return change;
	}

	/** Sends what is pending and reads what is stale, one request at a time. */
	async #work(): Promise<void> {
		if (this.#sending) return;
		this.#sending = true;
		try {
			while (this.pending.value.length > 0 || this.#stale) {
				if (this.pending.value.length === 0) {
					this.#stale = false;
					await this.read();
					this.#editor = "";
					continue;
				}
				if (!(await this.#sendPending())) return;
			}
		} finally {
			this.#sending = false;
		}
	}

	async #sendPending(): Promise<boolean> {
		const changes = this.pending.value.slice(0, this.#singly > 0 ? 1 : undefined);
		const structural = changes.some((c) => c.structural);
		try {
			const answer = await call<{ resource: Partial<TokenSet> }>("PATCH", this.path, {
				body: { operations: structural ? spelled(changes.flatMap((c) => c.operations), this.#paths) : changes.flatMap((c) => c.operations) },
				query: { etag: this.#etag },
				headers: structural ? {} : { Prefer: "return=minimal" },
			});
			this.pending.value = this.pending.value.slice(changes.length);
			this.#singly = Math.max(0, this.#singly - 1);
			this.error.value = null;
			this.#take(answer, structural);
			return true;
		} catch (err) {
			return this.#failed(changes, err as ApiError);
		}
	}

	/** What follows from a request that failed; it returns whether the next one is sent at once. */
	async #failed(changes: readonly Change[], error: ApiError): Promise<boolean> {
		if (error.status !== 409 && error.status !== 412) return this.#drop(changes, error);
		try {
			return (await this.#merge(changes)) || this.#drop(changes, error);
		} catch (err) {
			return this.#drop(changes, err as ApiError);
		}
	}

	/**
	 * A refused change: what was shown is taken back, and the change is offered again. Of several that were sent together
	 * one alone may be wrong, so each is sent by itself. Without an answer they stay pending, and are sent again later.
	 */
	#drop(changes: readonly Change[], error: ApiError): boolean {
		if (!error.status || error.status === 401 || error.status >= 500 || error.status === 429) {
			this.error.value = error;
			setTimeout(() => void this.#work(), 2000);
			return false;
		}
		if (changes.length > 1) {
			this.#singly = changes.length;
			return true;
		}
		this.#singly = Math.max(0, this.#singly - 1);
		batch(() => {
			this.pending.value = this.pending.value.slice(changes.length);
			this.undoable.value = this.undoable.value.filter((c) => !changes.includes(c));
			const before = this.refused.value;
			const change = changes[0]!;
			this.refused.value = before
				? { change: merged(`${before.change.label}, ${change.label}`, [before.change, change]), message: error.message }
				: { change, message: error.message };
		});
		this.#stale = true;
		return true;
	}

	/**
	 * Reads what the other client made, and lays those changes over it that are about other tokens. It returns false if
	 * the draft is the one that is known: then the origin refused the change itself.
	 */
	async #merge(changes: readonly Change[]): Promise<boolean> {
		const answer = await call<{ resource: TokenSet }>("GET", this.path, { quiet: true });
		if (this.#etag !== null && answer.data.resource.etag === this.#etag) return false;
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
			this.#take(answer, true);
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
}

const drafts = new Map<string, Draft>();

/** The draft of the tokens at an address, if a view has opened it. */
export const openDraft = (path: string): Draft | undefined => drafts.get(path);

/** The draft of a Theme (variant null) or a Variant, one for all views. */
export function draftOf(environmentPath: string, theme: string, variant: string | null): Draft {
	const path = `${environmentPath}/themes/${theme}${variant ? `/variants/${variant}` : ""}/tokens`;
	let draft = drafts.get(path);
	if (!draft) {
		draft = new Draft(variant ? "variant" : "theme", path, (e) => e.theme === theme && (e.variant === variant || (variant !== null && (e.kind === "theme.published" || e.kind.startsWith("variants.")))));
		drafts.set(path, draft);
		for (const [old, d] of drafts) if (drafts.size > 8 && d !== draft && d.pending.value.length === 0) drafts.delete(old);
	}
	return draft;
}
