// Colours as the controls move them, in OKLCH. The browser converts between colour spaces: it is asked by relative colours
// of CSS Color 5, whose computed values are not cut off at the edge of a space.
import { members, type JSONValue } from "../state/token";
import { color as cssOf } from "../tokens/css";

export type Triple = readonly [number, number, number];
export type Space = "oklch" | "srgb" | "display-p3" | "srgb-linear";
export interface Color {
	/** Lightness 0 to 1, chroma, hue in degrees. */
	lch: Triple;
	alpha: number;
}

let probe: HTMLElement | undefined;

/** The components of a colour of CSS in a space, and its alpha if it is less than 1. */
function componentsOf(css: string, space: Space): number[] {
	probe ??= document.head.appendChild(document.createElement("i"));
	probe.style.color = space === "oklch" ? `oklch(from ${css} l c h)` : `color(from ${css} ${space} r g b)`;
	return getComputedStyle(probe).color.match(/(?<=[ (])(none|[-\d.][-\d.e]*)/g)!.map((n) => Number(n) || 0);
}

function colorOf(css: string): Color {
	const [l, c, h, alpha = 1] = componentsOf(css, "oklch") as [number, number, number, number?];
	return { lch: c < 1e-4 ? [l, 0, 0] : [l, c, h], alpha };
}

export const css = (lch: Triple): string => `oklch(${lch.join(" ")})`;
/** The components of a colour in a space, from 0 to 1 if they are of RGB. */
export const to = (space: Space, lch: Triple): Triple => (space === "oklch" ? lch : (componentsOf(css(lch), space) as unknown as Triple));
export const from = (space: Space, v: Triple): Triple => (space === "oklch" ? v : colorOf(`color(${space} ${v.join(" ")})`).lch);

export const inside = (space: Space, lch: Triple): boolean => to(space, lch).every((n) => n > -0.0005 && n < 1.0005);

/** The nearest colour of sRGB with the same lightness and hue. */
export function mapped(lch: Triple): Triple {
	if (inside("srgb", lch)) return lch;
	let [low, high] = [0, lch[1]];
	for (let i = 0; i < 12; i++) {
		const middle = (low + high) / 2;
		if (inside("srgb", [lch[0], middle, lch[2]])) low = middle;
		else high = middle;
	}
	return [lch[0], low, lch[2]];
}

const unit = (n: number): number => Math.max(0, Math.min(1, n));

export function hex({ lch, alpha }: Color): string {
	const byte = (n: number): string => Math.round(unit(n) * 255).toString(16).padStart(2, "0");
	return `#${to("srgb", mapped(lch)).map(byte).join("")}${alpha < 1 ? byte(alpha) : ""}`;
}

/** The colour of a token's value; null if it has none. */
export function parse(value: JSONValue): Color | null {
	const text = cssOf(value);
	return text ? colorOf(text) : null;
}

const round = (n: number, digits: number): number => Number(n.toFixed(digits));

/** A colour in the form that the value before had: text stays #rrggbb while sRGB has the colour, an object keeps its space. */
export function write(color: Color, before: JSONValue): JSONValue {
	const { lch, alpha } = color;
	if ((typeof before === "string" || before === null) && inside("srgb", lch)) return hex(color);
	const old = members(before) ?? {};
	const colorSpace = (["srgb", "display-p3"] as const).find((s) => s === old.colorSpace && inside(s, lch)) ?? "oklch";
	const components = to(colorSpace, lch).map((n, i) => (colorSpace === "oklch" ? round(n, i === 2 ? 2 : 4) : round(unit(n), 4)));
	return { ...old, colorSpace, components, ...(alpha < 1 || "alpha" in old ? { alpha: round(alpha, 3) } : {}), hex: hex({ lch, alpha: 1 }) };
}

/** The contrast of a colour with white or black (WCAG 2), from 1 to 21. */
export function contrast(lch: Triple, other: "white" | "black"): number {
	const [r, g, b] = to("srgb-linear", mapped(lch));
	const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
	return other === "white" ? 1.05 / (luminance + 0.05) : (luminance + 0.05) / 0.05;
}
