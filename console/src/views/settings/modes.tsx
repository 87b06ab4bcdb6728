// The modes of a Theme: Variants that the Theme gives a condition, such as dark.
import { useEffect, useState } from "preact/hooks";
import { ApiError, call, themePath, type Schemas } from "../../api/client";
import { mayAdmin } from "../../api/session";
import { useModes, useVariant, type Modes as List } from "../../state/here";
import { Button, Failure, Form, Section, SelectField, TextField, say } from "../../ui/controls";
import { VariantField } from "../variants/pick";

type Mode = Schemas["Mode"];

const conditions = ["(prefers-color-scheme: dark)", "(prefers-color-scheme: light)", "(prefers-contrast: more)", "(prefers-contrast: less)", "(prefers-contrast: custom)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)", "print"];

/** A mode as it is edited: Variants by their ids, null for a text that names none. */
export interface Draft {
	id: number;
	dimension: string;
	mode: string;
	variant: string | null;
	when: string;
	for: string | null;
}
let last = 0;

export function draftOfMode(m: Mode): Draft {
	return { id: ++last, dimension: m.dimension, mode: m.mode, variant: m.variant ?? "", when: m.when ?? "", for: m.for ?? "" };
}

/** The list as the API takes it, and what is wrong with it. */
export function modesOf(drafts: readonly Draft[]): { modes: Mode[]; problems: string[] } {
	const problems: string[] = [];
	const seen = new Set<string>();
	const modes = drafts.map((d) => {
		for (const name of [d.dimension, d.mode]) if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) problems.push(`${name || "An empty name"}: dimensions and modes have small letters, digits and -, at most 32.`);
		const place = `${d.dimension}.${d.mode} ${d.for}`;
		if (seen.has(place)) problems.push(`${d.dimension}.${d.mode} stands here twice${d.for ? " for a brand" : ""}.`);
		seen.add(place);
		return { dimension: d.dimension, mode: d.mode, variant: d.variant || null, ...(d.when ? { when: d.when as Mode["when"] } : {}), ...(d.for ? { for: d.for } : {}) };
	});
	return { modes, problems: [...new Set(problems)] };
}

/** The list with one entry a place further up or down. */
export function shifted<T>(list: readonly T[], from: number, by: number): T[] {
	const next = [...list];
	const [one] = next.splice(from, 1);
	next.splice(from + by, 0, one!);
	return next;
}

export function Modes({ environment, theme }: { environment: string; theme: string }) {
	const { state, set, reload } = useModes(environment, theme);
	const { data, error } = state.value;
	return (
		<Section title="Modes" wide>
			<p class="muted">A mode is a Variant with a condition: one stylesheet serves light and dark, chosen by the reader's system or by an attribute such as <code>data-scheme="dark"</code>. The dimensions are laid over one another in their order.</p>
			{error && <Failure error={error} retry={() => void reload()} />}
			{data && <ModesForm key={data.etag} list={data} environment={environment} theme={theme} onSaved={set} reload={() => void reload()} />}
		</Section>
	);
}

function ModesForm({ list, environment, theme, onSaved, reload }: { list: List; environment: string; theme: string; onSaved: (list: List) => void; reload: () => void }) {
	const [rows, setRows] = useState(() => list.modes.map(draftOfMode));
	const [moved, setMoved] = useState("");
	const may = mayAdmin(environment);
	const { modes, problems } = modesOf(rows);
	const change = (i: number, part: Partial<Draft>): void => setRows((now) => now.map((r, j) => (i === j ? { ...r, ...part } : r)));
	const move = (i: number, by: number): void => {
		setRows(shifted(rows, i, by));
		setMoved(`mode-${rows[i]!.id}-${by}`);
	};
	useEffect(() => document.getElementById(moved)?.focus(), [moved, rows]);
	const save = async (): Promise<void> => {
		try {
			const { data, etag } = await call<{ modes: Mode[] }>("PUT", `${themePath(environment, theme)}/modes`, { body: { modes }, headers: list.etag ? { "If-Match": list.etag } : {} });
			onSaved({ modes: data.modes, etag });
			say("The modes are saved. Addresses of latest follow within seconds; a publish freezes them with the version.", "success");
		} catch (error) {
			if (!(error instanceof ApiError && error.status === 412)) throw error;
			throw new Error("Another client changed the list meanwhile. Choose Show the newest list and make your change again.");
		}
	};
	if (!may) return <ModesList rows={rows} environment={environment} theme={theme} />;
	return (
		<Form submit="Save the modes" onSubmit={save} disabled={problems.length > 0 || rows.some((r) => r.variant === null || r.for === null)}>
			{rows.map((r, i) => {
				const name = `${r.dimension || "dimension"}.${r.mode || "mode"}`;
				return (
					<fieldset class="set mode" key={r.id}>
						<legend>{name}</legend>
						<TextField label="Dimension" value={r.dimension} placeholder="scheme" onInput={(dimension) => change(i, { dimension })} />
						<TextField label="Mode" value={r.mode} placeholder="dark" onInput={(mode) => change(i, { mode })} />
						<VariantField {...{ environment, theme }} label="Variant" value={r.variant} placeholder="overrides nothing" onChange={(variant) => change(i, { variant })} />
						<SelectField label="When" value={r.when} options={[["", "Only by an attribute"], ...conditions.map((c) => [c, c] as const)]} onChange={(when) => change(i, { when })} />
						<VariantField {...{ environment, theme }} label="For the brand" value={r.for} placeholder="all" onChange={(brand) => change(i, { for: brand })} />
						<span class="actions">
							<Button kind="quiet" id={`mode-${r.id}--1`} aria-label={`Move ${name} up`} disabled={i === 0} onClick={() => move(i, -1)}>↑</Button>
							<Button kind="quiet" id={`mode-${r.id}-1`} aria-label={`Move ${name} down`} disabled={i === rows.length - 1} onClick={() => move(i, 1)}>↓</Button>
							<Button kind="quiet" aria-label={`Remove ${name}`} onClick={() => setRows(rows.filter((_, j) => j !== i))}>✕</Button>
						</span>
					</fieldset>
				);
			})}
			{rows.length === 0 && <p>The Theme has no modes: each address serves one set of values.</p>}
			{problems.length > 0 && <p class="notice warning" role="status">{problems.join("\n")}</p>}
			<div class="actions">
				<Button onClick={() => setRows([...rows, { id: ++last, dimension: rows.at(-1)?.dimension ?? "scheme", mode: "", variant: "", when: "", for: "" }])}>Add a mode</Button>
				<Button kind="quiet" onClick={reload}>Show the newest list</Button>
			</div>
		</Form>
	);
}

function ModesList({ rows, ...of }: { rows: readonly Draft[]; environment: string; theme: string }) {
	if (rows.length === 0) return <p>The Theme has no modes. An admin of the Environment gives it some.</p>;
	return (
		<ul>{rows.map((r) => <li key={r.id}><strong>{r.dimension}.{r.mode}</strong>: {r.variant ? <Slug {...of} variant={r.variant} /> : "overrides nothing"}, {r.when || "only by an attribute"}{r.for && <>, for <Slug {...of} variant={r.for} /></>}</li>)}</ul>
	);
}

function Slug({ environment, theme, variant }: { environment: string; theme: string; variant: string }) {
	return <>{useVariant(environment, theme, variant).state.value.data?.slug ?? "…"}</>;
}
