// What changes many tokens at once: search and replace, and pasted custom properties. Each shows what it will do first.
import { useState } from "preact/hooks";
import { blank, merged, type Change } from "../state/change";
import type { Draft } from "../state/draft";
import { mapped, parent, spell, type JSONValue, type Token } from "../state/token";
import { Checkbox, Dialog, Empty, Field, SelectField, TextField } from "../ui/controls";
import { taken, wrongPath } from "./detail";
import { declarations, match, pathOf } from "./paste";

/** A value with a text in its strings replaced; in numbers too, if what comes out is a number. */
export const replaced = (value: JSONValue, from: string, to: string): JSONValue => mapped(value, (v) => {
	const text = String(v).replaceAll(from, to);
	return typeof v === "string" ? text : text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : v;
});

/** The tokens, and the groups above them, that have a text in their own name. */
export function named(tokens: readonly Token[], text: string): string[] {
	const paths = new Set<string>();
	for (const { path } of tokens) for (let at = path; at && !paths.has(at); at = parent(at)) paths.add(at);
	return [...paths].filter((path) => nameOf(path).includes(text) && nameOf(path) !== "$root").sort();
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

type Where = "values" | "names";

export function Replace({ draft, tokens, onClose }: { draft: Draft; tokens: readonly Token[]; onClose: () => void }) {
	const [where, setWhere] = useState<Where>("values");
	const [from, setFrom] = useState("");
	const [to, setTo] = useState("");
	const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
	const names = where === "names";
	const found = from === "" ? []
		: names ? named(tokens, from).map((path) => ({ path, value: nameOf(path) as JSONValue, now: nameOf(path).replaceAll(from, to) }))
		: tokens.map(({ path, value }) => ({ path, value, now: replaced(value, from, to) })).filter(({ value, now }) => spell(value) !== spell(now));
	const chosen = found.filter(({ path }) => !left.has(path));
	const label = `Replace ${from} with ${to} in ${where}`;
	const change = names ? draft.renames(chosen.map(({ path }) => path), from, to, label) : draft.values(chosen.map(({ path, now }) => [path, now]), label);
	const wrong = !names ? "" : /[.]/.test(from + to) ? "A name has no dots." : change ? [...change.after.keys()].map(wrongPath).find(Boolean) : chosen.length > 0 && from !== to && taken;
	return (
		<Dialog title="Replace" wide onClose={onClose} submit={`Replace in ${chosen.length} ${names ? "name" : "token"}${chosen.length === 1 ? "" : "s"}`} disabled={!change || Boolean(wrong)} onSubmit={async () => { draft.apply(change!); onClose(); }}>
			{draft.kind === "theme" && <SelectField label="Where" value={where} onChange={setWhere} options={[["values", "Values"], ["names", "Names of tokens and groups"]]} />}
			<TextField label="Find" value={from} onInput={setFrom} hint={names ? "A part of a name." : "A part of a value, as #0055ff or {color.old} or px."} />
			<TextField label="Replace with" value={to} onInput={setTo} error={wrong || ""} />
			<div class="old-new">
				{found.slice(0, 200).map(({ path, value, now }) => (
					<>
						<Checkbox key={path} label={path} checked={!left.has(path)} onChange={(on) => setLeft(toggled(left, path, !on))} />
						<code>{spell(value)}</code><span aria-hidden="true">→</span><code>{spell(now)}</code>
					</>
				))}
			</div>
			{found.length > 200 && <p class="hint">The first 200 of {found.length} are shown; all are replaced.</p>}
			{from !== "" && found.length === 0 && <Empty title={`Nothing has this text in its ${names ? "name" : "value"}`} />}
		</Dialog>
	);
}

function toggled(set: ReadonlySet<string>, path: string, on: boolean): ReadonlySet<string> {
	const next = new Set(set);
	if (on) next.add(path);
	else next.delete(path);
	return next;
}

export function Paste({ draft, tokens, prefix, onClose }: { draft: Draft; tokens: readonly Token[]; prefix: string; onClose: () => void }) {
	const [css, setCss] = useState("");
	const [create, setCreate] = useState(draft.kind === "theme");
	const found = match(declarations(css), tokens, prefix);
	const known = found.filter((p) => p.path);
	const unknown = found.filter((p) => !p.path);
	const parts: (Change | null)[] = [draft.values(known.map((p) => [p.path!, p.value]), "Paste CSS variables")];
	if (create) for (const p of unknown) parts.push(draft.put({ ...blank(pathOf(p.name, prefix)), type: CSS.supports("color", p.value) ? "color" : null, value: p.value }));
	const changes = parts.filter((p) => p !== null);
	return (
		<Dialog title="Paste CSS variables" wide onClose={onClose} submit={`Set ${known.length + (create ? unknown.length : 0)} tokens`} disabled={changes.length === 0} onSubmit={async () => { draft.apply(merged("Paste CSS variables", changes)); onClose(); }}>
			<Field label="Stylesheet" hint={`Declarations as ${prefix ? `--${prefix}-` : "--"}color-brand: #0055ff; each is matched with the token of that custom property.`}>
				{(a) => <textarea class="input" rows={8} spellcheck={false} value={css} onInput={(e) => setCss(e.currentTarget.value)} {...a} />}
			</Field>
			{unknown.length > 0 && draft.kind === "theme" && <Checkbox label={`Make ${unknown.length} new tokens of what no token has`} checked={create} onChange={setCreate} />}
			<div class="old-new">
				{found.slice(0, 200).map((p) => (
					<>
						<code key={p.name}>{p.name}</code><code>{p.value}</code><span aria-hidden="true">→</span>
						<span>{p.path ?? (create ? `${pathOf(p.name, prefix)} (new)` : "left out: no token has this custom property")}</span>
					</>
				))}
			</div>
		</Dialog>
	);
}
