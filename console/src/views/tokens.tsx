// The tokens of a Theme's draft, and the overrides of a Variant beside them.
import { useComputed, useSignal } from "../state/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { environmentPath, get, variantPath } from "../api/client";
import { mayEdit } from "../api/session";
import { draftOf, type Draft } from "../state/draft";
import { useTheme } from "../state/here";
import { useResource } from "../state/resource";
import { query, setQuery } from "../state/router";
import { aliases, parent, type JSONValue } from "../state/token";
import { Button, Empty, Failure, Loading, SelectField, TextField } from "../ui/controls";
import { AddToken, Detail, GroupDetail } from "../tokens/detail";
import { DraftState, Conflicts } from "../tokens/draftstate";
import { matcher, rowsOf, themeEntries, treeOf, usesOf, usesThrough, variantEntries, type Filter } from "../tokens/rows";
import { TokenTable } from "../tokens/table";
import { Paste, Replace } from "../tokens/tools";
import "../tokens/tokens.css";

interface Diagnostic { path: string; kind: string; message: string }
interface Difference { added: string[]; changed: string[]; renamed: { to: string }[]; retyped: { path: string }[] }

export function Tokens({ params }: { params: Record<string, string> }) {
	const { environment, theme, variant } = params as { environment: string; theme: string; variant?: string };
	const themeDraft = draftOf(environmentPath(environment), theme, null);
	const draft = variant ? draftOf(environmentPath(environment), theme, variant) : themeDraft;
	useEffect(() => {
		const ends = [...new Set([themeDraft, draft])].map((d) => d.follow());
		return () => ends.forEach((end) => end());
	}, [themeDraft, draft]);
	const error = draft.error.value ?? themeDraft.error.value;
	return (
		<>
			{error && !draft.loaded.value && <Failure error={error} retry={() => void draft.read()} />}
			{draft.loaded.value && themeDraft.loaded.value ? <Browser {...{ environment, theme, variant, draft, themeDraft }} /> : !error && <Loading what="Reading the tokens" />}
		</>
	);
}

const onlyOptions = [["", "All tokens"], ["changed", "Only changed"], ["diagnostics", "Only with faults"], ["unused", "Only unused"]] as const;
const onlyOfVariant = [onlyOptions[0], ["overridden", "Only overridden"], onlyOptions[1], onlyOptions[2]] as const;

const select = (path: string): void => setQuery({ token: path });

