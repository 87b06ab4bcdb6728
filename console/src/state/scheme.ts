// The colour scheme of the console: the system's, or the one that was chosen in this browser.
import { signal } from "@preact/signals-core";

export type Scheme = "auto" | "light" | "dark";
const key = "livery.scheme";
const known = localStorage.getItem(key);
export const scheme = signal<Scheme>(known === "light" || known === "dark" ? known : "auto");

export function setScheme(value: Scheme): void {
	scheme.value = value;
	localStorage.setItem(key, value);
	show();
}

function show(): void {
	if (scheme.value === "auto") document.documentElement.removeAttribute("data-scheme");
	else document.documentElement.setAttribute("data-scheme", scheme.value);
}
show();
