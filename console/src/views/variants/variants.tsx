// The Variants of a Theme: found by their words and labels, shown as cards or as a list. A thousand cost what the screen shows.
import { useMemo, useState } from "preact/hooks";
import type { Variant } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useVariants } from "../../state/here";
import { overridesOf, type Overrides } from "../../state/overrides";
import { href, query, setQuery } from "../../state/router";
import { useFollow } from "../../state/follow";
import { color } from "../../tokens/css";
import { Button, Empty, Failure, Loading, Swatch, Time } from "../../ui/controls";
import { memo } from "../../ui/memo";
import { useWindow } from "../../ui/window";
import { ThemeTabs } from "../tabs";
import { Labels, ListTools, State, matches, sorted, type Sort } from "../lists";
import { NewVariants } from "./create";
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
				{data && data.length > 0 && <ListTools what="Variant" size="Most overrides first" words={words} sort={sort} list={list} shown={shown.length} all={data.length} />}
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
		<ul class="variant-cards whole-cards" ref={ref} style={{ paddingTop: `${before}px`, paddingBottom: `${after}px`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
			{variants.slice(first, last).map((v) => <Card key={v.id} variant={v} overrides={of(v.id)} environment={environment} theme={theme} />)}
		</ul>
	);
}

const Card = memo(({ variant: v, overrides, environment, theme }: Row) => (
	<li class="card">
		<Strip overrides={overrides} />
		<h2 class="one-line"><a class="whole" href={href.variant(environment, theme, v.id)}>{v.displayName}</a></h2>
		<p class="muted one-line"><code>{v.slug}</code> · {v.tokenCount} {v.tokenCount === 1 ? "override" : "overrides"}</p>
		<p class="states"><State of={v} /> <Labels labels={v.metadata} /></p>
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
		<td><Labels labels={v.metadata} /></td>
		<td><Time at={v.updatedAt} /></td>
		<td><a href={href.variant(environment, theme, v.id, "settings")} aria-label={`Settings of ${v.displayName}`}>Settings</a></td>
	</tr>
));
