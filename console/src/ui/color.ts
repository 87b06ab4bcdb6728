// Colours of tokens as CSS colours.
import type { JSONValue } from "../state/token";

const functions: Record<string, string> = { hsl: "hsl", hwb: "hwb", lab: "lab", lch: "lch", oklab: "oklab", oklch: "oklch" };

/** A colour value as CSS says it; null if it is none that can be shown by itself. */
export function cssColor(value: JSONValue | undefined): string | null {
	if (typeof value === "string") return /^(#|[a-z-]+\()/i.test(value) && CSS.supports("color", value) ? value : null;
	if (!value || typeof value !== "object" || Array.isArray(value)) return null;
	const { colorSpace, components, alpha } = value;
	if (typeof colorSpace !== "string" || !Array.isArray(components)) return null;
	const percent = colorSpace === "hsl" || colorSpace === "hwb";
	const parts = components.map((c, i) => (percent && i > 0 && typeof c === "number" ? `${c}%` : String(c))).join(" ");
	const end = typeof alpha === "number" ? ` / ${alpha})` : ")";
	const text = (functions[colorSpace] ? `${functions[colorSpace]}(${parts}` : `color(${colorSpace} ${parts}`) + end;
	return CSS.supports("color", text) ? text : null;
}
