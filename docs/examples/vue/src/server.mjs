// What a server sends: the page as it is first, and a tag with which the browser fetches the theme before any script runs.
import { preload } from "@livery/theme";
import { createSSRApp } from "vue";
import { renderToString } from "vue/server-renderer";
import { App } from "./app.mjs";

export const app = (brands) => renderToString(createSSRApp(App, { brands }));
export const head = (brands) => preload(Object.values(brands)[0]);
