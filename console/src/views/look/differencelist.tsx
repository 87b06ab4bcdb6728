import { useState } from "../../dom/hooks";
import { Button, Swatch } from "../../ui/controls";
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
		<details class="look-part" open={list.length > 0 && list.length <= shownAtFirst}>
			<summary><h2>What differs between pane 1 and pane 2 <span class="count">{list.length}</span></h2></summary>
			{list.length === 0 ? <p class="muted">Both have the same custom properties with the same values.</p> : (
				<div class="scroll" tabIndex={0} role="region" aria-label="Custom properties that differ">
					<table class="table">
						<thead><tr><th scope="col">Custom property</th><th scope="col">Pane 1</th><th scope="col">Pane 2</th></tr></thead>
						<tbody>
							{shown.map((d) => <tr key={d.name}><th scope="row"><code>{d.name}</code></th><td><Value text={d.a} /></td><td><Value text={d.b} /></td></tr>)}
						</tbody>
					</table>
				</div>
			)}
			{shown.length < list.length && <Button onClick={() => setWhole(true)}>Show all {list.length}</Button>}
		</details>
	);
}
