// Variants beside one another: what each overrides of the Theme's tokens, and what it inherits.
import { useMemo, useState } from "preact/hooks";
import { environmentPath } from "../../api/client";
import { mayEdit } from "../../api/session";
import { draftOf } from "../../state/draft";
import { useFollow } from "../../state/follow";
import { overridesOf, useVariants, type Edit, type VariantOverrides } from "../../state/overrides";
import { isEmpty, search, useRested } from "../../state/pages";
import { href, query, setQuery } from "../../state/router";
import { Checkbox, Empty, Failure, Loading, TextField, UndoButtons, complain } from "../../ui/controls";
import { More } from "../lists";
import { CellEditor, type Editing } from "./editor";
import { Grid } from "./grid";
import { countsOf, rowsOf } from "./logic";
import "./matrix.css";

/** Makes edits and says why if they are refused. */
export async function edit(overrides: VariantOverrides, edits: readonly Edit[]): Promise<void> {
	await overrides.edit(edits).catch(complain);
}

export function Matrix({ params }: { params: Record<string, string> }) {
	const [e, t] = [params.environment!, params.theme!];
	const draft = draftOf(environmentPath(e), t, null);
	const overrides = overridesOf(e, t);
	useFollow(draft);
	useFollow(overrides);
	const [editing, setEditing] = useState<Editing | null>(null);
	const words = query.value.get("q") ?? "";
	const brands = query.value.get("v") ?? "";
	const list = useVariants(overrides, search(useRested(brands)));
	const variants = list.state.value;
	const all = query.value.get("all") === "1";
	const tokens = draft.tokens.value;
	const known = overrides.rows.value;
	const columns = variants.data?.items ?? [];
	const counts = useMemo(() => countsOf(columns.map((v) => overrides.of(v.id))), [known, columns]);
	const rows = useMemo(() => rowsOf(tokens, counts, words, all), [tokens, counts, words, all]);
	const error = variants.error ?? draft.error.value ?? overrides.error.value;
	if (!variants.data || !draft.loaded.value) return error ? <Failure error={error} /> : <Loading what="Reading tokens and Variants" />;
	return (
		<>
			{error && <Failure error={error} retry={() => void list.reload()} />}
			{isEmpty(variants.data) ? (
				<Empty title="No Variant yet"><p>The matrix shows what each Variant overrides. <a href={href.theme(e, t, "variants")}>Make the first Variant</a>.</p></Empty>
			) : (
				<>
					<div class="tools">
						<TextField label="Find tokens" hidden placeholder="Find tokens" type="search" value={words} onInput={(q) => setQuery({ q })} />
						<TextField label="Find Variants" hidden placeholder="Find Variants" type="search" value={brands} onInput={(v) => setQuery({ v })} />
						<Checkbox label="All tokens" checked={all} onChange={(on) => setQuery({ all: on ? "1" : "" })} />
						{mayEdit(e) && <UndoButtons undoable={overrides.undoable.value} redoable={overrides.redoable.value} undo={() => void overrides.undo().catch(complain)} redo={() => void overrides.redo().catch(complain)} />}
						<span class="muted" role="status">{rows.length} tokens × {columns.length} of {variants.data.total} Variants</span>
					</div>
					{rows.length === 0 || columns.length === 0
						? <Empty title="Nothing to show"><p>{words || brands ? "No token or Variant has these words." : "No Variant here overrides a token. Choose All tokens to set an override."}</p></Empty>
						: <Grid rows={rows} columns={columns} overrides={overrides} draft={draft} environment={e} theme={t} may={mayEdit(e)} onEdit={setEditing} />}
					<More of={list} />
					<p class="hint">{mayEdit(e) ? "Arrow keys move, Enter edits, Delete ends an override, Shift and arrows choose several Variants." : "Arrow keys move. Your role shows overrides and changes none."} Pale values are inherited from the Theme.</p>
				</>
			)}
			{editing && <CellEditor {...editing} overrides={overrides} draft={draft} onClose={() => { editing.back(); setEditing(null); }} />}
		</>
	);
}
