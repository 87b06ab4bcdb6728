/** A rule of ESLint, as its flat configuration takes it. */
export type Rule = object;

/**
 * The plugin, for scripts, JSX, and components of Vue and Svelte with their own parsers: rules unknown-token and
 * deprecated-token, and configs.recommended, which has both. settings.livery.tokens is the path of the tokens.d.ts that
 * livery pull --format ts writes; src/tokens.d.ts.
 */
declare const plugin: {
	meta: { name: string };
	rules: { "unknown-token": Rule; "deprecated-token": Rule };
	configs: { recommended: { plugins: Record<string, object>; rules: Record<string, "error" | "warn"> } };
};
export default plugin;
