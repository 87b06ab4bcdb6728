// What of a long list is in sight: the rest is room above and below, so that a list of any length costs what the screen shows.
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Range {
	first: number; // index of the first item that is shown
	last: number; // index after the last
	before: number; // pixels above
	after: number; // pixels below
	columns: number;
}

/** The range of rows in sight, and a margin beyond. top is where the list begins below the upper edge of the view, negative above it. */
export function rangeOf(count: number, rowHeight: number, columns: number, top: number, height: number, margin = 6): Range {
	const rows = Math.ceil(count / columns);
	const clamp = (row: number): number => Math.min(rows, Math.max(0, row));
	const first = clamp(Math.floor(-top / rowHeight) - margin);
	const last = Math.max(first, clamp(Math.ceil((height - top) / rowHeight) + margin));
	return { first: Math.min(count, first * columns), last: Math.min(count, last * columns), before: first * rowHeight, after: (rows - last) * rowHeight, columns };
}

/** Calls look once an element is there, and whenever what of it is in sight may be another: after a scroll of the page or of a
 *  box, and if a size or what is another. */
export function useSight<T extends HTMLElement>(ref: { current: T | null }, look: (e: T) => void, what?: unknown): void {
	useLayoutEffect(() => {
		const again = (): void => {
			if (ref.current) look(ref.current);
		};
		again();
		const sizes = new ResizeObserver(again);
		sizes.observe(ref.current!);
		addEventListener("scroll", again, true);
		addEventListener("resize", again);
		return () => {
			sizes.disconnect();
			removeEventListener("scroll", again, true);
			removeEventListener("resize", again);
		};
	}, [what]);
}

/** The items of a list that scrolls with the page. Heights and widths are in rem; without a width a row has one item. */
export function useWindow<T extends HTMLElement>(count: number, rowHeight: number, itemWidth = 0, gap = 0) {
	const ref = useRef<T>(null);
	const [range, setRange] = useState<Range>({ first: 0, last: Math.min(count, 40), before: 0, after: 0, columns: 1 });
	useSight(
		ref,
		(e) => {
			const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
			const columns = itemWidth ? Math.max(1, Math.floor((e.clientWidth + gap * rem) / ((itemWidth + gap) * rem))) : 1;
			const next = rangeOf(count, rowHeight * rem, columns, e.getBoundingClientRect().top, innerHeight);
			setRange((old) => (JSON.stringify(old) === JSON.stringify(next) ? old : next));
		},
		count,
	);
	return { ref, ...range };
}
