// Which view is at which address.
import type { Route } from "./state/router";
import { Events } from "./views/activity/events";
import { Webhooks } from "./views/activity/webhooks";
import { Calls } from "./views/calls/calls";
import { Environments } from "./views/environments";
import { Matrix } from "./views/matrix/matrix";
import { ThemeSettings } from "./views/settings/theme";
import { Changes } from "./views/look/changes";
import { Preview } from "./views/look/preview";
import { Versions } from "./views/look/versions";
import { VariantSettings } from "./views/settings/variant";
import { Themes } from "./views/themes";
import { Tokens } from "./views/tokens";
import { Variants } from "./views/variants/variants";

export const routes: readonly Route[] = [
	{ pattern: "", title: "Environments", view: Environments },
	{ pattern: "calls", title: "Requests", view: Calls },
	{ pattern: "e/:environment/events", title: "Events", view: Events },
	{ pattern: "e/:environment/webhooks", title: "Webhooks", view: Webhooks },
	{ pattern: "e/:environment", title: "Themes", view: Themes },
	{ pattern: "e/:environment/t/:theme", title: "Tokens", view: Tokens },
	{ pattern: "e/:environment/t/:theme/v/:variant", title: "Overrides", view: Tokens },
	{ pattern: "e/:environment/t/:theme/variants", title: "Variants", view: Variants },
	{ pattern: "e/:environment/t/:theme/matrix", title: "Matrix", view: Matrix },
	{ pattern: "e/:environment/t/:theme/settings", title: "Settings", view: ThemeSettings },
	{ pattern: "e/:environment/t/:theme/v/:variant/settings", title: "Settings", view: VariantSettings },
	{ pattern: "e/:environment/t/:theme/preview", title: "Preview", view: Preview },
	{ pattern: "e/:environment/t/:theme/v/:variant/preview", title: "Preview", view: Preview },
	{ pattern: "e/:environment/t/:theme/diff", title: "Changes", view: Changes },
	{ pattern: "e/:environment/t/:theme/v/:variant/diff", title: "Changes", view: Changes },
	{ pattern: "e/:environment/t/:theme/versions", title: "Versions", view: Versions },
	{ pattern: "e/:environment/t/:theme/v/:variant/versions", title: "Versions", view: Versions },
];
