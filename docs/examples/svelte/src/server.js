// What a server sends: the page as it is first, and a tag with which the browser fetches the theme before any script runs.
import { preload } from "@livery/theme";
import { render } from "svelte/server";
import App from "./App.svelte";

export const app = (brands) => render(App, { props: { brands } }).body;
export const head = (brands) => preload(Object.values(brands)[0]);