function Browser({ environment, theme, variant, draft, themeDraft }: { environment: string; theme: string; variant?: string; draft: Draft; themeDraft: Draft }) {
	const base = variantPath(environment, theme, variant);
	const prefix = useTheme(environment, theme).state.value.data?.assetSettings.prefix ?? "";
	const diagnostics = useResource(`diagnostics ${variant ?? theme}`, () => get<{ diagnostics: Diagnostic[] }>(`${base}/tokens/diagnostics`, undefined, { quiet: true })).state.value.data;
	const difference = useResource(`diff ${variant ?? theme}`, () => get<Difference>(`${base}/tokens/diff`, undefined, { quiet: true })).state.value.data;
	const filter: Filter = { words: query.value.get("q") ?? "", type: query.value.get("type") ?? "", only: (query.value.get("only") ?? "") as Filter["only"] };
	const selected = query.value.get("token") ?? "";
	const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
	const [tool, setTool] = useState<"" | "add" | "replace" | "paste">("");
	const preview = useSignal<{ path: string; value: JSONValue } | null>(null);
	const entries = useComputed(() => (variant ? variantEntries(themeDraft.tokens.value, draft.tokens.value) : themeEntries(draft.tokens.value)));
	const uses = useComputed(() => usesOf(entries.value));
	const byPath = useComputed(() => new Map(entries.value.map((e) => [e.path, e])));
	const kinds = useComputed(() => [...new Set(entries.value.map((e) => e.type).filter((t) => t !== null))].sort());
	const faults = useMemo(() => new Map(diagnostics?.diagnostics.map((d) => [d.path, d.message])), [diagnostics]);
	const changed = useMemo(() => new Set([...(difference?.added ?? []), ...(difference?.changed ?? []), ...(difference?.renamed ?? []).map((r) => r.to), ...(difference?.retyped ?? []).map((r) => r.path)]), [difference]);
	const tree = useComputed(() => treeOf(entries.value, variant ? [] : draft.groups.value));
	const match = useMemo(() => matcher(filter, { diagnostics: new Set(faults.keys()), changed, uses: () => uses.value }), [entries.value, filter.words, filter.type, filter.only, faults, changed]);
	const { rows, count } = useMemo(() => rowsOf(tree.value, match, closed), [tree.value, match, closed]);
	const find = useMemo(() => (path: string) => (preview.value?.path === path ? { ...byPath.value.get(path)!.token, value: preview.value.value } : byPath.value.get(path)?.token), []);
	const toggle = (group: string): void => setClosed((old) => { const next = new Set(old); if (!next.delete(group)) next.add(group); return next; });
	const entry = byPath.value.get(selected);
	const group = !variant && !entry && draft.places.value.has(selected);
	const editable = mayEdit(environment);
	const others = draft.other.value && Date.now() - draft.other.value.at < 60_000 ? draft.other.value.paths : new Set<string>();
	return (
		<>
			<Conflicts draft={draft} />
			<div class="tools">
				<TextField label="Find tokens" hidden type="search" placeholder="Find by path, value, type or description" value={filter.words} onInput={(q) => setQuery({ q })} />
				<SelectField label="Type" hidden value={filter.type} onChange={(type) => setQuery({ type })} options={[["", "All types"], ...kinds.value.map((t) => [t, t] as const)]} />
				<SelectField label="Which" hidden value={filter.only} onChange={(only) => setQuery({ only })} options={variant ? onlyOfVariant : onlyOptions} />
				<span class="muted" role="status">{count} of {entries.value.length}</span>
				<DraftState draft={draft} editable={editable} />
				{editable && !variant && <Button onClick={() => setTool("add")}>New token</Button>}
				{editable && <Button onClick={() => setTool("replace")}>Replace …</Button>}
				{editable && <Button onClick={() => setTool("paste")}>Paste CSS …</Button>}
			</div>
			{entries.value.length === 0 && rows.length === 0 ? (
				<Empty title="No tokens yet">
					<p>Add a token here, paste the custom properties of a stylesheet, or push files:</p>
					<pre>livery push tokens.json --env {environment} --theme {theme}</pre>
				</Empty>
			) : (
				<div class={`token-view ${entry || group ? "with-detail" : ""}`}>
					<TokenTable rows={rows} selected={selected} onSelect={select} onToggle={toggle} find={find} diagnostics={faults} changedByOthers={others} ofVariant={variant !== undefined} />
					{group && <GroupDetail key={selected} path={selected} draft={draft} mayEdit={editable} onSelect={select} onAdd={() => setTool("add")} />}
					{entry && (
						<Detail
							key={selected} entry={entry} draft={draft} find={find} paths={() => entries.value.map((e) => e.path)} prefix={prefix} mayEdit={editable} fault={faults.get(selected)}
							uses={[...new Set(aliases(entry.token.value))]} usedBy={uses.value.get(selected) ?? []} usedThrough={usesThrough(uses.value, selected)} onSelect={select} onClose={() => setQuery({ token: "" })}
							onPreview={(value) => (preview.value = value === undefined ? null : { path: selected, value })}
						/>
					)}
				</div>
			)}
			{tool === "add" && <AddToken draft={draft} near={group ? selected : parent(selected)} onClose={(path) => { setTool(""); if (path) select(path); }} />}
			{tool === "replace" && <Replace draft={draft} tokens={variant ? draft.tokens.value : entries.value.filter(match ?? (() => true)).map((e) => e.token)} onClose={() => setTool("")} />}
			{tool === "paste" && <Paste draft={draft} tokens={themeDraft.tokens.value} prefix={prefix} onClose={() => setTool("")} />}
		</>
	);
}
