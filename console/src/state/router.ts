// Every view has an address of its own under /console/.
import { signal } from "@preact/signals-core";
import type { ComponentType } from "preact";

export type Params = Record<string, string>;
export interface Route {
	/** Parts of the address; ":name" is a parameter. */
	pattern: string;
	title: string;
	view: ComponentType<{ params: Params }>;
}

export const path = signal(location.pathname);
export const query = signal(new URLSearchParams(location.search));

function follow(): void {
	clearTimeout(due);
	due = 0;
	path.value = location.pathname;
	query.value = new URLSearchParams(location.search);
}
addEventListener("popstate", follow);

// The write of the address that is due: while one types it waits until one rests, for it takes a browser milliseconds, and
// one refuses it if it comes too often.
let due = 0;
function write(): void {
	clearTimeout(due);
	due = 0;
	const text = query.value.toString();
	history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
}

export function go(to: string): void {
	if (due) write();
	history.pushState(null, "", to);
	follow();
	scrollTo(0, 0);
}

/** Sets parameters of the query without a new entry in the history; an empty value removes one. */
export function setQuery(values: Params): void {
	const next = new URLSearchParams(due ? query.value : location.search);
	for (const [name, value] of Object.entries(values)) value ? next.set(name, value) : next.delete(name);
	query.value = next;
	clearTimeout(due);
	due = setTimeout(write, 150);
}

/** Matches an address with the routes. */
export function match(routes: readonly Route[], address: string): { route: Route; params: Params } | null {
	const parts = address.replace(/^\/console\/?/, "").replace(/\/$/, "").split("/");
	next: for (const route of routes) {
		const pattern = route.pattern.split("/");
		if (pattern.length !== parts.length) continue;
		const params: Params = {};
		for (const [i, name] of pattern.entries()) {
			const part = parts[i] ?? "";
			if (name.startsWith(":")) params[name.slice(1)] = decodeURIComponent(part);
			else if (name !== part) continue next;
		}
		return { route, params };
	}
	return null;
}

/** Clicks on links into the console change the view and load nothing. */
export function followLinks(): void {
	addEventListener("click", (event) => {
		const link = (event.target as Element).closest?.("a");
		if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
		if (link.target || link.hasAttribute("download") || link.origin !== location.origin || !link.pathname.startsWith("/console/")) return;
		if (link.pathname === location.pathname && link.hash) return;
		event.preventDefault();
		go(link.pathname + link.search);
	});
}

const segment = encodeURIComponent;
const below = (name: string): string => name && `/${name}`;
const variant = (e: string, t: string, v = "", tab = ""): string => `/console/e/${segment(e)}/t/${segment(t)}${v && `/v/${segment(v)}`}${below(tab)}`;
export const href = {
	home: () => "/console/",
	calls: () => "/console/calls",
	environment: (e: string, tab = "") => `/console/e/${segment(e)}${below(tab)}`,
	theme: (e: string, t: string, tab?: string) => variant(e, t, "", tab),
	/** Of the Variant, or of the Theme itself if there is none. */
	variant,
};
