import type { Address, Options, Theme } from "./theme.mjs";

export interface Shown {
	state: "fallback" | "theme";
	/** Undefined where there is no browser. */
	theme: Theme | undefined;
}

/** A store of what is shown. The Theme is shown while the store has a subscriber in a browser. */
export declare function liveryTheme(options: Omit<Options, "target">): {
	subscribe(read: (value: Shown) => void): () => void;
	/** A switch: what is shown stays until the new one is there. Resolves to whether it is shown. */
	set(next: Address): Promise<boolean>;
};
