// The overrides of the Variants of a Theme that a view shows: read with the pages of their list, kept by events, and changed
// by the batch API.
import { signal } from "@preact/signals-core";
import { ApiError, call, get, themePath, variantPath, type Page, type Query, type Variant } from "../api/client";
import { listen, onMissed, type Happening } from "./events";
import { usePages, type Paged, type ReadPage } from "./pages";
import { equal, type JSONValue, type Token } from "./token";

export type Overrides = ReadonlyMap<string, JSONValue>;
export interface Edit {
	variant: string;
	path: string;
	value: JSONValue | undefined; // undefined ends the override
}
interface ListedOverrides {
	variant: string;
	etag: string | null;
	overrides: Record<string, JSONValue>;
}

const none: Overrides = new Map();
const steps = 200;

export class VariantOverrides {
	/** By the id of the Variant; one that is missing is not read yet. */
	readonly rows = signal<ReadonlyMap<string, Overrides>>(new Map());
	readonly error = signal<Error | null>(null);
	readonly undoable = signal<readonly Edit[][]>([]);
	readonly redoable = signal<readonly Edit[][]>([]);

	#queue: Promise<unknown> = Promise.resolve();
	#writing = 0; // batches that are not answered yet
	#stale = new Map<string, string | null>(); // by id, the draft's ETag that an event named
	#etags = new Map<string, string | null>(); // of the drafts, for all Variants whose overrides are known
	#refreshing = false;
	#read = new Map<string, { count: number; next?: string | null }>(); // by the order and filters of a list, how far it is read

	constructor(readonly environment: string, readonly theme: string) {}

	of = (variant: string): Overrides => this.rows.value.get(variant) ?? none;

