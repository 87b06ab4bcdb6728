// The token table: only the rows that the window shows are in the page, whatever the Theme's size.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { memo } from "../state/signals";
import { aliasOf, resolve, type Token } from "../state/token";
import { Badge } from "../ui/controls";
import { rangeOf, useSight } from "../ui/window";
import { short } from "./css";
import { Sample } from "./sample";
import type { Row } from "./rows";

const rowHeight = 36; // pixels, as in tokens.css
const spare = 4; // rows above and below the window

export interface TableProps {
	rows: readonly Row[];
	selected: string;
	onSelect: (path: string) => void;
	onToggle: (group: string) => void;
	find: (path: string) => Token | undefined;
	diagnostics: ReadonlyMap<string, string>;
	changedByOthers: ReadonlySet<string>;
	ofVariant: boolean;
}

export function TokenTable(props: TableProps) {
	const { rows, selected, onSelect, onToggle } = props;
	const box = useRef<HTMLDivElement>(null);
	const [top, setTop] = useState(0);
	const [height, setHeight] = useState(600);
	const [active, setActive] = useState(0);
	const focus = useRef(false);
	useSight(box, (b) => {
		setTop(b.scrollTop);
		setHeight(b.clientHeight);
	});
	const at = Math.min(active, rows.length - 1);
	const show = (index: number): void => {
		const b = box.current!;
		if (index * rowHeight < b.scrollTop) b.scrollTop = index * rowHeight;
		else if ((index + 2) * rowHeight > b.scrollTop + b.clientHeight) b.scrollTop = (index + 2) * rowHeight - b.clientHeight;
		setTop(b.scrollTop);
	};
	const to = (index: number): void => {
		const next = Math.max(0, Math.min(rows.length - 1, index));
		focus.current = true;
		setActive(next);
		show(next);
	};
	useLayoutEffect(() => {
		const index = rows.findIndex((r) => r.path === selected);
		if (index < 0) return;
		setActive(index);
		show(index);
	}, [selected]);
	useLayoutEffect(() => {
		if (!focus.current) return;
		focus.current = false;
		box.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus({ preventScroll: true });
	});
	const key = (event: KeyboardEvent): void => {
		const row = rows[at];
		const page = Math.max(1, Math.floor(height / rowHeight) - 2);
		const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 };
		const move = moves[event.key];
		if (event.ctrlKey || event.metaKey || event.altKey || !row) return;
		if (move !== undefined) to(move);
		else if (event.key === "Enter" || event.key === " ") row.token || !props.ofVariant ? onSelect(row.path) : onToggle(row.path);
		else if (event.key === "ArrowRight" && row.open === false) onToggle(row.path);
		else if (event.key === "ArrowLeft" && row.open === true) onToggle(row.path);
		else if (event.key === "ArrowLeft") to(rows.findLastIndex((r, i) => i < at && r.depth < row.depth));
		else return;
		event.preventDefault();
	};
	const { first, last } = rangeOf(rows.length, rowHeight, 1, -top, height, spare);
	const shown = rows.slice(first, last);
	return (
		<div class="token-table" ref={box}>
			<div role="treegrid" aria-label="Tokens" aria-rowcount={rows.length + 1} aria-colcount={4} onKeyDown={key}>
				<div role="row" class="token-head" aria-rowindex={1}>
					<span role="columnheader">Name</span>
					<span role="columnheader">Value</span>
					<span role="columnheader" class="wide">{props.ofVariant ? "The Theme's own" : "Type"}</span>
					<span role="columnheader" class="wide">Notes</span>
				</div>
				<div role="rowgroup" style={{ blockSize: `${rows.length * rowHeight}px`, position: "relative" }}>
					{shown.map((row, i) => {
						const index = first + i;
						return (
							<div
								key={row.path + (row.token ? "" : "/")} role="row" aria-rowindex={index + 2} aria-level={row.depth + 1} aria-expanded={row.open}
								aria-selected={row.path === selected} tabIndex={index === at ? 0 : -1}
								class={`token-row ${row.token ? "" : "group"} ${props.changedByOthers.has(row.path) ? "by-others" : ""}`}
								style={{ insetBlockStart: `${index * rowHeight}px` }}
								onClick={() => { setActive(index); row.token ? onSelect(row.path) : onToggle(row.path); }}
							>
								<Cells row={row} find={props.find} fault={props.diagnostics.get(row.path)} byOthers={props.changedByOthers.has(row.path)} ofVariant={props.ofVariant} onSelect={onSelect} />
							</div>
						);
					})}
				</div>
			</div>
		</div>
	);
}

type CellsProps = Pick<TableProps, "find" | "ofVariant" | "onSelect"> & { row: Row; fault?: string; byOthers: boolean };

/** What stands in a row. It is drawn again only if it is another: most tokens' stay while one types into the filter. */
const Cells = memo(({ row, find, fault, byOthers, ofVariant, onSelect }: CellsProps) => {
	const name = <span role="gridcell" class="token-name" style={{ paddingInlineStart: `${row.depth * 1.1 + 0.5}rem` }}>{row.token ? <span>{row.name}</span> : <b>{row.open ? "▾" : "▸"} {row.name} <span class="muted">{row.count}</span></b>}</span>;
	if (!row.token) return <>{name}<span role="gridcell">{!ofVariant && <button type="button" class="alias" tabIndex={-1} onClick={(e) => { e.stopPropagation(); onSelect(row.path); }}>Open</button>}</span><span role="gridcell" class="wide" /><span role="gridcell" class="wide" /></>;
	const { token, type, inherited, overridden } = row.token;
	return (
		<>
			{name}
			<span role="gridcell" class={`token-value ${ofVariant && !overridden ? "muted" : ""}`}>
				<Sample type={type} value={resolve(token.value, find)} />
				<Value token={token} onSelect={onSelect} />
			</span>
			<span role="gridcell" class="wide muted">{ofVariant ? (overridden ? (inherited ? <Value token={inherited} onSelect={onSelect} /> : <Badge kind="warning">not in the Theme</Badge>) : "inherited") : <>{type ?? "no type"}{token.inferred && " (inferred)"}</>}</span>
			<span role="gridcell" class="wide token-notes">
				{fault && <Badge kind="danger">{fault}</Badge>}
				{byOthers && <Badge kind="accent">changed just now</Badge>}
				{token.description && <span class="muted">{token.description}</span>}
			</span>
		</>
	);
});

/** A value on one line; what is an alias as a whole leads to its token. */
function Value({ token, onSelect }: { token: Token; onSelect: (path: string) => void }) {
	const target = aliasOf(token.value);
	if (!target) return <code>{short(token.value)}</code>;
	return <button type="button" class="alias" tabIndex={-1} onClick={(e) => { e.stopPropagation(); onSelect(target); }}>→ {target}</button>;
}
