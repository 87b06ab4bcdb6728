// Values that know who has read them. A component that reads one while it is drawn is drawn again once it is another.
import { useMemo, useRef } from "../dom/hooks";

/** What a reader has read, and what it was then. */
type Seen = Map<Value<unknown>, unknown>;

/** An effect or a component: it runs if a value that it has seen becomes another. */
export interface Watcher {
	seen: Seen;
	watched: Set<Signal<unknown>>; // all signals that what it has seen depends on
	run: () => void;
}

let reading: Seen | undefined; // of the reader that runs
let time = 0; // grows whenever a signal becomes another
let batches = 0; // that run
const woken = new Set<Watcher>(); // watchers of what has changed

const differs = (seen: Seen): boolean => [...seen].some(([value, was]) => value.now() !== was);

function reads<T>(seen: Seen, f: () => T): T {
	const outer = reading;
	reading = seen;
	try {
		return f();
	} finally {
		reading = outer;
	}
}

export const watcher = (run: () => void): Watcher => ({ seen: new Map(), watched: new Set(), run });

/** Calls f, and has the watcher run if what f reads becomes another. */
export function observe<T>(w: Watcher, f: () => T): T {
	const made = reads((w.seen = new Map()), f);
	watch(w);
	if (differs(w.seen)) w.run(); // f changed what it had read
	return made;
}

export function unwatch(w: Watcher): void {
	w.seen.clear();
	watch(w);
}

/** Watches what a watcher has seen now, and nothing of before. */
function watch(w: Watcher): void {
	for (const s of w.watched) s.watchers.delete(w);
	w.watched.clear();
	for (const value of w.seen.keys()) value.visit((s) => s.watchers.add(w) && w.watched.add(s));
}

function wake(): void {
	while (batches === 0 && woken.size > 0) {
		const [w] = woken;
		woken.delete(w!);
		if (differs(w!.seen)) w!.run();
		else watch(w!);
	}
}

abstract class Value<T> {
	get value(): T {
		const now = this.now();
		reading?.set(this, now);
		return now;
	}
	/** The value, without a reader. */
	abstract now(): T;
	/** Calls f with each signal that it depends on. */
	abstract visit(f: (s: Signal<unknown>) => void): void;
}

export class Signal<T> extends Value<T> {
	readonly watchers = new Set<Watcher>();
	#held: T;
	constructor(value: T) {
		super();
		this.#held = value;
	}
	now(): T {
		return this.#held;
	}
	visit(f: (s: Signal<unknown>) => void): void {
		f(this as Signal<unknown>);
	}
	override get value(): T {
		return super.value;
	}
	override set value(next: T) {
		if (next === this.#held) return;
		this.#held = next;
		time++;
		for (const w of this.watchers) woken.add(w);
		wake();
	}
}

class Computed<T> extends Value<T> {
	#seen: Seen = new Map();
	#made?: { value: T; at: number };
	readonly #make: () => T;
	constructor(make: () => T) {
		super();
		this.#make = make;
	}
	now(): T {
		if (!this.#made || (this.#made.at !== time && differs(this.#seen))) this.#made = { value: reads((this.#seen = new Map()), this.#make), at: time };
		this.#made.at = time;
		return this.#made.value;
	}
	visit(f: (s: Signal<unknown>) => void): void {
		for (const value of this.#seen.keys()) value.visit(f);
	}
}

export const signal = <T>(value: T): Signal<T> => new Signal(value);

/** A value that is made of others, once for each state of them. */
export const computed = <T>(make: () => T): { readonly value: T } => new Computed(make);

/** Runs f now and whenever a value that it reads becomes another. */
export function effect(f: () => void): void {
	const w = watcher(() => observe(w, f));
	w.run();
}

/** Changes several signals as one. */
export function batch(f: () => void): void {
	batches++;
	try {
		f();
	} finally {
		batches--;
		wake();
	}
}

/** A signal of a component's own. */
export const useSignal = <T>(first: T): Signal<T> => useMemo(() => signal(first), []);

/** A computed value of a component. */
export function useComputed<T>(make: () => T): { readonly value: T } {
	const latest = useRef(make);
	latest.current = make;
	return useMemo(() => computed(() => latest.current()), []);
}
