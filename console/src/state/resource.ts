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
	/** Asks again; the value of before stays until the new one is there. */
	reload(): Promise<void>;
	/** Puts a value that an answer brought. */
	set(data: T): void;
}

const resources = new Map<string, { resource: Resource<unknown>; users: number }>();
const resourcesKept = 64;

function make<T>(load: () => Promise<T>): Resource<T> {
	const state = signal<Loaded<T>>({ loading: true });
	let round = 0;
	const resource: Resource<T> = {
		state,
		async reload() {
			const mine = ++round;
			state.value = { ...state.value, loading: true };
			try {
				const data = await load();
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

/** The resource of a key; the first user loads it. */
export function resource<T>(key: string, load: () => Promise<T>): Resource<T> {
	let entry = resources.get(key);
	if (!entry) {
		entry = { resource: make(load) as Resource<unknown>, users: 0 };
		resources.set(key, entry);
		for (const [old, { users }] of resources) if (resources.size > resourcesKept && users === 0 && old !== key) resources.delete(old);
	}
	return entry.resource as Resource<T>;
}

/** Asks again for every resource whose key begins with one of these; those that no view shows are forgotten instead. */
export function invalidate(...prefixes: string[]): void {
	for (const [key, { resource, users }] of resources) {
		if (!prefixes.some((prefix) => key.startsWith(prefix))) continue;
		if (users > 0) void resource.reload();
		else resources.delete(key);
	}
}

/** The resource of a key for a component. */
export function useResource<T>(key: string, load: () => Promise<T>): Resource<T> {
	const r = resource(key, load);
	useEffect(() => {
		const entry = resources.get(key);
		if (entry) entry.users++;
		return () => {
			if (entry) entry.users--;
		};
	}, [key]);
	return r;
}
