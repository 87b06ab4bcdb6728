import type { Address } from "./theme.mjs";

/**
 * The stylesheet for a <style> in the head; "" while the edge has not answered. It is kept, renewed behind the answer if it
 * is older than fresh (1,000 ms), and waited for only if there is none, timeout (300 ms) at most. Never rejects.
 */
export declare function critical(options: Address, bounds?: { timeout?: number; fresh?: number }): Promise<string>;

/** The value of a header Link, with which the browser asks for the theme before it has read the page. */
export declare function link(options: Address): string;
