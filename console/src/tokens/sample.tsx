// How one value looks. Styles are set by script, one property each: the page allows none in markup.
import { Swatch } from "../ui/controls";
import type { JSONValue } from "../state/token";
import * as css from "./css";

/** The kind of a type: which sample it has. */
export function kindOf(type: string | null): string {
	switch (type) {
		case "dimension": case "spacing": case "sizing": case "size": case "space": case "fontSize": case "fontSizes": case "borderWidth": case "letterSpacing": return "size";
		case "borderRadius": case "radius": return "radius";
		case "boxShadow": return "shadow";
		case "fontFamilies": return "fontFamily";
		case "fontWeights": return "fontWeight";
		case "cubic-bezier": return "cubicBezier";
		default: return type ?? "";
	}
}

/** value is resolved: it holds no alias. */
export function Sample({ type, value }: { type: string | null; value: JSONValue }) {
	switch (kindOf(type)) {
		case "color": return <Swatch color={css.color(value)} />;
		case "size": return <span class="sample-bar" aria-hidden="true" style={{ inlineSize: `min(${css.quantity(value) || "0px"}, 100%)` }} />;
		case "radius": return <span class="sample-box" aria-hidden="true" style={{ borderRadius: css.quantity(value) }} />;
		case "shadow": return <span class="sample-box raised" aria-hidden="true" style={{ boxShadow: css.shadow(value) }} />;
		case "gradient": return <span class="sample-box" aria-hidden="true" style={{ backgroundImage: css.gradient(value) }} />;
		case "border": return <span class="sample-box" aria-hidden="true" style={{ border: css.border(value) }} />;
		case "fontFamily": return <span class="sample-text" aria-hidden="true" style={{ fontFamily: css.family(value) }}>Ag</span>;
		case "fontWeight": return <span class="sample-text" aria-hidden="true" style={{ fontWeight: String(value) }}>Ag</span>;
		case "typography": return <span class="sample-text" aria-hidden="true" style={css.typography(value)}>Ag</span>;
		case "opacity": return <span class="sample-box filled" aria-hidden="true" style={{ opacity: String(value) }} />;
		case "cubicBezier": return <Curve points={css.bezier(value)} />;
		default: return null;
	}
}

function Curve({ points }: { points: readonly [number, number, number, number] | null }) {
	if (!points) return null;
	const [a, b, c, d] = points;
	const y = (v: number): number => 20 - Math.max(-0.5, Math.min(1.5, v)) * 16;
	return (
		<svg class="sample-curve" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
			<path d={`M4 20 C ${4 + a * 16} ${y(b)}, ${4 + c * 16} ${y(d)}, 20 4`} fill="none" stroke="currentColor" stroke-width="1.5" />
		</svg>
	);
}
