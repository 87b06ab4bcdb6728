// What a publish would change, or what two versions differ in, and the publish itself.
import { useState } from "preact/hooks";
import { ApiError, variantPath } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useFollow } from "../../state/follow";
import { useModes } from "../../state/here";
import { overridesOf, useVariants } from "../../state/overrides";
import { useResource } from "../../state/resource";
import { href, query, setQuery } from "../../state/router";
import { resolve, type JSONValue, type Token } from "../../state/token";
import { short } from "../../tokens/css";
import { Sample } from "../../tokens/sample";
import { Badge, Button, Empty, Failure, Loading, Table, Fold, Waiting } from "../../ui/controls";
import { More } from "../lists";
import { rowsOf, touchedBy, verdict, type Diff, type Row, type Touched } from "./diff";
import { ManyVariants } from "./manyvariants";
import { PublishPart } from "./publish";
import { review, type Review } from "./review";
import "./look.css";

export function Changes({ params }: { params: Record<string, string> }) {
	const [e, t, v] = [params.environment!, params.theme!, params.variant ?? ""];
	const path = variantPath(e, t, v);
	const [from, to] = [query.value.get("from") ?? "", query.value.get("to") ?? "draft"];
	const { state, reload } = useResource(`diff ${v || t} ${from} ${to}`, () => review(path, from, to));
	const { data, error } = state.value;
	const [changedMeanwhile, setChangedMeanwhile] = useState(false);
	const empty = data && [data.diff.added, data.diff.removed, data.diff.renamed, data.diff.retyped, data.diff.changed, data.diff.described].every((list) => list.length === 0);
	const whole = from === "" && to === "draft";
	return (
		<>
			{error && <Failure error={missing(error, v)} retry={() => void reload()} />}
			{!data && !error && <Loading what="Comparing" />}
			{data && (
				<>
					<div class="title-row">
						<h2>{titleOf(data.diff)}</h2>
						{!whole && <Button kind="quiet" onClick={() => setQuery({ from: "", to: "" })}>Show what a publish would change</Button>}
					</div>
					<div role="alert">{changedMeanwhile && <p class="notice warning">The draft changed while you looked at it, so nothing was published. This is the new difference: look at it, then publish.</p>}</div>
					{empty ? <Nothing environment={e} theme={t} variant={v} hasDraft={data.etag !== null} /> : (
						<>
							<Verdict diff={data.diff} variant={v !== ""} />
							<DiffTable rows={rowsOf(data.diff, data.before, data.after)} review={data} />
							{!v && <TouchedVariants environment={e} theme={t} diff={data.diff} />}
						</>
					)}
					{to === "draft" && <PublishPart environment={e} theme={t} variant={v} review={data} whole={whole} onStale={() => { setChangedMeanwhile(true); void reload(); }} onDone={() => setChangedMeanwhile(false)} />}
					{!v && mayEdit(e) && <ManyVariants environment={e} theme={t} />}
				</>
			)}
		</>
	);
}

function missing(error: Error, variant: string): Error {
	if (!(error instanceof ApiError) || error.status !== 404) return error;
	return new Error(variant ? "One of these versions does not exist: a Variant has a version only at the numbers it was published at." : "One of these versions does not exist. Choose one in the tab Versions.");
}

function titleOf(d: Diff): string {
	const name = (n: number | null): string => (n === null ? "the draft" : n === 0 ? "nothing (not published yet)" : `version ${n}`);
	return `From ${name(d.from)} to ${name(d.to)}`;
}

function Nothing({ environment, theme, variant, hasDraft }: { environment: string; theme: string; variant: string; hasDraft: boolean }) {
	const to = href.variant(environment, theme, variant);
	return (
		<Empty title={hasDraft ? "The draft is as what is served" : "Nothing to publish"}>
			<p>{hasDraft ? "It differs in what no custom property shows, or it was carried over to the Theme's new version. Publish it, or discard it." : "Both states are the same."} <a href={to}>Change a value</a>, and it stands here.</p>
		</Empty>
	);
}

