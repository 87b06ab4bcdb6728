// The controls that all views are made of.
import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useName } from "../state/signals";
import type { Loaded } from "../state/resource";
import { signal } from "@preact/signals-core";

export type ButtonProps = Omit<ComponentProps<"button">, "type" | "class" | "role"> & {
	class?: string;
	role?: "tab" | "switch" | "menuitem";
} & {
	kind?: "primary" | "plain" | "danger" | "quiet";
	busy?: boolean;
	disabled?: boolean;
	type?: "button" | "submit";
};

export function Button({ kind = "plain", busy = false, disabled, type = "button", class: extra, ...rest }: ButtonProps) {
	return <button type={type} class={`button ${kind} ${extra ?? ""}`} disabled={disabled || busy} aria-busy={busy} {...(rest as object)} />;
}

export interface FieldProps {
	label: string;
	hint?: string;
	error?: string;
	hidden?: boolean; // the label is for screen readers alone
	children: (attributes: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ComponentChildren;
}

/** A label, a control, and what is wrong with it. */
export function Field({ label, hint, error, hidden, children }: FieldProps) {
	const id = useName();
	const note = error || hint;
	return (
		<div class={`field ${error ? "wrong" : ""}`}>
			<label for={id} class={hidden ? "visually-hidden" : ""}>{label}</label>
			{children({ id, "aria-describedby": note ? `${id}-note` : undefined, "aria-invalid": error ? true : undefined })}
			{note && <p id={`${id}-note`} class={error ? "error" : "hint"}>{note}</p>}
		</div>
	);
}

export interface TextFieldProps {
	label: string;
	value: string;
	onInput: (value: string) => void;
	onBlur?: () => void;
	hint?: string;
	error?: string;
	hidden?: boolean;
	type?: "text" | "search" | "url";
	placeholder?: string;
	required?: boolean;
	autofocus?: boolean;
	list?: string;
	disabled?: boolean;
	spellcheck?: boolean;
	inputMode?: "text" | "decimal" | "search";
}

export function TextField({ label, hint, error, hidden, value, onInput, autofocus, ...rest }: TextFieldProps) {
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => {
		if (autofocus) input.current?.focus();
	}, []);
	return (
		<Field label={label} hint={hint} error={error} hidden={hidden}>
			{(a) => <input ref={input} class="input" autocomplete="off" spellcheck={false} value={value} onInput={(e) => onInput(e.currentTarget.value)} {...a} {...(rest as object)} />}
		</Field>
	);
}

export function SelectField<T extends string>({ label, value, options, onChange, hint, hidden, disabled }: {
	label: string;
	value: T;
	options: readonly (readonly [T, ComponentChildren])[];
	onChange: (value: T) => void;
	hint?: string;
	hidden?: boolean;
	disabled?: boolean;
}) {
	return (
		<Field label={label} hint={hint} hidden={hidden}>
			{(a) => (
				<select class="input" value={value} disabled={disabled} onChange={(e) => onChange(e.currentTarget.value as T)} {...a}>
					{options.map(([v, text]) => <option key={v} value={v} selected={v === value}>{text}</option>)}
				</select>
			)}
		</Field>
	);
}

export function Checkbox({ label, checked, onChange, disabled }: { label: string; checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean }) {
	return (
		<label class="checkbox">
			<input type="checkbox" checked={checked} disabled={disabled} onChange={(e) => onChange(e.currentTarget.checked)} />
			<span>{label}</span>
		</label>
	);
}

/** A form in a dialog over the page. Escape and the close button end it; the focus stays in it and goes back afterwards. */
export function Dialog({ title, onClose, wide, ...form }: { title: string; onClose: () => void; wide?: boolean } & Omit<FormProps, "onCancel">) {
	const dialog = useRef<HTMLDialogElement>(null);
	const id = useName();
	useEffect(() => {
		const d = dialog.current!;
		const opener = document.activeElement as HTMLElement | null;
		d.showModal();
		d.querySelector<HTMLElement>("[autofocus], input, select, textarea")?.focus();
		return () => {
			d.close();
			opener?.focus();
		};
	}, []);
	return (
		<dialog ref={dialog} class={`dialog ${wide ? "wide" : ""}`} aria-labelledby={id} onCancel={(e) => { e.preventDefault(); onClose(); }}>
			<header>
				<h2 id={id}>{title}</h2>
				<Button kind="quiet" aria-label="Close" onClick={onClose}>✕</Button>
			</header>
			<Form {...form} onCancel={onClose} />
		</dialog>
	);
}

export interface FormProps {
	onSubmit: () => Promise<void>;
	submit: string;
	onCancel?: () => void;
	danger?: boolean;
	disabled?: boolean;
	children?: ComponentChildren;
}

/** A form that sends once at a time and shows what was wrong. */
export function Form({ onSubmit, submit, onCancel, danger, disabled, children }: FormProps) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState("");
	return (
		<form
			class="form"
			noValidate
			onSubmit={async (event) => {
				event.preventDefault();
				setBusy(true);
				setError("");
				try {
					await onSubmit();
				} catch (err) {
					setError((err as Error).message);
				} finally {
					setBusy(false);
				}
			}}
		>
			{children}
			<div role="alert">{error && <p class="notice danger">{error}</p>}</div>
			<div class="actions">
				<Button type="submit" kind={danger ? "danger" : "primary"} busy={busy} disabled={disabled}>{submit}</Button>
				{onCancel && <Button onClick={onCancel}>Cancel</Button>}
			</div>
		</form>
	);
}

