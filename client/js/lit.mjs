// A Theme in an application of Lit, as a reactive controller. Types: lit.d.mts.
import { theme } from "./theme.mjs";
import { unset } from "./unset.mjs";

/** Shows a Theme while its host is in a page. Options that differ after an update of the host are a switch. */
export class ThemeController {
	#host;
	#options;
	#key;

	constructor(host, options) {
		this.#host = host;
		this.#options = typeof options === "function" ? options : () => options;
		/** "theme" once it is shown; a change updates the host. */
		this.state = "fallback";
		host.addController(this);
	}

	hostUpdated() {
		if (!this.theme) return this.#open();
		const { target, ...options } = this.#options(), key = JSON.stringify(options);
		if (key !== this.#key) this.theme.set({ ...unset, ...options });
		this.#key = key;
	}

	hostConnected() {
		if (this.#host.hasUpdated) this.#open();
	}

	hostDisconnected() {
		this.theme?.close();
		this.theme = undefined;
		this.state = "fallback";
	}

	#open() {
		const { target, ...options } = this.#options();
		this.#key = JSON.stringify(options);
		const mine = this.theme = theme({ target, ...options });
		const note = (state) => {
			if (mine !== this.theme || state === this.state) return;
			this.state = state;
			this.#host.requestUpdate();
		};
		mine.ready.then(note);
		mine.addEventListener("ready", () => note("theme"));
	}
}
