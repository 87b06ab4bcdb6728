import type { Theme } from "./theme.mjs";

/**
 * Has a theme at latest ask for the newest stylesheet as soon as its edge hears of a publish, until the returned function is
 * called. The pages of one browser share one event stream. address: of the event stream, if the theme's own does not lead to
 * it, such as that of a stylesheet that is signed by itself and not with its folder.
 */
export declare function follow(theme: Theme, address?: string): () => void;

/** The address of the event stream of a stylesheet at latest; undefined: its address is not one at latest. */
export declare function events(href: string): string | undefined;
