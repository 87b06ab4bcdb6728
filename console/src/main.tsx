import { effect } from "./state/signal";
import { render } from "./dom/render";
import { begin, caller } from "./api/session";
import { Shell } from "./views/shell";
import { forgetDrafts } from "./state/draft";
import { followEnvironment } from "./state/events";
import { followChanges } from "./state/here";
import { forgetOverrides } from "./state/overrides";
import { forgetAll } from "./state/resource";
import { followLinks, path } from "./state/router";
import "./theme.css";
import "./style.css";

followLinks();
followChanges();
let subject = "";
effect(() => {
	if (caller.value && caller.value.subject !== subject) {
		if (subject) {
			forgetAll();
			forgetDrafts();
			forgetOverrides();
		}
		subject = caller.value.subject;
	}
	followEnvironment(caller.value ? (/^\/console\/e\/([^/]+)/.exec(path.value)?.[1] ?? "") : "");
});
render(<Shell />, document.getElementById("app")!);
void begin();
