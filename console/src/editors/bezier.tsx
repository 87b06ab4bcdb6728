// The control for cubic Bézier curves: two handles that are dragged or moved by arrow keys, and their numbers.
import { useRef } from "preact/hooks";
import { Button } from "../ui/controls";
import { bezier } from "../tokens/css";
import { NumberField } from "./simple";
import type { PartProps } from "./index";

const presets: readonly (readonly [string, readonly number[]])[] = [["Linear", [0, 0, 1, 1]], ["Ease", [0.25, 0.1, 0.25, 1]], ["Ease in", [0.42, 0, 1, 1]], ["Ease out", [0, 0, 0.58, 1]], ["Ease in and out", [0.42, 0, 0.58, 1]]];
const size = 160;
const pad = 70;
const x = (v: number): number => pad + v * size;
const y = (v: number): number => pad + (1 - v) * size;
const within = (v: number, low: number, high: number): number => Number(Math.max(low, Math.min(high, v)).toFixed(3));

export function BezierField({ value, label, onInput, onCommit, disabled, ...rest }: PartProps) {
	const box = useRef<SVGSVGElement>(null);
	const dragged = useRef<number | null>(null);
	const points = bezier(value) ?? [0.25, 0.1, 0.25, 1];
	const moved = (handle: number, px: number, py: number): number[] => {
		const next = [...points];
		next[handle * 2] = within(px, 0, 1);
		next[handle * 2 + 1] = within(py, -1, 2);
		return next;
	};
	const at = (event: PointerEvent): [number, number] => {
		const r = box.current!.getBoundingClientRect();
		const scale = (size + 2 * pad) / r.width;
		return [((event.clientX - r.left) * scale - pad) / size, 1 - ((event.clientY - r.top) * scale - pad) / size];
	};
	const key = (handle: number) => (event: KeyboardEvent): void => {
		const by = event.shiftKey ? 0.1 : 0.01;
		const steps: Record<string, [number, number]> = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
		const step = steps[event.key];
		if (!step || disabled) return;
		event.preventDefault();
		onCommit(moved(handle, points[handle * 2]! + step[0], points[handle * 2 + 1]! + step[1]));
	};
	return (
		<div class="editor-parts">
			<svg
				ref={box} class="curve" viewBox={`0 0 ${size + 2 * pad} ${size + 2 * pad}`} role="group" aria-label={label}
				onPointerMove={(e) => { if (dragged.current !== null) onInput(moved(dragged.current, ...at(e))); }}
				onPointerUp={(e) => { if (dragged.current !== null) onCommit(moved(dragged.current, ...at(e))); dragged.current = null; }}
			>
				<rect x={pad} y={pad} width={size} height={size} class="curve-box" />
				<path d={`M${x(0)} ${y(0)} C ${x(points[0]!)} ${y(points[1]!)}, ${x(points[2]!)} ${y(points[3]!)}, ${x(1)} ${y(1)}`} class="curve-line" />
				{[0, 1].map((h) => (
					<g key={h}>
						<line x1={x(h)} y1={y(h)} x2={x(points[h * 2]!)} y2={y(points[h * 2 + 1]!)} class="curve-arm" />
						<circle
							cx={x(points[h * 2]!)} cy={y(points[h * 2 + 1]!)} r={8} class="curve-handle" tabIndex={disabled ? -1 : 0} role="slider"
							aria-label={`Handle ${h + 1}; the arrow keys move it`} aria-valuenow={points[h * 2 + 1]} aria-valuemin={-1} aria-valuemax={2} aria-valuetext={`${points[h * 2]} across, ${points[h * 2 + 1]} up`} aria-disabled={disabled}
							onKeyDown={key(h)} onPointerDown={(e) => { if (!disabled) { dragged.current = h; box.current!.setPointerCapture(e.pointerId); } }}
						/>
					</g>
				))}
			</svg>
			<div class="editor-numbers">
				{points.map((n, i) => <NumberField key={i} {...rest} label={["x1", "y1", "x2", "y2"][i]!} value={n} disabled={disabled} onInput={() => undefined} onCommit={(v) => onCommit([...points].with(i, Number(v)))} />)}
			</div>
			<div class="actions">{presets.map(([name, curve]) => <Button key={name} disabled={disabled} onClick={() => onCommit([...curve])}>{name}</Button>)}</div>
		</div>
	);
}
