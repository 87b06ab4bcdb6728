import type { Options, Theme } from "./theme.mjs";

/** What Lit calls a ReactiveControllerHost. */
export interface Host {
	addController(controller: ThemeController): void;
	requestUpdate(): void;
	readonly hasUpdated?: boolean;
}

/** Shows a Theme while its host is in a page. Options that differ after an update of the host are a switch; what is shown stays until the new one is there. */
export declare class ThemeController {
	constructor(host: Host, options: Options | (() => Options));
	/** A change updates the host. */
	readonly state: "fallback" | "theme";
	/** Undefined while the host is in no page. */
	readonly theme: Theme | undefined;
	hostConnected(): void;
	hostDisconnected(): void;
	hostUpdated(): void;
}
