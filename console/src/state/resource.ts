// Values of the API that views share: one request however many views look at it, asked again when an event says so.
import { signal, type Signal } from "@preact/signals-core";
import { useEffect } from "preact/hooks";

export interface Loaded<T> {
	data?: T;
	error?: Error;
	loading: boolean;
}

export interface Resource<T> {
	readonly state: Signal<Loaded<T>>;
	/** Asks again, or loads otherwise this time; the value of before stays until the new one is there. */
	reload(otherwise?: (old: T | undefined) => Promise<T>): Promise<void>;
	/** Puts a value that an answer brought. */
	set(data: T): void;
}

const resources = new Map<string, { resource: Resource<unknown>; users: number }>();
const resourcesKept = 64;

function make<T>(load: (old: T | undefined) => Promise<T>): Resource<T> {
	const state = signal<Loaded<T>>({ loading: true });
	let round = 0;
	const resource: Resource<T> = {
		state,
		async reload(otherwise = load) {
			const mine = ++round;
			state.value = { ...state.value, loading: true };
			try {
				const data = await otherwise(state.value.data);
				if (mine === round) state.value = { data, loading: false };
			} catch (error) {
				if (mine === round) state.value = { data: state.value.data, error: error as Error, loading: false };
			}
		},
		set(data) {
			round++;
			state.value = { data, loading: false };
		},
	};
	void resource.reload();
	return resource;
}

/** Asks again for every resource whose key begins with one of these; those that no view shows are forgotten instead. */
export function invalidate(...prefixes: string[]): void {
	for (const [key, { resource, users }] of resources) {
		if (!prefixes.some((prefix) => key.startsWith(prefix))) continue;
		if (users > 0) void resource.reload();
		else resources.delete(key);
	}
}

/** The resource of a key for a component; the first user loads it. */
export function useResource<T>(key: string, load: (old: T | undefined) => Promise<T>): Resource<T> {
	let entry = resources.get(key);
	if (!entry) resources.set(key, (entry = { resource: make(load) as Resource<unknown>, users: 0 }));
	const mine = entry;
	useEffect(() => {
		if (!resources.has(key)) resources.set(key, mine); // it was forgotten before it had a user
		mine.users++;
		return () => {
			mine.users--;
			for (const [old, { users }] of resources) if (resources.size > resourcesKept && users === 0) resources.delete(old);
		};
	}, [mine]);
	return mine.resource as Resource<T>;
}
