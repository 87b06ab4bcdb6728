// Controls for values of one part: numbers, quantities, texts, lists of names, aliases and JSON.
import { useState } from "preact/hooks";
import { useName } from "../state/signals";
import { Button, Checkbox, Field, SelectField, TextField } from "../ui/controls";
import { members, type JSONValue } from "../state/token";
import type { PartProps } from "./index";

/** A field that commits on Enter and when it is left, if what stands in it is right. */
function Typed({ label, shown, read, onInput, onCommit, disabled, list, wrong, steps }: {
	label: string;
	shown: string;
	read: (text: string) => JSONValue | undefined;
	onInput: (v: JSONValue) => void;
	onCommit: (v: JSONValue) => void;
	disabled?: boolean;
	list?: readonly string[];
	wrong: string;
	steps?: boolean;
}) {
	const [text, setText] = useState<string | null>(null);
	const id = useName();
	const value = text === null ? undefined : read(text);
	const commit = (): void => {
		if (text !== null && value !== undefined) onCommit(value);
		if (value !== undefined) setText(null);
	};
	const step = (event: KeyboardEvent): void => {
		if (event.key === "Enter") commit();
		if (event.key === "Escape") setText(null);
		const n = Number(text ?? shown);
		if (!steps || !Number.isFinite(n) || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
		event.preventDefault();
		const by = (event.shiftKey ? 10 : event.altKey ? 0.1 : 1) * (event.key === "ArrowUp" ? 1 : -1);
		change(String(Number((n + by).toFixed(4))));
	};
	const change = (next: string): void => {
		setText(next);
		const v = read(next);
		if (v !== undefined) onInput(v);
	};
	return (
		<div onFocusOut={commit} onKeyDown={step}>
			<TextField label={label} value={text ?? shown} disabled={disabled} list={list && list.length > 0 ? id : undefined} error={text !== null && value === undefined ? wrong : ""} onInput={change} />
			{list && list.length > 0 && <datalist id={id}>{list.map((v) => <option key={v} value={v} />)}</datalist>}
		</div>
	);
}

const numberOf = (text: string): number | undefined => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined);

export function NumberField({ value, label, ...rest }: PartProps) {
	return <Typed label={label} shown={value === null ? "" : String(value)} read={(t) => numberOf(t) ?? (typeof value === "string" && t.trim() ? t : undefined)} wrong="This is not a number." steps {...rest} />;
}

/** A number with a unit, as text ("4px") or as DTCG's object, whichever it was. */
export function QuantityField({ value, label, units, onInput, onCommit, disabled }: PartProps & { units: readonly string[] }) {
	const object = members(value);
	const parts = object ? [String(object.value ?? ""), String(object.unit ?? "")] : (/^(-?[\d.]+)([a-z%]*)$/i.exec(String(value))?.slice(1) ?? null);
	if (!parts) return <TextValueField value={value} label={label} onInput={onInput} onCommit={onCommit} disabled={disabled} find={() => undefined} list={[]} />;
	const [number, unit] = parts as [string, string];
	const make = (n: number, u: string): JSONValue => (object ? { ...object, value: n, unit: u } : typeof value === "number" && u === "" ? n : `${n}${u}`);
	return (
		<div class="editor-row">
			<Typed label={label} shown={number} disabled={disabled} steps wrong="This is not a number." read={(t) => { const n = numberOf(t); return n === undefined ? undefined : make(n, unit); }} onInput={onInput} onCommit={onCommit} />
			<SelectField label={`Unit of ${label}`} hidden value={unit} disabled={disabled} onChange={(u) => onCommit(make(Number(number), u))} options={[...new Set([unit, ...units])].map((u) => [u, u || "none"] as const)} />
		</div>
	);
}

export function TextValueField({ value, label, list, numbers, ...rest }: PartProps & { list: readonly string[]; numbers?: boolean }) {
	return <Typed label={label} shown={value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)} list={list} read={(t) => (numbers ? (numberOf(t) ?? t) : t)} wrong="" {...rest} />;
}

export function BooleanField({ value, label, onCommit, disabled }: PartProps) {
	return <Checkbox label={label} checked={value === true} disabled={disabled} onChange={onCommit} />;
}

export function AliasField({ value, label, paths, ...rest }: PartProps) {
	const shown = typeof value === "string" && /^\{[^{}]+\}$/.test(value) ? value.slice(1, -1) : "";
	const known = paths?.() ?? [];
	return <Typed label={`${label}: the token`} shown={shown} list={known.slice(0, 2000)} read={(t) => (known.includes(t.trim()) ? `{${t.trim()}}` : undefined)} wrong="No token has this path. Choose one of the list." {...rest} />;
}

/** Names in their order: the first that the reader's machine has is used. */
export function ListField({ value, label, onCommit, disabled }: PartProps) {
	const names = (Array.isArray(value) ? value : [value]).map((n) => (typeof n === "string" ? n : ""));
	const set = (next: string[]): void => onCommit(next.length === 1 && !Array.isArray(value) ? next[0]! : next);
	return (
		<fieldset class="editor-parts" disabled={disabled}>
			<legend>{label}</legend>
			{names.map((name, i) => (
				<div class="editor-row" key={i}>
					<Typed label={`Family ${i + 1}`} shown={name} read={(t) => t.trim() || undefined} wrong="A family needs a name." onInput={() => undefined} onCommit={(v) => set(names.with(i, String(v)))} />
					<Button kind="quiet" aria-label={`Move ${name} up`} disabled={i === 0} onClick={() => set(names.with(i - 1, name).with(i, names[i - 1]!))}>↑</Button>
					<Button kind="quiet" aria-label={`Remove ${name}`} disabled={names.length === 1} onClick={() => set(names.toSpliced(i, 1))}>✕</Button>
				</div>
			))}
			<Button onClick={() => set([...names, "sans-serif"])}>Add a family</Button>
		</fieldset>
	);
}

/** What is wrong with JSON, and where, in the browser's words. */
function faultOf(text: string): string {
	try {
		JSON.parse(text);
		return "";
	} catch (err) {
		return (err as Error).message;
	}
}

export function RawField({ value, label, onInput, onCommit, disabled }: PartProps) {
	const [text, setText] = useState<string | null>(null);
	const fault = text === null ? "" : faultOf(text);
	const commit = (): void => {
		if (text === null || fault) return;
		onCommit(JSON.parse(text) as JSONValue);
		setText(null);
	};
	return (
		<div class="editor-parts" onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) commit(); if (e.key === "Escape") setText(null); }}>
			<Field label={`${label}: JSON`} error={fault} hint="Ctrl+Enter sets it.">
				{(a) => <textarea class="input" rows={6} spellcheck={false} disabled={disabled} value={text ?? JSON.stringify(value, null, 2)} onInput={(e) => { const t = e.currentTarget.value; setText(t); if (!faultOf(t)) onInput(JSON.parse(t) as JSONValue); }} {...a} />}
			</Field>
			{text !== null && <Button kind="primary" disabled={fault !== ""} onClick={commit}>Set the value</Button>}
		</div>
	);
}
