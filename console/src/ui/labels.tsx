// Labels as they are edited, and the question before what cannot be taken back.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, Dialog, TextField } from "./controls";

export type Pairs = readonly (readonly [string, string])[];

export const labelsOf = (pairs: Pairs): Record<string, string> => Object.fromEntries(pairs.filter(([name]) => name.trim()).map(([name, value]) => [name.trim(), value]));

/** A list of labels that can be edited. */
export function LabelsField({ pairs, onChange, disabled }: { pairs: Pairs; onChange: (pairs: Pairs) => void; disabled?: boolean }) {
	const set = (i: number, name: string, value: string): void => onChange(pairs.map((p, j) => (i === j ? [name, value] : p)));
	return (
		<fieldset class="set" disabled={disabled}>
			<legend>Labels</legend>
			{pairs.map(([name, value], i) => (
				<div class="pair" key={i}>
					<TextField label={`Name of label ${i + 1}`} hidden placeholder="name" value={name} onInput={(n) => set(i, n, value)} />
					<TextField label={`Value of label ${i + 1}`} hidden placeholder="value" value={value} onInput={(v) => set(i, name, v)} />
					<Button kind="quiet" aria-label={`Remove label ${name || i + 1}`} onClick={() => onChange(pairs.filter((_, j) => j !== i))}>✕</Button>
				</div>
			))}
			<Button onClick={() => onChange([...pairs, ["", ""]])}>Add a label</Button>
			<p class="hint">All who may read this read its labels. Lists find by them.</p>
		</fieldset>
	);
}

/** Asks for a word before something is done that cannot be taken back. */
export function Confirm({ title, word, submit, onConfirm, onClose, children }: {
	title: string;
	word: string;
	submit: string;
	onConfirm: () => Promise<void>;
	onClose: () => void;
	children: ComponentChildren;
}) {
	const [typed, setTyped] = useState("");
	return (
		<Dialog title={title} onClose={onClose} submit={submit} danger onSubmit={onConfirm} disabled={typed !== word}>
			{children}
			<TextField label={`Type ${word} to go on`} value={typed} onInput={setTyped} />
		</Dialog>
	);
}
