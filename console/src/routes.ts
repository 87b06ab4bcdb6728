// Which view is at which address.
import type { Route } from "./state/router";
import { Environments } from "./views/environments";
import { Themes } from "./views/themes";

export const routes: readonly Route[] = [
	{ pattern: "", title: "Environments", view: Environments },
	{ pattern: "e/:environment", title: "Themes", view: Themes },
];
