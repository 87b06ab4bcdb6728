// A Theme in an application of Angular, by signals. Types: angular.d.mts.
import { DestroyRef, effect, inject, signal, untracked } from "@angular/core";
import { theme } from "./theme.mjs";
import { unset } from "./unset.mjs";

/** Shows a Theme until what injects it is destroyed. Signals that options reads are a switch; what is shown stays until the new one is there. */
export function injectTheme(options) {
	const state = signal("fallback"), shown = signal(undefined);
	const open = (next) => {
		const mine = theme(next);
		shown.set(mine);
		mine.ready.then((now) => state.set(now));
		mine.addEventListener("ready", () => state.set("theme"));
	};
	if (typeof document !== "undefined") { // not while a server renders
		effect(() => {
			const next = typeof options === "function" ? options() : options;
			untracked(() => shown() ? shown().set({ ...unset, ...next }) : open(next));
		});
		inject(DestroyRef).onDestroy(() => shown()?.close());
	}
	return { state: state.asReadonly(), theme: shown.asReadonly(), set: (next) => shown()?.set(next) ?? Promise.resolve(false) };
}