/** What takes the last step of editing back, and does it again. */
export function UndoButtons({ undoable, redoable, undo, redo }: { undoable: readonly unknown[]; redoable: readonly unknown[]; undo: () => void; redo: () => void }) {
	return (
		<>
			<Button kind="quiet" aria-label="Undo" title="Undo" disabled={undoable.length === 0} onClick={undo}>↶</Button>
			<Button kind="quiet" aria-label="Redo" title="Redo" disabled={redoable.length === 0} onClick={redo}>↷</Button>
		</>
	);
}

/** A table that scrolls by itself if it is too wide. */
export function Table({ label, heads, class: extra, children }: { label: string; heads: readonly string[]; class?: string; children: ComponentChildren }) {
	return (
		<div class="scroll" tabIndex={0} role="region" aria-label={label}>
			<table class={`table ${extra ?? ""}`}>
				<thead><tr>{heads.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
				<tbody>{children}</tbody>
			</table>
		</div>
	);
}

/** A part of a view under a title of its own. */
export function Section({ title, wide, children }: { title: ComponentChildren; wide?: boolean; children: ComponentChildren }) {
	const id = useName();
	return (
		<section class={`card ${wide ? "wide" : ""}`} aria-labelledby={id}>
			<h2 id={id}>{title}</h2>
			{children}
		</section>
	);
}

/** A part that can be folded. */
export function Fold({ title, count, open, onToggle, children }: { title: string; count?: number; open?: boolean; onToggle?: (open: boolean) => void; children: ComponentChildren }) {
	return (
		<details class="look-part" open={open} onToggle={(e) => onToggle?.(e.currentTarget.open)}>
			<summary><h2>{title} {count !== undefined && <span class="count">{count}</span>}</h2></summary>
			{children}
		</details>
	);
}

export function Badge({ kind = "", children }: { kind?: "" | "success" | "warning" | "danger" | "accent"; children: ComponentChildren }) {
	return <span class={`badge ${kind}`}>{children}</span>;
}

/** What a view says when it has nothing to show: what this is, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
	return (
		<div class="empty">
			<h2>{title}</h2>
			{children}
		</div>
	);
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
	return (
		<div class="notice danger" role="alert">
			<p>{error.message}</p>
			{retry && <Button onClick={retry}>Try again</Button>}
		</div>
	);
}

/** What stands in for a value that is not there yet, or cannot be had. */
export function Waiting({ of: { state, reload }, what }: { of: { state: { readonly value: Loaded<unknown> }; reload: () => Promise<void> }; what: string }) {
	const { data, error } = state.value;
	return error ? <Failure error={error} retry={() => void reload()} /> : data ? null : <Loading what={what} />;
}

export function Loading({ what }: { what: string }) {
	return <p class="loading" role="status"><span class="spinner" aria-hidden="true" />{what} …</p>;
}

export function Progress({ label, value, max }: { label: string; value: number; max: number }) {
	return <label class="progress"><span>{label}</span><progress value={value} max={max} /></label>;
}

/** A colour, over a pattern that shows how far it lets through. The style is set by script, since the page allows no style attributes in markup. */
export function Swatch({ color, large }: { color: string; large?: boolean }) {
	return <span class={`swatch ${large ? "large" : ""}`} aria-hidden="true"><span ref={(e) => { if (e) e.style.backgroundColor = color; }} /></span>;
}

/** A button that copies a text, and says so. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
	return <Button kind="quiet" class="copy" onClick={() => void navigator.clipboard.writeText(text).then(() => say("Copied."), () => say("The browser did not allow it: select the text and copy it.", "danger"))}>{label}</Button>;
}

interface Toast {
	id: number;
	text: string;
	kind: "" | "danger" | "success";
	action?: { text: string; run: () => void };
}
const toasts = signal<readonly Toast[]>([]);
let lastToast = 0;

/** Tells what happened, at the edge of the page and to screen readers. */
export function say(text: string, kind: Toast["kind"] = "", action?: Toast["action"]): void {
	const id = ++lastToast;
	toasts.value = [...toasts.value.slice(-2), { id, text, kind, action }];
	setTimeout(() => dismiss(id), kind === "danger" ? 12_000 : 6_000);
}

/** Tells why something was refused. */
export const complain = (error: Error): void => say(error.message, "danger");

function dismiss(id: number): void {
	toasts.value = toasts.value.filter((t) => t.id !== id);
}

export function Toasts() {
	return (
		<div class="toasts" role="status" aria-live="polite">
			{toasts.value.map((t) => (
				<div key={t.id} class={`toast ${t.kind}`}>
					<span>{t.text}</span>
					{t.action && <Button kind="quiet" onClick={() => { t.action!.run(); dismiss(t.id); }}>{t.action.text}</Button>}
				</div>
			))}
		</div>
	);
}

const formatter = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** A time as people say it, with the exact one on demand. */
export function Time({ at }: { at: string | null }) {
	if (!at) return <span class="muted">never</span>;
	const seconds = (Date.parse(at) - Date.now()) / 1000;
	const [unit, size] = ([["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]] as const).find(([, s]) => Math.abs(seconds) >= s) ?? ["second", 1];
	const text = Math.abs(seconds) > 30 * 86400 ? formatter.format(new Date(at)) : relative.format(Math.round(seconds / size), unit);
	return <time dateTime={at} title={formatter.format(new Date(at))}>{text}</time>;
}
