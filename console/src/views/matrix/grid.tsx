// The grid itself: only what is in sight exists, and the keys of a spreadsheet work.
import { useRef, useState } from "preact/hooks";
import type { Variant } from "../../api/client";
import type { Draft } from "../../state/draft";
import type { VariantOverrides, Overrides } from "../../state/overrides";
import { href } from "../../state/router";
import { resolve, type JSONValue, type Token } from "../../state/token";
import { short } from "../../tokens/css";
import { Sample } from "../../tokens/sample";
import { complain, say } from "../../ui/controls";
import { rangeOf, useSight, type Range } from "../../ui/window";
import type { Editing } from "./editor";
import { moved, type Place, type Row } from "./logic";
import { edit } from "./matrix";

interface Props {
	rows: readonly Row[];
	columns: readonly Variant[];
	overrides: VariantOverrides;
	draft: Draft;
	environment: string;
	theme: string;
	may: boolean;
	onEdit: (editing: Editing) => void;
}

interface Sizes {
	row: number;
	column: number;
	head: number;
	top: number;
}
const rem = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize);
const cell = (at: Place): string => `cell-${at.row}-${at.column}`;

function useCells(rows: number, columns: number) {
	const ref = useRef<HTMLDivElement>(null);
	const [sight, setSight] = useState<{ sizes: Sizes; down: Range; along: Range } | null>(null);
	useSight(
		ref,
		(e) => {
			const narrow = e.clientWidth < 40 * rem();
			const sizes: Sizes = { row: 2.25 * rem(), column: (narrow ? 8 : 11) * rem(), head: (narrow ? 8 : 18) * rem(), top: 2.75 * rem() };
			const down = rangeOf(rows, sizes.row, 1, sizes.top - e.scrollTop, e.clientHeight);
			const along = rangeOf(columns, sizes.column, 1, sizes.head - e.scrollLeft, e.clientWidth, 1);
			setSight((old) => (JSON.stringify(old) === JSON.stringify({ sizes, down, along }) ? old : { sizes, down, along }));
		},
		`${rows} ${columns}`,
	);
	return { ref, sight };
}

export function Grid(props: Props) {
	const { rows, columns, overrides, may } = props;
	const { ref, sight } = useCells(rows.length, columns.length);
	const [at, setAt] = useState<Place>({ row: 0, column: 0 });
	const [anchor, setAnchor] = useState(0); // the column where a choice of several began
	const active = { row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, columns.length - 1) };
	const [from, to] = [Math.min(anchor, active.column), Math.max(anchor, active.column)];
	const chosen = columns.slice(from, to + 1);

	const show = (place: Place): void => {
		const { row, column, head, top } = sight!.sizes;
		const e = ref.current!;
		const y = place.row * row;
		const x = place.column * column;
		if (y < e.scrollTop) e.scrollTop = y;
		else if (y + row + top > e.scrollTop + e.clientHeight) e.scrollTop = y + row + top - e.clientHeight;
		if (x < e.scrollLeft) e.scrollLeft = x;
		else if (x + column + head > e.scrollLeft + e.clientWidth) e.scrollLeft = x + column + head - e.clientWidth;
	};
	const goTo = (place: Place, extend: boolean): void => {
		show(place);
		setAt(place);
		if (!extend || place.row !== active.row) setAnchor(place.column);
	};
	const open = (place: Place, variants: readonly Variant[]): void => {
		const row = rows[place.row]!;
		const box = (document.getElementById(cell(place)) ?? ref.current!).getBoundingClientRect();
		if (may) props.onEdit({ row, variants, box, back: () => ref.current?.focus() });
		else say("Your role shows overrides and changes none. An admin of the Environment can make you an editor.");
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		const control = event.ctrlKey || event.metaKey;
		const next = moved(event.key, control, active, rows.length, columns.length, Math.max(1, Math.floor(ref.current!.clientHeight / sight!.sizes.row) - 2));
		if (next) goTo(next, event.shiftKey);
		else if (event.key === "Enter" || event.key === "F2") open(active, chosen);
		else if ((event.key === "Delete" || event.key === "Backspace") && may) void edit(overrides, chosen.map((v) => ({ variant: v.id, path: rows[active.row]!.path, value: undefined })));
		else if (control && event.key.toLowerCase() === "z" && may) void (event.shiftKey ? overrides.redo() : overrides.undo()).catch(complain);
		else return;
		event.preventDefault();
	};
	return (
		<div
			class="matrix" role="grid" tabIndex={0} ref={ref} aria-label="Overrides of the Variants" aria-rowcount={rows.length + 1} aria-colcount={columns.length + 1}
			aria-activedescendant={cell(active)} aria-multiselectable={true} onKeyDown={onKeyDown}
		>
			{sight && (
				<div class="area" role="rowgroup" style={{ width: `${sight.sizes.head + columns.length * sight.sizes.column}px`, height: `${sight.sizes.top + rows.length * sight.sizes.row}px` }}>
					<Head {...props} sizes={sight.sizes} along={sight.along} />
					{range(sight.down, rows.length, active.row).map((r) => (
						<Line
							key={rows[r]!.path} row={rows[r]!} index={r} {...props} sizes={sight.sizes} along={sight.along} column={r === active.row ? active.column : -1} from={from} to={to}
							onChoose={(column, extend) => {
								if (!extend && r === active.row && column === active.column) open(active, chosen);
								else goTo({ row: r, column }, extend);
							}}
						/>
					))}
				</div>
			)}
		</div>
	);
}

