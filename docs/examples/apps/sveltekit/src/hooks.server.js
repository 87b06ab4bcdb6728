import { env } from "$env/dynamic/private";
import { critical } from "@livery/theme/server";

/** The brand of this reader, and all brands: BRANDS is what ../../brands.mjs prints. */
export async function handle({ event, resolve }) {
	const brands = JSON.parse(env.BRANDS);
	const asked = event.cookies.get("brand");
	const brand = Object.hasOwn(brands, asked) ? asked : Object.keys(brands)[0];
	event.locals = { brand, brands };
	const css = await critical({ href: brands[brand] });
	return resolve(event, { transformPageChunk: ({ html }) => html.replace("%livery%", () => css) });
}
