// A Theme in an application of Svelte, as a store. Types: svelte.d.mts.
import { theme } from "./theme.mjs";
import { unset } from "./unset.mjs";

/** A store of what is shown. The Theme is shown while the store has a subscriber in a browser; set is a switch, and what is shown stays until the new one is there. */
export function liveryTheme(options) {
	const readers = new Set();
	let shown, value = { state: "fallback", theme: undefined };

	function tell(state) {
		value = { state, theme: shown };
		for (const read of readers) read(value);
	}

	function open() {
		const mine = shown = theme(options);
		const note = (state) => mine === shown && tell(state);
		mine.ready.then(note);
		mine.addEventListener("ready", () => note("theme"));
	}

	return {
		subscribe(read) {
			readers.add(read);
			if (!shown && typeof document !== "undefined") open();
			read(value);
			return () => {
				readers.delete(read);
				if (readers.size) return;
				shown?.close();
				shown = undefined;
				value = { state: "fallback", theme: undefined };
			};
		},
		set(next) {
			options = { ...options, ...unset, ...next };
			return shown?.set(options) ?? Promise.resolve(false);
		},
	};
}
