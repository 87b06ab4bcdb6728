import type { Signal } from "@angular/core";
import type { Address, Options, Theme } from "./theme.mjs";

/**
 * Shows a Theme until what injects it is destroyed; call it where inject may be called. Signals that options reads are a
 * switch; what is shown stays until the new one is there.
 */
export declare function injectTheme(options: Omit<Options, "target"> | (() => Omit<Options, "target">)): {
	state: Signal<"fallback" | "theme">;
	/** Undefined without a browser. */
	theme: Signal<Theme | undefined>;
	set(options: Address): Promise<boolean>;
};
