import { type ApplicationConfig, DOCUMENT, inject, mergeApplicationConfig, provideAppInitializer, REQUEST, RESPONSE_INIT, TransferState } from "@angular/core";
import { bootstrapApplication, type BootstrapContext } from "@angular/platform-browser";
import { provideServerRendering, RenderMode, withRoutes } from "@angular/ssr";
import { critical, link } from "@livery/theme/server";
import { chosen, config, Shop } from "./shop";

/** Renders with the brand of the reader's cookie. BRANDS is what ../../brands.mjs prints. */
async function dress() {
  const document = inject(DOCUMENT), state = inject(TransferState), request = inject(REQUEST), response = inject(RESPONSE_INIT);
  if (!request || !response) return; // the build, which looks for routes
  const brands = JSON.parse(process.env["BRANDS"] ?? "{}");
  const asked = /(?:^|; )brand=([^;]*)/.exec(request.headers.get("Cookie") ?? "")?.[1] ?? "";
  const brand = Object.hasOwn(brands, asked) ? asked : Object.keys(brands)[0];
  state.set(chosen, { brand, brands });
  const href = brands[brand];
  response.headers = { Link: link({ href }) };
  const style = document.createElement("style");
  style.textContent = await critical({ href });
  document.head.appendChild(style);
}

const serverConfig: ApplicationConfig = {
  providers: [provideServerRendering(withRoutes([{ path: "**", renderMode: RenderMode.Server }])), provideAppInitializer(dress)],
};

export default (context: BootstrapContext) => bootstrapApplication(Shop, mergeApplicationConfig(config, serverConfig), context);
