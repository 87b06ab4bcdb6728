import { useState } from "preact/hooks";
import { Button, Swatch, Table, Fold } from "../../ui/controls";
import type { Difference } from "./sheet";

const shownAtFirst = 50;

/** A value as text, with a swatch if it is a colour. */
export function Value({ text }: { text: string | undefined }) {
	if (text === undefined) return <span class="muted">none</span>;
	return <span class="look-value">{CSS.supports("color", text) && <Swatch color={text} />}<code>{text}</code></span>;
}

/** What differs between the first two panes. */
export function DifferenceList({ list }: { list: readonly Difference[] }) {
	const [whole, setWhole] = useState(false);
	const shown = whole ? list : list.slice(0, shownAtFirst);
	return (
		<Fold title="What differs between pane 1 and pane 2" count={list.length} open={list.length > 0 && list.length <= shownAtFirst}>
			{list.length === 0 ? <p class="muted">Both have the same custom properties with the same values.</p> : (
				<Table label="Custom properties that differ" heads={["Custom property", "Pane 1", "Pane 2"]}>
					{shown.map((d) => <tr key={d.name}><th scope="row"><code>{d.name}</code></th><td><Value text={d.a} /></td><td><Value text={d.b} /></td></tr>)}
				</Table>
			)}
			{shown.length < list.length && <Button onClick={() => setWhole(true)}>Show all {list.length}</Button>}
		</Fold>
	);
}
