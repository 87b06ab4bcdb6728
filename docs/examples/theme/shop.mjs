import { theme } from "./theme.mjs"; // with npm: "@livery/theme"
import brands from "./brands.mjs"; // { Acme: { base, env, theme, variant: "-" }, Midnight: { … } }

const asked = localStorage.getItem("brand");
const first = brands[asked] ? asked : Object.keys(brands)[0];
const shop = theme({ ...brands[first], hold: 200, live: true, transition: true });

const loaded = document.readyState === "loading" ? new Promise((go) => addEventListener("DOMContentLoaded", go)) : undefined;
await loaded;
const said = document.getElementById("said");
shop.addEventListener("changed", ({ detail }) => { said.textContent = `Changed: ${detail.tokens.join(", ")}`; });
shop.addEventListener("failed", ({ detail }) => { said.textContent = `Not loaded: ${detail.error.message}`; });
shop.addEventListener("ready", () => { said.textContent = ""; });
for (const name of Object.keys(brands)) {
	const button = document.createElement("button");
	button.textContent = name;
	button.onclick = async () => {
		if (await shop.set(brands[name])) localStorage.setItem("brand", name);
	};
	document.getElementById("brands").append(button, " ");
}
globalThis.shop = shop; // for the console of the browser
