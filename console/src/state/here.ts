// The Environment, Theme and Variant that the address names.
import { call, environmentPath, get, root, themePath, variantPath, type Environment, type Page, type Schemas, type Theme, type Variant } from "../api/client";
import { invalidate, useResource, type Resource } from "./resource";
import { listen, onMissed } from "./events";
import { usePages, type Paged } from "./pages";

export const useEnvironments = (): Paged<Environment> => usePages("environments", {}, (query) => get<Page<Environment>>(`${root}/environments`, query));
export const useEnvironment = (e: string): Resource<Environment> => useResource(`environment ${e}`, () => get<Environment>(environmentPath(e)));
/** The Variant, or the Theme itself if there is none. */
export const useOwner = <T extends Theme | Variant = Theme | Variant>(e: string, t: string, v = ""): Resource<T> => useResource(v ? `variant ${v}` : `theme ${t}`, () => get<T>(variantPath(e, t, v)));
export const useTheme = (e: string, t: string): Resource<Theme> => useOwner<Theme>(e, t);
export const useVariant = (e: string, t: string, v: string): Resource<Variant> => useOwner<Variant>(e, t, v);

/** The modes of a Theme, with the ETag of their list. */
export const useModes = (e: string, t: string): Resource<Modes> => useResource(`modes ${t}`, async () => {
	const { data, etag } = await call<Schemas["Modes"]>("GET", `${themePath(e, t)}/modes`, { quiet: true });
	return { modes: data.modes, etag };
});
export interface Modes {
	modes: Schemas["Mode"][];
	etag: string | null;
}

/** Asks again for what an event says has changed. */
export function followChanges(): void {
	onMissed(() => invalidate(""));
	listen((event) => {
		invalidate(`themes ${event.environment}`);
		if (event.theme) for (const what of "theme variants versions diagnostics diff modes matrix preview".split(" ")) invalidate(`${what} ${event.theme}`);
		if (event.variant) for (const what of "variant versions diagnostics diff".split(" ")) invalidate(`${what} ${event.variant}`);
	});
}
