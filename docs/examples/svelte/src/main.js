import { hydrate, unmount } from "svelte";
import App from "./App.svelte";
import "./style.css";

const app = hydrate(App, { target: document.getElementById("root"), props: { brands: globalThis.brands } });
globalThis.app = { unmount: () => unmount(app) }; // for the console of the browser
