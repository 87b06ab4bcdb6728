import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { App } from "./app.jsx";
import "./style.css";

hydrateRoot(document.getElementById("root"), <StrictMode><App brands={globalThis.brands} /></StrictMode>);
