// The editor of a cell, or of the same token in several Variants.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Variant } from "../../api/client";
import type { Draft } from "../../state/draft";
import type { AllOverrides } from "../../state/overrides";
import { spell, type JSONValue } from "../../state/token";
import { Button, Field } from "../../ui/controls";
import { brief, type Row } from "./logic";
import { edit } from "./matrix";

export interface Editing {
	row: Row;
	variants: readonly Variant[];
	box: DOMRect; // of the cell
	back: () => void; // gives the focus back
}

/** What is typed as a value: JSON, or else a text. */
export function parseValue(text: string): JSONValue {
	try {
		return JSON.parse(text) as JSONValue;
	} catch {
		return text;
	}
}

export function CellEditor({ row, variants, box, overrides, draft, onClose }: Editing & { overrides: AllOverrides; draft: Draft; onClose: () => void }) {
	const popover = useRef<HTMLDivElement>(null);
	const first = variants[0]!;
	const inherited = draft.find(row.path)?.value;
	const [value, setValue] = useState<JSONValue>(overrides.of(first.id).get(row.path) ?? inherited ?? "");
	const [text, setText] = useState(spell(value));
	const names = variants.length === 1 ? first.displayName : `${variants.length} Variants`;
	const put = (to: JSONValue | undefined): void => {
		onClose();
		void edit(overrides, variants.map((v) => ({ variant: v.id, path: row.path, value: to })));
	};
	useEffect(() => {
		const e = popover.current!;
		e.showPopover();
		const { offsetWidth: width, offsetHeight: height } = e;
		e.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
		e.style.top = `${Math.max(8, box.bottom + height < innerHeight ? box.bottom : box.top - height)}px`;
		e.querySelector<HTMLElement>("input, textarea, select")?.focus();
	}, []);
	return (
		<div
			class="cell-editor" popover="manual" ref={popover} role="dialog" aria-label={`${row.path} of ${names}`}
			onKeyDown={(event) => {
				if (event.key !== "Escape") return;
				event.stopPropagation();
				onClose();
			}}
		>
			<form class="form" onSubmit={(event) => { event.preventDefault(); put(value); }}>
				<p><code>{row.path}</code> of <strong>{names}</strong></p>
				<Field label="Value" hint="A text, or JSON.">
					{(a) => <input class="input mono" value={text} spellcheck={false} onInput={(event) => { setText(event.currentTarget.value); setValue(parseValue(event.currentTarget.value)); }} {...a} />}
				</Field>
				{inherited !== undefined && <p class="hint">Inherited: <code>{brief(inherited)}</code></p>}
				<div class="actions">
					<Button type="submit" kind="primary">{variants.length === 1 ? "Set" : `Set for ${variants.length}`}</Button>
					{variants.some((v) => overrides.of(v.id).has(row.path)) && <Button onClick={() => put(undefined)}>Inherit</Button>}
					<Button kind="quiet" onClick={onClose}>Cancel</Button>
				</div>
			</form>
		</div>
	);
}