/** What of count is in sight, and the active one, which screen readers follow. */
function range({ first, last }: Range, count: number, active: number): number[] {
	const list = Array.from({ length: Math.max(0, Math.min(last, count) - first) }, (_, i) => first + i);
	if (active >= 0 && active < first) list.unshift(active);
	else if (active >= last) list.push(active);
	return list;
}

function Head({ columns, sizes, along, environment, theme }: Props & { sizes: Sizes; along: Range }) {
	return (
		<div class="matrix-head" role="row" aria-rowindex={1} style={{ height: `${sizes.top}px` }}>
			<div class="matrix-name" role="columnheader" aria-colindex={1} style={{ width: `${sizes.head}px` }}>Token</div>
			{columns.slice(along.first, along.last).map((v, i) => (
				<div key={v.id} class="matrix-cell" role="columnheader" aria-colindex={along.first + i + 2} style={{ left: `${sizes.head + (along.first + i) * sizes.column}px`, width: `${sizes.column}px` }}>
					<a class="one-line" tabIndex={-1} href={href.variant(environment, theme, v.id)} title={v.slug}>{v.displayName}</a>
				</div>
			))}
		</div>
	);
}

function Line({ row, index, columns, sizes, along, overrides, draft, column, from, to, onChoose }: Props & {
	row: Row;
	index: number;
	sizes: Sizes;
	along: Range;
	column: number; // of the active cell, or -1
	from: number;
	to: number;
	onChoose: (column: number, extend: boolean) => void;
}) {
	return (
		<div class="matrix-row" role="row" aria-rowindex={index + 2} style={{ top: `${sizes.top + index * sizes.row}px`, height: `${sizes.row}px` }}>
			<div class="matrix-name" role="rowheader" aria-colindex={1} style={{ width: `${sizes.head}px` }} title={row.path}>
				<span class="matrix-path"><bdi>{row.path}</bdi></span>{row.token ? <span class="muted"> {row.count || ""}</span> : <span class="badge warning">not in the Theme</span>}
			</div>
			{range(along, columns.length, column).map((c) => {
				const v = columns[c]!;
				const own = overrides.of(v.id);
				const chosen = column >= 0 && c >= from && c <= to;
				return (
					<div
						key={v.id} id={cell({ row: index, column: c })} role="gridcell" aria-colindex={c + 2} aria-selected={chosen}
						class={`matrix-cell ${c === column ? "active" : ""} ${own.has(row.path) ? "own" : "inherited"}`}
						style={{ left: `${sizes.head + c * sizes.column}px`, width: `${sizes.column}px` }}
						onClick={(event) => onChoose(c, event.shiftKey)}
					>
						<Value row={row} own={own} find={draft.find} />
					</div>
				);
			})}
		</div>
	);
}

function Value({ row, own, find }: { row: Row; own: Overrides; find: (path: string) => Token | undefined }) {
	const overridden = own.has(row.path);
	const value = overridden ? own.get(row.path)! : row.token?.value;
	if (value === undefined) return null;
	return (
		<>
			<Sample type={row.token?.resolvedType ?? null} value={resolve(value, (path) => overlaid(path, own, find))} />
			<span>{short(value)}</span>{!overridden && <span class="visually-hidden"> inherited</span>}
		</>
	);
}

/** A token as a Variant has it. */
export function overlaid(path: string, own: Overrides, find: (path: string) => Token | undefined): Token | undefined {
	const token = find(path);
	const value: JSONValue | undefined = own.get(path);
	return token && value !== undefined ? { ...token, value } : token;
}
