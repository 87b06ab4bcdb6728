// What changes many tokens at once: search and replace, and pasted custom properties. Each shows what it will do first.
import { useState } from "preact/hooks";
import { blank, merged, type Change } from "../state/change";
import type { Draft } from "../state/draft";
import { spell, type JSONValue, type Token } from "../state/token";
import { Checkbox, Dialog, Empty, Field, TextField } from "../ui/controls";
import { declarations, match, pathOf } from "./paste";

/** A value with a text in its strings replaced; in numbers too, if what comes out is a number. */
export function replaced(value: JSONValue, from: string, to: string): JSONValue {
	if (typeof value === "string") return value.replaceAll(from, to);
	if (typeof value === "number") {
		const text = String(value).replaceAll(from, to);
		return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : value;
	}
	if (value === null || typeof value !== "object") return value;
	if (Array.isArray(value)) return value.map((v) => replaced(v, from, to));
	return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, replaced(v, from, to)]));
}

export function Replace({ draft, tokens, onClose }: { draft: Draft; tokens: readonly Token[]; onClose: () => void }) {
	const [from, setFrom] = useState("");
	const [to, setTo] = useState("");
	const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
	const found = from === "" ? [] : tokens.map((t) => ({ t, value: replaced(t.value, from, to) })).filter(({ t, value }) => spell(value) !== spell(t.value));
	const chosen = found.filter(({ t }) => !left.has(t.path));
	const change = draft.values(chosen.map(({ t, value }) => [t.path, value]), `Replace ${from} with ${to}`);
	return (
		<Dialog title="Replace in values" wide onClose={onClose} submit={`Replace in ${chosen.length} ${chosen.length === 1 ? "token" : "tokens"}`} disabled={!change} onSubmit={async () => { draft.apply(change!); onClose(); }}>
			<TextField label="Find" value={from} onInput={setFrom} hint="A part of a value, as #0055ff or {color.old} or px." />
			<TextField label="Replace with" value={to} onInput={setTo} />
			<div class="old-new">
				{found.slice(0, 200).map(({ t, value }) => (
					<>
						<Checkbox key={t.path} label={t.path} checked={!left.has(t.path)} onChange={(on) => setLeft(toggled(left, t.path, !on))} />
						<code>{spell(t.value)}</code><span aria-hidden="true">→</span><code>{spell(value)}</code>
					</>
				))}
			</div>
			{found.length > 200 && <p class="hint">The first 200 of {found.length} are shown; all are replaced.</p>}
			{from !== "" && found.length === 0 && <Empty title="No value holds this text" />}
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
