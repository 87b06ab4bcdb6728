// The editor of a cell, or of the same token in several Variants.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Variant } from "../../api/client";
import type { Draft } from "../../state/draft";
import type { VariantOverrides } from "../../state/overrides";
import { ValueEditor } from "../../editors";
import type { JSONValue } from "../../state/token";
import { short } from "../../tokens/css";
import { Button } from "../../ui/controls";
import { overlaid } from "./grid";
import type { Row } from "./logic";
import { edit } from "./matrix";

export interface Editing {
	row: Row;
	variants: readonly Variant[];
	box: DOMRect; // of the cell
	back: () => void; // gives the focus back
}

export function CellEditor({ row, variants, box, overrides, draft, onClose }: Editing & { overrides: VariantOverrides; draft: Draft; onClose: () => void }) {
	const popover = useRef<HTMLDivElement>(null);
	const first = variants[0]!;
	const inherited = draft.find(row.path)?.value;
	const [value, setValue] = useState<JSONValue>(overrides.of(first.id).get(row.path) ?? inherited ?? "");
	const names = variants.length === 1 ? first.displayName : `${variants.length} Variants`;
	const put = (to: JSONValue | undefined): void => {
		onClose();
		void edit(overrides, variants.map((v) => ({ variant: v.id, path: row.path, value: to })));
	};
	useEffect(() => {
		const e = popover.current!;
		e.showPopover();
		const place = (): void => {
			const { offsetWidth: width, offsetHeight: height } = e;
			e.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
			e.style.top = `${Math.max(8, Math.min(box.bottom, innerHeight - height - 8))}px`;
		};
		const observer = new ResizeObserver(place);
		observer.observe(e);
		(e.querySelector<HTMLElement>("input:not([type=color]), textarea") ?? e.querySelector<HTMLElement>("select"))?.focus();
		return () => observer.disconnect();
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
				<ValueEditor
					type={draft.find(row.path)?.resolvedType ?? null} value={value} label={row.path} onInput={setValue} onCommit={setValue} onCancel={onClose}
					find={(path) => overlaid(path, overrides.of(first.id), draft.find)} paths={() => draft.tokens.value.map((t) => t.path)}
				/>
				{inherited !== undefined && <p class="hint">Inherited: <code>{short(inherited)}</code></p>}
				<div class="actions">
					<Button type="submit" kind="primary">{variants.length === 1 ? "Set" : `Set for ${variants.length}`}</Button>
					{variants.some((v) => overrides.of(v.id).has(row.path)) && <Button onClick={() => put(undefined)}>Inherit</Button>}
					<Button kind="quiet" onClick={onClose}>Cancel</Button>
				</div>
			</form>
		</div>
	);
}
