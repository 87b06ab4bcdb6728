// What a component keeps from one drawing to the next.
import type { Drawn } from "./render";

export interface Hook {
	value?: unknown;
	deps?: readonly unknown[];
	begin?: () => unknown; // of an effect
	end?: unknown; // what takes it back: a function, or nothing
}

type End = void | (() => void);

let of: Drawn; // the component that is drawn
let at = 0; // its hook that is next

/** Calls the function of a component. */
export function drawn<T>(d: Drawn, f: () => T): T {
	const outer = [of, at] as const;
	[of, at] = [d, 0];
	try {
		return f();
	} finally {
		[of, at] = outer;
	}
}

const next = (): Hook => (of.hooks[at++] ??= {});

/** Whether a hook has other dependencies than the last time, or none, which are always others. */
function moved(hook: Hook, deps?: readonly unknown[]): boolean {
	const was = hook.deps;
	hook.deps = deps;
	return !was || !deps || deps.some((d, i) => !Object.is(d, was[i]));
}

export function begin(hook: Hook): void {
	end(hook);
	hook.end = hook.begin!();
}

export function end(hook: Hook): void {
	const f = hook.end;
	hook.end = undefined;
	if (typeof f === "function") f();
}

export function useMemo<T>(make: () => T, deps: readonly unknown[]): T {
	const hook = next();
	if (moved(hook, deps)) hook.value = make();
	return hook.value as T;
}

export function useState<T>(first: T | (() => T)): [T, (to: T | ((now: T) => T)) => void] {
	const d = of;
	return useMemo(() => {
		const set = (to: T | ((now: T) => T)): void => {
			const value = typeof to === "function" ? (to as (now: T) => T)(state[0]) : to;
			if (Object.is(value, state[0])) return;
			state[0] = value;
			d.again();
		};
		const state: [T, typeof set] = [typeof first === "function" ? (first as () => T)() : first, set];
		return state;
	}, []);
}

export function useRef<T>(first: T): { current: T };
export function useRef<T>(first: T | null): { current: T | null };
export function useRef<T>(first: T): { current: T } {
	return useMemo(() => ({ current: first }), []);
}

let lastID = 0;
export const useId = (): string => useMemo(() => `id${++lastID}`, []);

/** Calls f once the page shows what was drawn, and what it returned before the next time and at the end. */
export function useEffect(f: () => End, deps?: readonly unknown[]): void {
	effect(of.effects, f, deps);
}

/** The same, before the page shows what was drawn. */
export function useLayoutEffect(f: () => End, deps?: readonly unknown[]): void {
	effect(of.layout, f, deps);
}

function effect(list: Hook[], f: () => End, deps?: readonly unknown[]): void {
	const hook = next();
	if (!moved(hook, deps)) return;
	hook.begin = f;
	list.push(hook);
}
