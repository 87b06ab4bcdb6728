/** Which file of which Theme. Either href, or the parts of it. */
export interface Address {
	/** A whole address, as livery open --print prints it, or a signed one. */
	href?: string | URL;
	/** The address of an edge, such as https://cdn.example.com. */
	base?: string;
	/** Ids, such as env_…, thm_… and var_…; variant "-" (the default) is the Theme itself. */
	env?: string;
	theme?: string;
	variant?: string;
	/** A version, or "latest" (the default), which follows each publish. */
	version?: number | "latest";
	/** Dimensions (scheme: all its modes in one sheet) or single modes (scheme.dark). */
	modes?: string[];
}

export interface Options extends Address {
	/** What gets the theme: the document (the default), or one element and what is in it. */
	target?: Document | HTMLElement;
	/** Milliseconds after which ready resolves although the theme has not come; 1,000. It is shown when it comes. */
	timeout?: number;
	/** Milliseconds that the first paint waits for the theme at most; 0. The script must run before the first paint. */
	hold?: number;
	/** Milliseconds between two questions whether latest has changed, while the page can be seen; 0: only when it is shown again. */
	every?: number;
	/** Follows latest by an event stream of the edge, so that a publish is shown at once; a string is the address of the stream. */
	live?: boolean | string;
	/** Shows a later theme by a View Transition, unless the reader wants less motion. */
	transition?: boolean;
}

export interface Changed {
	/** The custom properties whose declarations differ, such as --color-brand. */
	tokens: string[];
}

export interface Failed {
	error: Error;
	href: string;
}

export interface ThemeEvents {
	/** The first theme is shown. */
	ready: CustomEvent<Changed>;
	/** Another one is shown. */
	changed: CustomEvent<Changed>;
	/** A stylesheet did not come; what is shown stays. */
	failed: CustomEvent<Failed>;
}

export declare class Theme extends EventTarget {
	private constructor();
	/** Resolves once the theme is shown, or the fallback stays for now. Never rejects. */
	readonly ready: Promise<"theme" | "fallback">;
	/** The address of what is asked for. */
	readonly href: string;
	/** The stylesheet that is shown; undefined: the fallback is. */
	readonly text: string | undefined;
	/** Shows another brand, version or combination of modes as soon as it is there. Resolves to whether it is shown. */
	set(options: Address & { transition?: boolean }): Promise<boolean>;
	/** Asks whether there is a newer stylesheet, and shows it. Resolves to whether the newest one is shown. */
	refresh(): Promise<boolean>;
	/** Takes the theme out of the page. */
	close(): void;
	addEventListener<K extends keyof ThemeEvents>(type: K, listener: (event: ThemeEvents[K]) => void, options?: AddEventListenerOptions | boolean): void;
	addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: AddEventListenerOptions | boolean): void;
	removeEventListener<K extends keyof ThemeEvents>(type: K, listener: (event: ThemeEvents[K]) => void, options?: EventListenerOptions | boolean): void;
	removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: EventListenerOptions | boolean): void;
}

/** A Theme in the document, or in one element of it. */
export declare function theme(options: Options): Theme;

/** The address of a file of a Theme at an edge; file is tokens.css by default. */
export declare function address(options: Address & { file?: string }): string;

/** The tag with which a server lets a browser fetch the stylesheet before any script runs. */
export declare function preload(options: Address): string;
