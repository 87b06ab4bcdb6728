// The modes of a Theme: Variants that the Theme gives a condition, such as dark.
import { useEffect, useState } from "preact/hooks";
import { ApiError, call, themePath, type Schemas, type Variant } from "../../api/client";
import { mayAdmin } from "../../api/session";
import { useVariants } from "../../state/here";
import { useResource } from "../../state/resource";
import { Button, Failure, Form, Section, SelectField, TextField, say } from "../../ui/controls";
import { variantNamed } from "../variants/create";

type Mode = Schemas["Mode"];
interface List {
	modes: Mode[];
	etag: string | null;
}

export const useModes = (e: string, t: string) => useResource<List>(`modes ${t}`, async () => {
	const { data, etag } = await call<{ modes: Mode[] }>("GET", `${themePath(e, t)}/modes`, { quiet: true });
	return { modes: data.modes, etag };
});

const conditions = ["(prefers-color-scheme: dark)", "(prefers-color-scheme: light)", "(prefers-contrast: more)", "(prefers-contrast: less)", "(prefers-contrast: custom)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)", "print"];

/** A mode as it is edited: Variants by their slugs. */
export interface Draft {
	id: number;
	dimension: string;
	mode: string;
	variant: string;
	when: string;
	for: string;
}
let last = 0;

export function draftOfMode(m: Mode, slug: (id: string) => string): Draft {
	return { id: ++last, dimension: m.dimension, mode: m.mode, variant: m.variant ? slug(m.variant) : "", when: m.when ?? "", for: m.for ? slug(m.for) : "" };
}

/** The list as the API takes it, and what is wrong with it. */
export function modesOf(drafts: readonly Draft[], find: (slug: string) => string | undefined): { modes: Mode[]; problems: string[] } {
	const problems: string[] = [];
	const seen = new Set<string>();
	const id = (slug: string): string | undefined => {
		const found = find(slug);
		if (slug && !found) problems.push(`The Theme has no Variant ${slug}.`);
		return found;
	};
	const modes = drafts.map((d) => {
		for (const name of [d.dimension, d.mode]) if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) problems.push(`${name || "An empty name"}: dimensions and modes have small letters, digits and -, at most 32.`);
		const place = `${d.dimension}.${d.mode} ${d.for}`.trim();
		if (seen.has(place)) problems.push(`${place} stands here twice.`);
		seen.add(place);
		const brand = id(d.for);
		return { dimension: d.dimension, mode: d.mode, variant: id(d.variant) ?? null, ...(d.when ? { when: d.when as Mode["when"] } : {}), ...(brand ? { for: brand } : {}) };
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
	const variants = useVariants(environment, theme).state.value.data;
	const { data, error } = state.value;
	return (
		<Section title="Modes" wide>
			<p class="muted">A mode is a Variant with a condition: one stylesheet serves light and dark, chosen by the reader's system or by an attribute such as <code>data-scheme="dark"</code>. The dimensions are laid over one another in their order.</p>
			{error && <Failure error={error} retry={() => void reload()} />}
			{data && variants && <ModesForm key={data.etag} list={data} variants={variants} environment={environment} theme={theme} onSaved={set} reload={() => void reload()} />}
		</Section>
	);
}

function ModesForm({ list, variants, environment, theme, onSaved, reload }: { list: List; variants: readonly Variant[]; environment: string; theme: string; onSaved: (list: List) => void; reload: () => void }) {
	const slug = (id: string): string => variants.find((v) => v.id === id)?.slug ?? id;
	const [rows, setRows] = useState(() => list.modes.map((m) => draftOfMode(m, slug)));
	const [moved, setMoved] = useState("");
	const may = mayAdmin(environment);
	const { modes, problems } = modesOf(rows, (text) => variantNamed(variants, text)?.id);
	const change = (i: number, part: Partial<Draft>): void => setRows(rows.map((r, j) => (i === j ? { ...r, ...part } : r)));
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
	if (!may) return <ModesList rows={rows} />;
	return (
		<Form submit="Save the modes" onSubmit={save} disabled={problems.length > 0}>
			<datalist id="mode-variants">{variants.map((v) => <option key={v.id} value={v.slug}>{v.displayName}</option>)}</datalist>
			{rows.map((r, i) => {
				const name = `${r.dimension || "dimension"}.${r.mode || "mode"}`;
				return (
					<fieldset class="set mode" key={r.id}>
						<legend>{name}</legend>
						<TextField label="Dimension" value={r.dimension} placeholder="scheme" onInput={(dimension) => change(i, { dimension })} />
						<TextField label="Mode" value={r.mode} placeholder="dark" onInput={(mode) => change(i, { mode })} />
						<TextField label="Variant" value={r.variant} placeholder="overrides nothing" onInput={(variant) => change(i, { variant })} list="mode-variants" />
						<SelectField label="When" value={r.when} options={[["", "Only by an attribute"], ...conditions.map((c) => [c, c] as const)]} onChange={(when) => change(i, { when })} />
						<TextField label="For the brand" value={r.for} placeholder="all" onInput={(brand) => change(i, { for: brand })} list="mode-variants" />
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

function ModesList({ rows }: { rows: readonly Draft[] }) {
	if (rows.length === 0) return <p>The Theme has no modes. An admin of the Environment gives it some.</p>;
	return (
		<ul>{rows.map((r) => <li key={r.id}><strong>{r.dimension}.{r.mode}</strong>: {r.variant || "overrides nothing"}, {r.when || "only by an attribute"}{r.for && `, for ${r.for}`}</li>)}</ul>
	);
}
