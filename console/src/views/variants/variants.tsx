// The Variants of a Theme: found by their words and labels, shown as cards or as a list. A thousand cost what the screen shows.
import { useMemo, useState } from "preact/hooks";
import type { Variant } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useVariants } from "../../state/here";
import { overridesOf, type Overrides } from "../../state/overrides";
import { href, query, setQuery } from "../../state/router";
import { useFollow } from "../../state/follow";
import { color } from "../../tokens/css";
import { Button, Empty, Failure, Loading, SelectField, Swatch, TextField, Time } from "../../ui/controls";
import { memo } from "../../ui/memo";
import { useWindow } from "../../ui/window";
import { ThemeTabs } from "../tabs";
import { State, matches } from "../themes";
import { NewVariants } from "./create";
import { sorted, type Sort } from "./lines";
import "./variants.css";

interface Shown {
	variants: readonly Variant[];
	environment: string;
	theme: string;
	of: (variant: string) => Overrides;
}

interface Row {
	variant: Variant;
	overrides: Overrides;
	environment: string;
	theme: string;
}

export function Variants({ params }: { params: Record<string, string> }) {
	const [e, t] = [params.environment!, params.theme!];
	const { state, reload } = useVariants(e, t);
	const overrides = overridesOf(e, t);
	useFollow(overrides);
	const [creating, setCreating] = useState(false);
	const { data, error } = state.value;
	const words = query.value.get("q") ?? "";
	const sort = (query.value.get("sort") ?? "") as Sort;
	const list = query.value.get("as") === "list";
	const shown = useMemo(() => sorted((data ?? []).filter((v) => matches(v, words)), sort), [data, words, sort]);
	const View = list ? VariantTable : VariantCards;
	return (
		<>
			<ThemeTabs environment={e} theme={t} current="variants" />
			{error && <Failure error={error} retry={() => void reload()} />}
			{!data && !error && <Loading what="Reading the Variants" />}
			<div class="tools">
				{data && data.length > 0 && <Tools words={words} sort={sort} list={list} shown={shown.length} all={data.length} />}
				{mayEdit(e) && <Button kind="primary" class="at-end" onClick={() => setCreating(true)}>New Variants</Button>}
			</div>
			{data?.length === 0 && (
				<Empty title="No Variant yet">
					<p>A Variant is a brand, a customer or a mode such as dark: it overrides some tokens of the Theme and inherits the others. Make one here, or push a file of overrides:</p>
					<pre>{`livery push midnight.json --env ${e} --theme ${t} --variant midnight --create`}</pre>
				</Empty>
			)}
			{data && data.length > 0 && shown.length === 0 && <Empty title="No Variant has these words"><Button onClick={() => setQuery({ q: "" })}>Show all</Button></Empty>}
			{shown.length > 0 && <View variants={shown} environment={e} theme={t} of={overrides.of} />}
			{creating && <NewVariants environment={e} theme={t} variants={data ?? []} onClose={() => setCreating(false)} />}
		</>
	);
}

function Tools({ words, sort, list, shown, all }: { words: string; sort: Sort; list: boolean; shown: number; all: number }) {
	return (
		<>
			<TextField label="Find a Variant" hidden placeholder="Find by name, slug or label" type="search" value={words} onInput={(q) => setQuery({ q })} />
			<SelectField
				label="Order" hidden value={sort} onChange={(s) => setQuery({ sort: s })}
				options={[["", "By slug"], ["name", "By name"], ["changed", "Last changed first"], ["overrides", "Most overrides first"], ["drafts", "Drafts first"]]}
			/>
			<Button kind="quiet" aria-pressed={list} onClick={() => setQuery({ as: list ? "" : "list" })}>{list ? "Show as cards" : "Show as a list"}</Button>
			<span class="muted" role="status">{shown} of {all}</span>
		</>
	);
}

/** Labels that find the others with the same when they are pressed. */
function LabelLinks({ labels }: { labels: Record<string, string> }) {
	return (
		<span class="states">
			{Object.entries(labels).map(([name, value]) => {
				const text = value ? `${name}=${value}` : name;
				return <button key={name} type="button" class="badge" aria-label={`Find ${text}`} onClick={() => setQuery({ q: text })}>{text}</button>;
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

function VariantCards({ variants, environment, theme, of }: Shown) {
	const { ref, first, last, before, after, columns } = useWindow<HTMLUListElement>(variants.length, 11.5, 18, 1);
	return (
		<ul class="variant-cards" ref={ref} style={{ paddingTop: `${before}px`, paddingBottom: `${after}px`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
			{variants.slice(first, last).map((v) => <Card key={v.id} variant={v} overrides={of(v.id)} environment={environment} theme={theme} />)}
		</ul>
	);
}

const Card = memo(({ variant: v, overrides, environment, theme }: Row) => (
	<li class="card">
		<Strip overrides={overrides} />
		<h2 class="one-line"><a class="whole" href={href.variant(environment, theme, v.id)}>{v.displayName}</a></h2>
		<p class="muted one-line"><code>{v.slug}</code> · {v.tokenCount} {v.tokenCount === 1 ? "override" : "overrides"}</p>
		<p class="states"><State of={v} /> <LabelLinks labels={v.metadata} /></p>
		<p class="muted one-line foot"><span>changed <Time at={v.updatedAt} /></span> <a href={href.variant(environment, theme, v.id, "settings")} aria-label={`Settings of ${v.displayName}`}>Settings</a></p>
	</li>
));

function VariantTable({ variants, environment, theme, of }: Shown) {
	const { ref, first, last, before, after } = useWindow<HTMLTableSectionElement>(variants.length, 2.75);
	return (
		<div class="scroll">
			<table class="table variant-list" aria-rowcount={variants.length + 1}>
				<thead>
					<tr>
						<th scope="col">Variant</th><th scope="col">Slug</th><th scope="col" class="number">Overrides</th><th scope="col">Colours</th>
						<th scope="col">State</th><th scope="col">Labels</th><th scope="col">Changed</th><th scope="col"><span class="visually-hidden">Settings</span></th>
					</tr>
				</thead>
				<tbody ref={ref}>
					{before > 0 && <tr aria-hidden="true"><td colSpan={8} style={{ height: `${before}px` }} /></tr>}
					{variants.slice(first, last).map((v, i) => <ListRow key={v.id} variant={v} index={first + i + 2} overrides={of(v.id)} environment={environment} theme={theme} />)}
					{after > 0 && <tr aria-hidden="true"><td colSpan={8} style={{ height: `${after}px` }} /></tr>}
				</tbody>
			</table>
		</div>
	);
}

const ListRow = memo(({ variant: v, index, overrides, environment, theme }: Row & { index: number }) => (
	<tr aria-rowindex={index}>
		<th scope="row"><a href={href.variant(environment, theme, v.id)}>{v.displayName}</a></th>
		<td><code>{v.slug}</code></td>
		<td class="number">{v.tokenCount}</td>
		<td><Strip overrides={overrides} /></td>
		<td><span class="states"><State of={v} /></span></td>
		<td><LabelLinks labels={v.metadata} /></td>
		<td><Time at={v.updatedAt} /></td>
		<td><a href={href.variant(environment, theme, v.id, "settings")} aria-label={`Settings of ${v.displayName}`}>Settings</a></td>
	</tr>
));
