// Colours: sRGB, Display P3 and OKLCH, as CSS Color 4 defines them. Components of RGB are from 0 to 1, hues are degrees.
import type { JSONValue } from "../state/token";

export type Triple = readonly [number, number, number];
export interface Color {
	/** Lightness 0 to 1, chroma, hue in degrees. */
	lch: Triple;
	alpha: number;
}

type Matrix = readonly [Triple, Triple, Triple];
const multiply = (m: readonly Triple[], v: Triple): Triple => m.map((r) => r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) as unknown as Triple;
const map = (v: Triple, f: (n: number) => number): Triple => [f(v[0]), f(v[1]), f(v[2])];

/** The inverse of a matrix, by the cross products of its rows. */
function inverse([a, b, c]: Matrix): Matrix {
	const cross = (u: Triple, v: Triple): Triple => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
	const columns = [cross(b, c), cross(c, a), cross(a, b)] as const;
	const [determinant] = multiply([a], columns[0]);
	return [0, 1, 2].map((i) => columns.map((column) => column[i]! / determinant)) as unknown as Matrix;
}

const linear = (n: number): number => (Math.abs(n) <= 0.04045 ? n / 12.92 : Math.sign(n) * ((Math.abs(n) + 0.055) / 1.055) ** 2.4);
const gamma = (n: number): number => (Math.abs(n) <= 0.0031308 ? n * 12.92 : Math.sign(n) * (1.055 * Math.abs(n) ** (1 / 2.4) - 0.055));

const lmsOfRGB: Matrix = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]];
const labOfLMS: Matrix = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]];
const lmsOfLab = inverse(labOfLMS);
const rgbOfLMS = inverse(lmsOfRGB);
const p3OfRGB: Matrix = [[0.8224619687, 0.1775380313, 0], [0.0331941989, 0.9668058011, 0], [0.0170826307, 0.0723974407, 0.9105199286]];
const rgbOfP3 = inverse(p3OfRGB);

export function lchOfRGB(rgb: Triple): Triple {
	const [l, a, b] = multiply(labOfLMS, map(multiply(lmsOfRGB, map(rgb, linear)), Math.cbrt));
	const c = Math.hypot(a, b);
	return [l, c < 1e-4 ? 0 : c, c < 1e-4 ? 0 : ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360];
}

function linearOfLCH([l, c, h]: Triple): Triple {
	const angle = (h * Math.PI) / 180;
	return multiply(rgbOfLMS, map(multiply(lmsOfLab, [l, c * Math.cos(angle), c * Math.sin(angle)]), (n) => n ** 3));
}

export const rgbOfLCH = (lch: Triple): Triple => map(linearOfLCH(lch), gamma);
export const p3OfLCH = (lch: Triple): Triple => map(multiply(p3OfRGB, linearOfLCH(lch)), gamma);
export const lchOfP3 = (p3: Triple): Triple => lchOfRGB(map(multiply(rgbOfP3, map(p3, linear)), gamma));

const inside = (v: Triple): boolean => v.every((n) => n > -0.0005 && n < 1.0005);
export const inSRGB = (lch: Triple): boolean => inside(rgbOfLCH(lch));
export const inP3 = (lch: Triple): boolean => inside(p3OfLCH(lch));

/** The nearest colour of sRGB with the same lightness and hue. */
export function mapped(lch: Triple): Triple {
	if (inSRGB(lch)) return lch;
	let low = 0;
	let high = lch[1];
	for (let i = 0; i < 20; i++) {
		const middle = (low + high) / 2;
		if (inSRGB([lch[0], middle, lch[2]])) low = middle;
		else high = middle;
	}
	return [lch[0], low, lch[2]];
}

export function hex(color: Color): string {
	const byte = (n: number): string => Math.round(Math.max(0, Math.min(1, n)) * 255).toString(16).padStart(2, "0");
	return `#${rgbOfLCH(mapped(color.lch)).map(byte).join("")}${color.alpha < 1 ? byte(color.alpha) : ""}`;
}

