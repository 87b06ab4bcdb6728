import { createSSRApp } from "vue";
import { App } from "./app.mjs";
import "./style.css";

globalThis.app = createSSRApp(App, { brands: globalThis.brands }); // for the console of the browser
globalThis.app.mount("#root");
