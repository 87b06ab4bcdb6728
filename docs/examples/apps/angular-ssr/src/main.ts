import { bootstrapApplication } from "@angular/platform-browser";
import { config, Shop } from "./shop";

bootstrapApplication(Shop, config).catch((error) => console.error(error));
