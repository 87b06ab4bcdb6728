// What a server sends: the page as it is first, and a tag with which the browser fetches the theme before any script runs.
import { preload } from "@livery/theme";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { App } from "./app.jsx";

export const app = (brands) => renderToString(<StrictMode><App brands={brands} /></StrictMode>);
export const head = (brands) => preload(Object.values(brands)[0]);
