// What samples show: values of tokens as CSS, for one property each. It is only for looking at; the renderer makes the files.
import { members, type JSONValue } from "../state/token";

type Members = { [name: string]: JSONValue };
const spaces = "srgb srgb-linear display-p3 a98-rgb prophoto-rgb rec2020 xyz-d65 xyz-d50".split(" ");

/** A colour as CSS, "" if it is not one. */
export function color(value: JSONValue): string {
	const text = typeof value === "string" ? value : colorOf(members(value));
	return text && CSS.supports("color", text) ? text : "";
}

function colorOf(v: Members | null): string {
	if (!v) return "";
	const { colorSpace, components, alpha } = v;
	if (typeof colorSpace !== "string" || !Array.isArray(components)) return typeof v.hex === "string" ? v.hex : "";
	const parts = components.map((c) => (typeof c === "number" ? String(c) : "none"));
	const end = typeof alpha === "number" && alpha < 1 ? ` / ${alpha})` : ")";
	const percent = (i: number): string => (parts[i] === "none" ? "none" : `${parts[i]}%`);
	switch (colorSpace) {
		case "oklch": case "oklab": case "lab": case "lch": return `${colorSpace}(${parts.join(" ")}${end}`;
		case "hsl": case "hwb": return `${colorSpace}(${parts[0]} ${percent(1)} ${percent(2)}${end}`;
		default: return spaces.includes(colorSpace) ? `color(${colorSpace} ${parts.join(" ")}${end}` : "";
	}
}

/** A length or a time as CSS. */
export function quantity(value: JSONValue): string {
	if (typeof value === "string") return value;
	if (typeof value === "number") return value === 0 ? "0" : `${value}px`;
	const v = members(value);
	return v && (typeof v.value === "number" || typeof v.value === "string") && typeof v.unit === "string" ? `${v.value}${v.unit}` : "";
}

export function family(value: JSONValue): string {
	const names = Array.isArray(value) ? value : [value];
	return names.filter((n) => typeof n === "string").map((n) => (/^[\w-]+$/.test(n as string) ? n : JSON.stringify(n))).join(", ");
}

export function bezier(value: JSONValue): readonly [number, number, number, number] | null {
	const list = Array.isArray(value) ? value : typeof value === "string" ? [...(/cubic-bezier\(([^)]*)\)/.exec(value)?.[1]?.split(",") ?? [])].map(Number) : [];
	return list.length === 4 && list.every((n) => typeof n === "number" && Number.isFinite(n)) ? (list as [number, number, number, number]) : null;
}

export function shadow(value: JSONValue): string {
	if (typeof value === "string") return value;
	const layers = (Array.isArray(value) ? value : [value]).map(members).filter((l) => l !== null);
	return layers
		.map((l) => [l.inset === true || l.type === "innerShadow" ? "inset" : "", ...["offsetX", "offsetY", "blur", "spread"].map((n) => quantity(l[n] ?? l[n.replace("offset", "").toLowerCase()] ?? 0) || "0"), color(l.color ?? "")].filter(Boolean).join(" "))
		.join(", ");
}

export function gradient(value: JSONValue): string {
	if (typeof value === "string") return /^(repeating-)?(linear|radial|conic)-gradient\([^;{}]*\)$/.test(value) && !/url/i.test(value) ? value : "";
	const stops = (Array.isArray(value) ? value : []).map(members).filter((s) => s !== null);
	if (stops.length === 0) return "";
	return `linear-gradient(90deg, ${stops.map((s) => `${color(s.color ?? "") || "transparent"}${typeof s.position === "number" ? ` ${s.position * 100}%` : ""}`).join(", ")})`;
}

export function border(value: JSONValue): string {
	const v = members(value);
	if (!v) return typeof value === "string" ? value : "";
	return [quantity(v.width ?? 1), typeof v.style === "string" ? v.style : "solid", color(v.color ?? "") || "currentColor"].join(" ");
}

/** The properties of an element that show a typography. */
export function typography(value: JSONValue): Record<string, string> {
	const v = members(value);
	if (!v) return {};
	return {
		fontFamily: family(v.fontFamily ?? ""),
		fontWeight: String(v.fontWeight ?? ""),
		letterSpacing: quantity(v.letterSpacing ?? ""),
	};
}

/** A value as a person would write it: a colour, a quantity or a curve of several members as CSS, others as their JSON. */
export function short(value: JSONValue): string {
	if (typeof value === "string") return value;
	const v = members(value);
	if (v && "colorSpace" in v) return color(value) || JSON.stringify(value);
	if (v && "unit" in v && "value" in v) return quantity(value);
	if (Array.isArray(value) && value.every((n) => typeof n === "string")) return value.join(", ");
	return JSON.stringify(value);
}
