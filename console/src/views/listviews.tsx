// A list of Themes or of Variants as cards and as a table; only what is in sight is in the page.
import { setQuery } from "../state/router";
import type { Overrides } from "../state/overrides";
import { color } from "../tokens/css";
import { Swatch, Time } from "../ui/controls";
import { memo } from "../state/signals";
import { useWindow } from "../ui/window";
import { State, type Listed, type ListingProps } from "./lists";

type Props = Pick<ListingProps<Listed>, "what" | "counted" | "link" | "overrides"> & { list: readonly Listed[] };
interface Item {
	of: Listed;
	counted: string;
	open: string;
	settings: string;
	overrides?: Overrides;
	index: number;
}

const itemOf = ({ counted, link, overrides }: Props, of: Listed, index: number): Item & { key: string } => ({ key: of.id, of, counted, open: link(of.id), settings: link(of.id, "settings"), overrides: overrides?.(of.id), index });

export function Cards(props: Props) {
	const { ref, first, last, before, after, columns } = useWindow<HTMLUListElement>(props.list.length, props.overrides ? 11.5 : 9.5, 18, 1);
	return (
		<ul class={`listed ${props.overrides ? "" : "low"}`} ref={ref} style={{ paddingTop: `${before}px`, paddingBottom: `${after}px`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
			{props.list.slice(first, last).map((one, i) => <Card {...itemOf(props, one, i)} />)}
		</ul>
	);
}

const Card = memo(({ of, counted, open, settings, overrides }: Item) => (
	<li class="card">
		{overrides && <Strip overrides={overrides} />}
		<h2 class="one-line"><a class="whole" href={open}>{of.displayName}</a></h2>
		<p class="muted one-line"><code>{of.slug}</code> · {of.tokenCount} {counted}</p>
		<p class="states"><State of={of} /> <Labels labels={of.metadata} /></p>
		<p class="muted one-line foot"><span>changed <Time at={of.updatedAt} /></span> <Settings to={settings} of={of} /></p>
	</li>
));

export function Table(props: Props) {
	const { ref, first, last, before, after } = useWindow<HTMLTableSectionElement>(props.list.length, 2.75);
	const room = (pixels: number) => pixels > 0 && <tr aria-hidden="true"><td colSpan={8} style={{ height: `${pixels}px` }} /></tr>;
	return (
		<div class="scroll">
			<table class="table listed-table" aria-rowcount={props.list.length + 1}>
				<thead>
					<tr>
						<th scope="col">{props.what}</th><th scope="col">Slug</th><th scope="col" class="number">{props.counted}</th>{props.overrides && <th scope="col">Colours</th>}
						<th scope="col">State</th><th scope="col">Labels</th><th scope="col">Changed</th><th scope="col"><span class="visually-hidden">Settings</span></th>
					</tr>
				</thead>
				<tbody ref={ref}>
					{room(before)}
					{props.list.slice(first, last).map((one, i) => <Row {...itemOf(props, one, first + i + 2)} />)}
					{room(after)}
				</tbody>
			</table>
		</div>
	);
}

const Row = memo(({ of, open, settings, overrides, index }: Item) => (
	<tr aria-rowindex={index}>
		<th scope="row"><a href={open}>{of.displayName}</a></th>
		<td><code>{of.slug}</code></td>
		<td class="number">{of.tokenCount}</td>
		{overrides && <td><Strip overrides={overrides} /></td>}
		<td><span class="states"><State of={of} /></span></td>
		<td><Labels labels={of.metadata} /></td>
		<td><Time at={of.updatedAt} /></td>
		<td><Settings to={settings} of={of} /></td>
	</tr>
));

const Settings = ({ to, of }: { to: string; of: Listed }) => <a href={to} aria-label={`Settings of ${of.displayName}`}>Settings</a>;

/** Labels that find the others with the same when they are pressed. */
function Labels({ labels }: { labels: Record<string, string> }) {
	return (
		<span class="states">
			{Object.entries(labels).map(([name, value]) => {
				const text = value ? `${name}=${value}` : name;
				return <button key={name} type="button" class="badge" aria-label={`Find ${text}`} onClick={() => setQuery({ q: `${name}=${value}` })}>{text}</button>;
			})}
		</span>
	);
}

/** The colours that a Variant overrides. */
function Strip({ overrides }: { overrides: Overrides }) {
	const colors: string[] = [];
	for (const value of overrides.values()) {
		const shown = typeof value === "string" && !/^#|\(/.test(value) ? "" : color(value);
		if (shown && colors.push(shown) === 14) break;
	}
	return <span class="strip" aria-hidden="true">{colors.map((c, i) => <Swatch key={i} color={c} />)}</span>;
}