function Verdict({ diff, variant }: { diff: Diff; variant: boolean }) {
	return (
		<div class={`notice ${diff.breaking ? "danger" : "success"}`}>
			<h3>{diff.breaking ? "Sites can break" : "Safe to publish"}</h3>
			<ul>{verdict(diff, variant).map((reason) => <li key={reason}>{reason}</li>)}</ul>
			<p>Custom properties that change: {diff.properties.count}</p>
		</div>
	);
}

const kindOf: Record<Row["kind"], "danger" | "warning" | "accent" | "success"> = { removed: "danger", renamed: "warning", retyped: "danger", changed: "accent", added: "success" };
const rowsAtFirst = 200;

function DiffTable({ rows, review: { before, after } }: { rows: readonly Row[]; review: Review }) {
	const [whole, setWhole] = useState(false);
	const shown = whole ? rows : rows.slice(0, rowsAtFirst);
	return (
		<>
			<Table label="Differences" class="look-diff" heads={["Kind", "Token", "Before", "After"]}>
				{shown.map((r) => (
					<tr key={r.kind + r.path}>
						<td><Badge kind={kindOf[r.kind]}>{r.kind}</Badge></td>
						<th scope="row"><code>{r.path}</code>{r.note && <p class="muted">{r.note}</p>}</th>
						<td><Stored type={r.typeBefore} value={r.before} tokens={before} /></td>
						<td><Stored type={r.typeAfter} value={r.after} tokens={after} /></td>
					</tr>
				))}
			</Table>
			{shown.length < rows.length && <Button onClick={() => setWhole(true)}>Show all {rows.length}</Button>}
		</>
	);
}

/** A value as it is stored, with the look that it comes to. */
function Stored({ type, value, tokens }: { type: string | null; value: JSONValue | undefined; tokens: ReadonlyMap<string, Token> }) {
	if (value === undefined) return <span class="muted">none</span>;
	return <span class="look-value"><Sample type={type} value={resolve(value, (path) => tokens.get(path))} /><code>{short(value)}</code></span>;
}

/** Which Variants and modes the publish of a Theme touches. */
function TouchedVariants({ environment, theme, diff }: { environment: string; theme: string; diff: Diff }) {
	const overrides = overridesOf(environment, theme);
	useFollow(overrides);
	const variants = useVariants(overrides, {});
	const modes = useModes(environment, theme).state.value.data?.modes ?? [];
	const { data } = variants.state.value;
	if (!data) return <Waiting of={variants} what="Looking at the overrides of the Variants" />;
	const names = new Map(data.items.map((v) => [v.id, v.displayName]));
	const line = (title: string, paths: string[]) => paths.length > 0 && <li>{title}: {paths.slice(0, 8).map((p) => <span key={p}><code>{p}</code> </span>)}{paths.length > 8 && `and ${paths.length - 8} more`}</li>;
	const list = touchedBy(diff, data.items.map((v) => [v.id, overrides.of(v.id)] as const));
	return (
		<>
			{list.length === 0 ? <p class="muted">No Variant {data.next ? "looked at overrides what changes." : "overrides what changes: all follow the Theme."}</p> : (
				<Fold title="Variants that this touches" count={list.length} open={list.length <= 5}>
					<ul class="look-list">
						{list.map((one: Touched) => (
							<li key={one.variant}>
								<a href={href.variant(environment, theme, one.variant)}>{names.get(one.variant) ?? one.variant}</a>{" "}
								{modes.filter((m) => m.variant === one.variant).map((m) => <Badge key={m.dimension + m.mode}>{m.dimension}: {m.mode}</Badge>)}
								<ul>
									{line("loses the override of a removed token", one.dropped)}
									{line("its override moves to the new name", one.renamed)}
									{line("loses the override if it does not fit the new type", one.doubtful)}
									{line("keeps its own value in place of the change", one.hiding)}
								</ul>
							</li>
						))}
					</ul>
				</Fold>
			)}
			<More of={variants} what=" Variants are looked at" />
		</>
	);
}
