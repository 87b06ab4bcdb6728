// The editor of a value: the control for its type, an alias, or its JSON.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, SelectField } from "../ui/controls";
import { aliasOf, equal, members, resolve, type JSONValue, type Token } from "../state/token";
import { kindOf } from "../tokens/sample";
import { ColorField } from "./colorfield";
import { AliasField, BooleanField, ListField, NumberField, QuantityField, RawField, TextValueField } from "./simple";
import { BezierField } from "./bezier";
import { ObjectField, ObjectsField, shapes } from "./objects";
import "./editors.css";

export interface PartProps {
	value: JSONValue;
	label: string;
	/** While a person drags or types: shown, not saved. */
	onInput: (value: JSONValue) => void;
	/** When a value is final. */
	onCommit: (value: JSONValue) => void;
	disabled?: boolean;
	find: (path: string) => Token | undefined;
	paths?: () => readonly string[];
}

export interface EditorProps extends PartProps {
	type: string | null;
	onCancel: () => void;
}

type Mode = "value" | "alias" | "json";
const isAlias = (v: JSONValue): boolean => aliasOf(v) !== undefined;

export function ValueEditor({ type, value, onInput, onCommit, onCancel, ...rest }: EditorProps) {
	const [mode, setMode] = useState<Mode>(isAlias(value) ? "alias" : "value");
	const [draft, setDraft] = useState<JSONValue | undefined>(undefined);
	const seen = useRef(value);
	const [changed, setChanged] = useState(false);
	useEffect(() => {
		if (!equal(seen.current, value)) {
			setChanged(draft !== undefined && !equal(draft, value));
			seen.current = value;
			if (draft === undefined && isAlias(value) !== (mode === "alias") && mode !== "json") setMode(isAlias(value) ? "alias" : "value");
		}
	}, [value]);
	const commit = (next: JSONValue): void => {
		setDraft(undefined);
		setChanged(false);
		seen.current = next;
		onCommit(next);
	};
	const cancel = (): void => {
		setDraft(undefined);
		setChanged(false);
		onCancel();
	};
	const part: PartProps = { ...rest, value: draft ?? value, onInput: (next) => { setDraft(next); onInput(next); }, onCommit: commit };
	const switchTo = (next: Mode): void => {
		setMode(next);
		if (next === "value" && isAlias(part.value)) setDraft(resolve(part.value, rest.find) ?? "");
	};
	return (
		<div class="editor" onKeyDown={(e) => { if (e.key === "Escape" && draft !== undefined) { e.stopPropagation(); cancel(); } }}>
			<SelectField label={`${rest.label}: written as`} hidden value={mode} disabled={rest.disabled} onChange={switchTo} options={[["value", "Value"], ["alias", "Alias of another token"], ["json", "JSON"]]} />
			{changed && <p class="notice warning" role="alert">Another person changed it meanwhile. What you do here takes its place. <Button onClick={cancel}>Take theirs</Button></p>}
			{mode === "json" ? <RawField {...part} /> : mode === "alias" ? <AliasField {...part} /> : <Control type={type} {...part} />}
		</div>
	);
}

/** The control for a type. */
export function Control({ type, ...part }: PartProps & { type: string | null }) {
	switch (kindOf(type)) {
		case "color": return <ColorField {...part} />;
		case "size": case "radius": return <QuantityField {...part} units={["px", "rem", "em", "%", "vw", "vh"]} />;
		case "duration": case "time": return <QuantityField {...part} units={["ms", "s"]} />;
		case "number": case "opacity": case "lineHeight": case "lineHeights": return <NumberField {...part} />;
		case "boolean": return <BooleanField {...part} />;
		case "fontWeight": return <TextValueField {...part} list={"100 200 300 400 500 600 700 800 900 thin light regular medium semi-bold bold black".split(" ")} numbers />;
		case "fontFamily": return <ListField {...part} />;
		case "cubicBezier": return <BezierField {...part} />;
		case "shadow": return <ObjectsField {...part} shape={shapes.shadow!} what="layer" />;
		case "shadowLayer": return <ObjectField {...part} shape={shapes.shadow!} />;
		case "gradientStop": return <ObjectField {...part} shape={shapes.gradient!} />;
		case "gradient": return <ObjectsField {...part} shape={shapes.gradient!} what="stop" />;
		case "typography": case "border": case "transition": case "strokeStyle": {
			return !members(part.value) ? <TextValueField {...part} list={type === "strokeStyle" ? "solid dashed dotted double groove ridge outset inset".split(" ") : []} /> : <ObjectField {...part} shape={shapes[kindOf(type)]!} />;
		}
		default: return part.value !== null && typeof part.value === "object" ? <RawField {...part} /> : <TextValueField {...part} list={[]} numbers={typeof part.value === "number"} />;
	}
}
