// Controls for values of several parts: each part has the control of its own type, or is an alias.
import { Button } from "../ui/controls";
import { members, type JSONValue } from "../state/token";
import { Sample } from "../tokens/sample";
import { ValueEditor, type PartProps } from "./index";

/** The parts of a value: name, words, type, and the value that a new one has. */
export type Shape = readonly (readonly [name: string, words: string, type: string, first: JSONValue])[];

const none = { value: 0, unit: "px" };
export const shapes: Record<string, Shape> = {
	shadow: [["color", "Colour", "color", "#00000033"], ["offsetX", "Right", "dimension", none], ["offsetY", "Down", "dimension", { value: 2, unit: "px" }], ["blur", "Blur", "dimension", { value: 8, unit: "px" }], ["spread", "Spread", "dimension", none], ["inset", "Inside", "boolean", false]],
	gradient: [["color", "Colour", "color", "#808080"], ["position", "Position, 0 to 1", "number", 1]],
	typography: [["fontFamily", "Family", "fontFamily", ["system-ui"]], ["fontSize", "Size", "dimension", { value: 16, unit: "px" }], ["fontWeight", "Weight", "fontWeight", 400], ["lineHeight", "Line height", "number", 1.5], ["letterSpacing", "Letter spacing", "dimension", none]],
	border: [["width", "Width", "dimension", { value: 1, unit: "px" }], ["style", "Style", "strokeStyle", "solid"], ["color", "Colour", "color", "#808080"]],
	transition: [["duration", "Duration", "duration", { value: 200, unit: "ms" }], ["delay", "Delay", "duration", { value: 0, unit: "ms" }], ["timingFunction", "Timing", "cubicBezier", [0.2, 0, 0, 1]]],
	strokeStyle: [["lineCap", "Line cap", "string", "round"], ["dashArray", "Dashes", "other", [{ value: 4, unit: "px" }]]],
};

/** The value with which one of a shape begins. */
export const fresh = (shape: Shape): JSONValue => Object.fromEntries(shape.map(([name, , , first]) => [name, first]));

export function ObjectField({ value, label, shape, onInput, onCommit, ...rest }: PartProps & { shape: Shape }) {
	const object = members(value) ?? {};
	return (
		<fieldset class="editor-parts">
			<legend>{label}</legend>
			{shape.map(([name, words, type]) => name in object && (
				<ValueEditor key={name} {...rest} type={type} label={words} value={object[name]!} onCancel={() => onInput(value)} onInput={(v) => onInput({ ...object, [name]: v })} onCommit={(v) => onCommit({ ...object, [name]: v })} />
			))}
			{shape.some(([name]) => !(name in object)) && (
				<div class="actions">{shape.filter(([name]) => !(name in object)).map(([name, words, , first]) => <Button key={name} disabled={rest.disabled} onClick={() => onCommit({ ...object, [name]: first })}>Add {words.toLowerCase()}</Button>)}</div>
			)}
		</fieldset>
	);
}

/** A list of such values, or a single one. */
export function ObjectsField({ value, label, shape, what, onInput, onCommit, ...rest }: PartProps & { shape: Shape; what: string }) {
	const list = Array.isArray(value) ? value : [value];
	const whole = (next: JSONValue[]): JSONValue => (Array.isArray(value) || next.length !== 1 ? next : next[0]!);
	return (
		<div class="editor-parts">
			<Sample type={what === "stop" ? "gradient" : "shadow"} value={value} />
			{list.map((item, i) => (
				<details key={i} open={list.length < 3}>
					<summary>{what === "stop" ? "Stop" : "Layer"} {i + 1}</summary>
					<ValueEditor {...rest} type={what === "stop" ? "gradientStop" : "shadowLayer"} label={`${label}, ${what} ${i + 1}`} value={item} onCancel={() => onInput(value)} onInput={(v) => onInput(whole(list.with(i, v)))} onCommit={(v) => onCommit(whole(list.with(i, v)))} />
					<div class="actions">
						<Button disabled={rest.disabled || i === 0} onClick={() => onCommit(whole(list.with(i - 1, item).with(i, list[i - 1]!)))}>Move up</Button>
						<Button disabled={rest.disabled || list.length === 1} onClick={() => onCommit(whole(list.toSpliced(i, 1)))}>Remove the {what}</Button>
					</div>
				</details>
			))}
			<Button disabled={rest.disabled} onClick={() => onCommit([...list, fresh(shape)])}>Add a {what}</Button>
		</div>
	);
}
