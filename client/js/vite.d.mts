import type { Plugin } from "vite";
import type { Address } from "./theme.mjs";

export interface LiveryOptions extends Address {
	/** The stylesheet to write, in the layer livery-fallback; src/tokens.css. */
	fallback?: string;
	/** The declarations to write, by livery pull --format ts; none. */
	types?: string;
	/** The program that writes types; livery. */
	program?: string;
	/** Milliseconds between two questions while Vite serves; 2,000. */
	every?: number;
}

/** Writes the fallback, and types if they are asked for, when a build begins; while Vite serves, after each publish too. */
export default function livery(options: LiveryOptions): Plugin;
