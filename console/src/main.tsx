import { effect } from "@preact/signals-core";
import { render } from "preact";
import { begin, caller } from "./api/session";
import { Shell } from "./views/shell";
import { followEnvironment } from "./state/events";
import { followChanges } from "./state/here";
import { followLinks, path } from "./state/router";
import "./theme.css";
import "./style.css";
import "./views/look/samples.css";

followLinks();
followChanges();
let subject = "";
effect(() => {
	if (subject && caller.value && caller.value.subject !== subject) location.reload(); // nothing of another person's stays
	subject = caller.value?.subject ?? subject;
	followEnvironment(caller.value ? (/^\/console\/e\/([^/]+)/.exec(path.value)?.[1] ?? "") : "");
});
const app = document.getElementById("app")!;
app.replaceChildren(); // what stands there until the page is drawn
render(<Shell />, app);
void begin();
