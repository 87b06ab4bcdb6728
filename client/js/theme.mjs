// @livery/theme: a Theme in a page. It shows the newest theme that has come, never less than before, and never rejects.
//
// The stylesheet is fetched and adopted as a whole: it stands behind all other sheets, in no cascade layer, and takes the
// place of the one before in one step. What the page bundles belongs into a layer (@layer livery-fallback), which it
// overrules. Types and options: theme.d.mts.

const dimension = /^[a-z][a-z0-9-]{0,31}([.~][a-z][a-z0-9-]{0,31})?$/;

/** The address of a file of a Theme at an edge. */
export function address({ href, base, env, theme, variant = "-", version = "latest", modes = [], file = "tokens.css" }) {
	if (href) return String(href);
	for (const [name, part] of Object.entries({ base, env, theme, variant })) {
		if (!part || typeof part !== "string") throw new TypeError(`@livery/theme: ${name} is missing: livery open --print prints the address that it is a part of`);
	}
	for (const mode of modes) if (!dimension.test(mode)) throw new TypeError(`@livery/theme: ${mode} is not a dimension or a mode, such as scheme or scheme.dark`);
	const path = [env, theme, variant, String(version), file].map(encodeURIComponent).join("/");
	return `${base.replace(/\/$/, "")}/${path}${modes.length ? `?modes=${modes}` : ""}`;
}

/** The tag with which a server lets a browser fetch the stylesheet before any script runs. */
export function preload(options) {
	const href = address(options).replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
	return `<link rel="preload" as="fetch" crossorigin href="${href}">`;
}

// What each custom property is declared as, in all blocks of a sheet. Names with a dot are the switches of modes.
function declared(sheet) {
	const found = {};
	const walk = (rules, at) => {
		for (const rule of rules) {
			const here = at + (rule.selectorText ?? rule.conditionText ?? "");
			for (const name of rule.style ?? []) if (name.startsWith("--") && !name.includes(".")) found[name] = `${found[name] ?? ""}${here}{${rule.style.getPropertyValue(name)}`;
			if (rule.cssRules) walk(rule.cssRules, here);
		}
	};
	walk(sheet.cssRules, "");
	return found;
}

let scopes = 0;

/** A Theme in the document, or in one element of it. */
export function theme(options) {
	return new Theme(options);
}

class Theme extends EventTarget {
	#options;
	#sheet = new CSSStyleSheet();
	#scope = "";
	#turn = 0; // of the newest question
	#shown = 0; // of the question whose answer is shown
	#kept; // the options of what is shown
	#text;
	#declared = {};
	#closed = new AbortController();
	#retry;

	constructor({ target = document, timeout = 1000, hold = 0, every = 0, live, ...options }) {
		super();
		this.#options = options;
		address(options); // what cannot be an address is said at once
		if (target !== document) {
			target.dataset.livery = this.#scope = String(++scopes);
			this.#closed.signal.addEventListener("abort", () => delete target.dataset.livery);
		}
		document.adoptedStyleSheets.push(this.#sheet);
		const closed = this.#closed.signal, stop = (end) => closed.addEventListener("abort", end);
		stop(() => document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== this.#sheet));
		const first = this.#ask({ cache: "force-cache" }).then((ok) => {
			if (ok && this.#following) this.refresh(); // what the cache had may be old
			return ok ? "theme" : "fallback";
		});
		/** Resolves once the theme is shown, or timeout has passed and the fallback stays until it comes. Never rejects. */
		this.ready = Promise.race([first, new Promise((settle) => setTimeout(settle, timeout, "fallback"))]);
		if (hold) {
			const style = document.documentElement.style;
			const show = () => style.removeProperty("visibility");
			style.visibility = "hidden";
			first.finally(show);
			setTimeout(show, hold);
			stop(show);
		}
		if (every) {
			const timer = setInterval(() => document.hidden || this.refresh(), every);
			stop(() => clearInterval(timer));
		}
		if (live) import("./live.mjs").then(({ follow }) => closed.aborted || stop(follow(this, live === true ? undefined : live)), () => {});
		for (const [from, name] of [[window, "online"], [document, "visibilitychange"]]) {
			from.addEventListener(name, () => document.hidden || this.refresh(), { signal: this.#closed.signal });
		}
	}

	/** The address of what is asked for. */
	get href() {
		return address(this.#options);
	}

	/** The text of the stylesheet that is shown; undefined: the fallback is. */
	get text() {
		return this.#text;
	}

	get #following() {
		return !this.#options.href ? (this.#options.version ?? "latest") === "latest" : /\/latest\//.test(this.#options.href);
	}

	/** Shows another brand, version or combination of modes as soon as it is there; until then what is shown stays. Resolves to whether it is shown. */
	set(options) {
		const next = { ...this.#options, ...options };
		address(next);
		this.#options = next;
		return this.#ask({});
	}

	/** Asks whether there is a newer stylesheet, and shows it. Resolves to whether the newest one is shown. */
	refresh() {
		return this.#closed.signal.aborted || (this.#text !== undefined && !this.#following) ? Promise.resolve(!this.#closed.signal.aborted) : this.#ask({ cache: "no-cache" });
	}

	/** Takes the theme out of the page. */
	close() {
		clearTimeout(this.#retry);
		this.#closed.abort();
	}

	async #ask(how) {
		const turn = ++this.#turn, options = this.#options, href = address(options);
		const closed = this.#closed.signal;
		clearTimeout(this.#retry);
		try {
			const answer = await fetch(href, { ...how, signal: AbortSignal.any([closed, AbortSignal.timeout(30_000)]) });
			if (!answer.ok) throw new Error(`${href} answers ${answer.status}`);
			const text = await answer.text();
			const next = new CSSStyleSheet();
			next.replaceSync(text); // the browser leaves out what is not CSS
			const after = declared(next);
			if (!Object.keys(after).length) throw new Error(`${href} has no custom properties`);
			if (turn < this.#shown || closed.aborted) return !closed.aborted && options === this.#kept; // what was asked for later is shown already
			this.#shown = turn;
			this.#kept = options;
			if (text !== this.#text) await this.#show(text, after);
			return options === this.#options; // a question for the same may have followed
		} catch (error) {
			if (closed.aborted) return false;
			if (turn === this.#turn) {
				this.#options = this.#kept ?? options;
				if (this.#text === undefined) this.#retry = setTimeout(() => this.#ask({}), Math.min(60_000, 500 * 2 ** turn));
			}
			this.dispatchEvent(new CustomEvent("failed", { detail: { error, href } }));
			return false;
		}
	}

	async #show(text, after) {
		const first = this.#text === undefined, before = this.#declared;
		const tokens = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
		this.#text = text;
		this.#declared = after;
		const put = () => {
			this.#sheet.replaceSync(this.#scope ? `@scope ([data-livery="${this.#scope}"]) {${text.replace(/:root\b/g, ":scope")}}` : text);
		};
		if (this.#options.transition && !first && document.startViewTransition && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
			await document.startViewTransition(put).updateCallbackDone;
		} else put();
		this.dispatchEvent(new CustomEvent(first ? "ready" : "changed", { detail: { tokens } }));
	}
}