	/** Reads a page of the Theme's Variants, and the overrides of those on it that are not known. */
	page: ReadPage<Variant> = async (query, before) => {
		const path = themePath(this.environment, this.theme);
		const page = await get<Page<Variant>>(`${path}/variants`, query);
		const { after, includeTotals, pageSize, ...rest } = query;
		const key = JSON.stringify(rest);
		while (page.items.some((v) => !this.#etags.has(v.id))) {
			const read = this.#read.get(key) ?? { count: 0, next: "" };
			this.#read.set(key, read);
			// Those that are before this place were created meanwhile: an event tells of them.
			if (read.count >= before + 2 * page.items.length || read.next == null) break;
			const from = read.next;
			const { items, next } = await get<Page<ListedOverrides>>(`${path}/tokens/overrides`, { ...rest, pageSize, after: from }, { quiet: true });
			if (this.#read.get(key) !== read || read.next !== from) continue; // another request was faster
			this.#put(items);
			read.count += items.length;
			read.next = next;
		}
		return page;
	};

	#put(items: readonly ListedOverrides[]): void {
		for (const { variant, etag } of items) this.#etags.set(variant, etag);
		this.rows.value = new Map([...this.rows.value, ...items.map(({ variant, overrides }) => [variant, new Map(Object.entries(overrides))] as const)]);
	}

	/** Follows what other people change until the function it returns is called. */
	follow(): () => void {
		const forget = (): void => {
			this.#etags.clear();
			this.#read.clear();
		};
		const stops = [onMissed(forget), listen((event: Happening & { etag?: string | null }) => {
			if (event.theme === this.theme && event.count) forget();
			if (event.theme !== this.theme || !event.variant) return;
			if (event.kind === "variant.deleted") {
				const rows = new Map(this.rows.value);
				rows.delete(event.variant);
				this.rows.value = rows;
				return;
			}
			this.#stale.set(event.variant, event.etag ?? null);
			void this.#refresh();
		})];
		return () => stops.forEach((stop) => stop());
	}

	/** Reads what is stale, one Variant at a time, and not while an edit is on its way. What an event tells of an own edit is known. */
	async #refresh(): Promise<void> {
		if (this.#refreshing) return;
		this.#refreshing = true;
		for (const [id, etag] of this.#stale) {
			if (this.#writing > 0) break;
			this.#stale.delete(id);
			if (etag && this.#etags.get(id) === etag) continue;
			try {
				const { resource } = await get<{ resource: { etag: string | null; tokens: Token[] } }>(`${variantPath(this.environment, this.theme, id)}/tokens`, undefined, { quiet: true });
				if (this.#writing > 0) this.#stale.set(id, null);
				else this.#put([{ variant: id, etag: resource.etag, overrides: Object.fromEntries(resource.tokens.map((o) => [o.path, o.value])) }]);
			} catch (error) {
				if (!(error instanceof ApiError && error.status === 404)) this.error.value = error as Error;
			}
		}
		this.#refreshing = false;
	}

	/** Makes edits: shown at once, sent in their order. It fails as the API says, and then the cells are as they were. */
	edit(edits: readonly Edit[]): Promise<void> {
		const real = edits.filter((e) => !equal(this.of(e.variant).get(e.path), e.value) || this.of(e.variant).has(e.path) !== (e.value !== undefined));
		if (real.length === 0) return Promise.resolve();
		const inverse = real.map((e) => ({ ...e, value: this.of(e.variant).get(e.path) }));
		this.undoable.value = [...this.undoable.value, inverse].slice(-steps);
		this.redoable.value = [];
		return this.#send(real);
	}

	undo(): Promise<void> {
		return this.#step(this.undoable, this.redoable);
	}

	redo(): Promise<void> {
		return this.#step(this.redoable, this.undoable);
	}

	#step(from: typeof this.undoable, to: typeof this.undoable): Promise<void> {
		const edits = from.value.at(-1);
		if (!edits) return Promise.resolve();
		from.value = from.value.slice(0, -1);
		to.value = [...to.value, edits.map((e) => ({ ...e, value: this.of(e.variant).get(e.path) }))];
		return this.#send(edits);
	}

	#send(edits: readonly Edit[]): Promise<void> {
		this.#lay(edits);
		this.#writing++;
		const sent = this.#queue.then(async () => {
			try {
				const { data } = await call<{ changed: { id: string; etag: string | null }[] }>("POST", `${themePath(this.environment, this.theme)}/variants/batch`, { body: { change: changes(edits) }, headers: { Prefer: "return=minimal" } });
				for (const { id, etag } of data.changed) this.#etags.set(id, etag);
			} catch (error) {
				this.undoable.value = [];
				this.redoable.value = [];
				for (const e of edits) this.#stale.set(e.variant, null);
				throw error;
			} finally {
				if (--this.#writing === 0) void this.#refresh();
			}
		});
		this.#queue = sent.catch(() => undefined);
		return sent;
	}

	#lay(edits: readonly Edit[]): void {
		const rows = new Map(this.rows.value);
		const copied = new Map<string, Map<string, JSONValue>>();
		for (const { variant, path, value } of edits) {
			const row = copied.get(variant) ?? new Map(rows.get(variant));
			if (value === undefined) row.delete(path);
			else row.set(path, value);
			copied.set(variant, row);
		}
		for (const [id, row] of copied) rows.set(id, row);
		this.rows.value = rows;
	}
}

/** The changes of a batch request that make edits, in their order for each Variant. */
export function changes(edits: readonly Edit[]): { id: string; operations: ({ operation: "set"; path: string; value: JSONValue } | { operation: "unset"; path: string })[] }[] {
	const byVariant = new Map<string, ReturnType<typeof changes>[number]>();
	for (const { variant, path, value } of edits) {
		let change = byVariant.get(variant);
		if (!change) byVariant.set(variant, (change = { id: variant, operations: [] }));
		change.operations.push(value === undefined ? { operation: "unset", path } : { operation: "set", path, value });
	}
	return [...byVariant.values()];
}

let latest: VariantOverrides | null = null;

/** The overrides of a Theme's Variants, one for all views; those of the Theme before are forgotten. */
export function overridesOf(environment: string, theme: string): VariantOverrides {
	if (latest?.environment !== environment || latest.theme !== theme) latest = new VariantOverrides(environment, theme);
	return latest;
}

/** A page of the Variants of a Theme, with their overrides. */
export function useVariants(overrides: VariantOverrides, query: Query): Paged<Variant> {
	return usePages(`variants ${overrides.theme}`, { includeTotals: true, ...query }, overrides.page);
}
