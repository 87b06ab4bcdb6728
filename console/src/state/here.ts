// The Environment, Theme and Variant that the address names.
import { all, environmentPath, get, root, themePath, variantPath, type Environment, type Theme, type Variant } from "../api/client";
import { invalidate, useResource, type Resource } from "./resource";
import { listen, onMissed } from "./events";

export const useEnvironments = (): Resource<Environment[]> => useResource("environments", () => all<Environment>(`${root}/environments`));
export const useEnvironment = (e: string): Resource<Environment> => useResource(`environment ${e}`, () => get<Environment>(environmentPath(e)));
export const useThemes = (e: string): Resource<Theme[]> => useResource(`themes ${e}`, () => all<Theme>(`${environmentPath(e)}/themes`));
export const useTheme = (e: string, t: string): Resource<Theme> => useResource(`theme ${t}`, () => get<Theme>(themePath(e, t)));
export const useVariants = (e: string, t: string): Resource<Variant[]> => useResource(`variants ${t}`, () => all<Variant>(`${themePath(e, t)}/variants`));
export const useVariant = (e: string, t: string, v: string): Resource<Variant> => useResource(`variant ${v}`, () => get<Variant>(variantPath(e, t, v)));

/** Asks again for what an event says has changed. */
export function followChanges(): void {
	onMissed(() => invalidate(""));
	listen((event) => {
		invalidate(`themes ${event.environment}`);
		if (event.theme) for (const what of "theme variants versions diagnostics diff modes matrix preview".split(" ")) invalidate(`${what} ${event.theme}`);
		if (event.variant) for (const what of "variant versions diagnostics diff".split(" ")) invalidate(`${what} ${event.variant}`);
		invalidate(`events ${event.environment}`);
	});
}