function ofHex(text: string): Color | null {
	if (!/^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(text)) return null;
	const digits = text.length < 6 ? [...text.slice(1)].map((d) => d + d).join("") : text.slice(1);
	const bytes = digits.match(/../g)!.map((b) => parseInt(b, 16) / 255);
	return { lch: lchOfRGB([bytes[0]!, bytes[1]!, bytes[2]!]), alpha: bytes[3] ?? 1 };
}

/** The colour of a token's value; null if it is of a form that the controls do not know. */
export function parse(value: JSONValue): Color | null {
	if (typeof value === "string") return ofHex(value.trim()) ?? ofFunction(value.trim());
	if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
	const { colorSpace, components, alpha, hex: fallback } = value;
	const a = typeof alpha === "number" ? alpha : 1;
	if (!Array.isArray(components)) return typeof fallback === "string" ? ofHex(fallback) : null;
	const numbers = components.map((c) => (typeof c === "number" ? c : 0)) as unknown as Triple;
	switch (colorSpace) {
		case "srgb": return { lch: lchOfRGB(numbers), alpha: a };
		case "display-p3": return { lch: lchOfP3(numbers), alpha: a };
		case "oklch": return { lch: numbers, alpha: a };
		default: return typeof fallback === "string" ? ofHex(fallback) : null;
	}
}

function ofFunction(text: string): Color | null {
	const m = /^(rgba?|oklch)\(([^()]*)\)$/i.exec(text);
	if (!m) return null;
	const isLCH = m[1]!.toLowerCase() === "oklch";
	const numbers = m[2]!.split(/[\s,/]+/).filter(Boolean).map((p, i) => {
		const n = parseFloat(p);
		if (i === 3) return p.endsWith("%") ? n / 100 : n;
		if (isLCH) return p.endsWith("%") ? (n / 100) * (i === 1 ? 0.4 : 1) : n;
		return p.endsWith("%") ? n / 100 : n / 255;
	});
	if (numbers.length < 3 || numbers.some((n) => !Number.isFinite(n))) return null;
	const triple = [numbers[0]!, numbers[1]!, numbers[2]!] as const;
	return { lch: isLCH ? triple : lchOfRGB(triple), alpha: numbers[3] ?? 1 };
}

const round = (n: number, digits: number): number => Number(n.toFixed(digits));

/** A colour in the form that the value before had: text stays #rrggbb while sRGB has the colour, an object keeps its space. */
export function write(color: Color, before: JSONValue): JSONValue {
	if ((typeof before === "string" || before === null) && inSRGB(color.lch)) return hex(color);
	const old = before !== null && typeof before === "object" && !Array.isArray(before) ? before : {};
	const space = old.colorSpace === "srgb" && inSRGB(color.lch) ? "srgb" : old.colorSpace === "display-p3" && inP3(color.lch) ? "display-p3" : "oklch";
	const components = space === "srgb" ? map(rgbOfLCH(color.lch), (n) => round(Math.max(0, Math.min(1, n)), 4)) : space === "display-p3" ? map(p3OfLCH(color.lch), (n) => round(Math.max(0, Math.min(1, n)), 4)) : [round(color.lch[0], 4), round(color.lch[1], 4), round(color.lch[2], 2)];
	return { ...old, colorSpace: space, components: [...components], ...(color.alpha < 1 || "alpha" in old ? { alpha: round(color.alpha, 3) } : {}), hex: hex({ ...color, alpha: 1 }) };
}

/** The contrast of a colour with white or black (WCAG 2), from 1 to 21. */
export function contrast(color: Color, other: "white" | "black"): number {
	const [r, g, b] = map(rgbOfLCH(mapped(color.lch)), linear);
	const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
	return other === "white" ? 1.05 / (luminance + 0.05) : (luminance + 0.05) / 0.05;
}
