// The preview: up to four looks at a Theme side by side, made in this page by the module that the edges run.
import { useComputed, useSignal } from "../../state/signals";
import { useEffect } from "preact/hooks";
import { get, themePath, type Page, type Schemas, type Variant } from "../../api/client";
import { useModes, useOwner, useTheme, useVariant } from "../../state/here";
import { usePages } from "../../state/pages";
import { query, setQuery } from "../../state/router";
import { adviceOf, loading } from "../../state/renderer";
import { useResource } from "../../state/resource";
import { Badge, Button, Failure, Loading, SelectField, TextField } from "../../ui/controls";
import { VariantField } from "../variants/pick";
import { DifferenceList } from "./differencelist";
import { Files } from "./files";
import { Frame } from "./frame";
import { useLook, type Look } from "./look";
import { dimensionsOf, firstPanes, panesShown, presets, readPane, schemeOf, spellPane, type Dimension, type Pane, type Situation } from "./pane";
import { differences } from "./sheet";
import { Site, SiteHelp } from "./site";
import "./look.css";

export type VersionEntry = Schemas["VersionEntry"];
export type Show = "samples" | "tokens" | "site";

const nothing: ReadonlySet<string> = new Set();

export const useVersions = (path: string, id: string) => usePages<VersionEntry>(`versions ${id}`, {}, (query) => get(`${path}/tokens/versions`, query, { quiet: true }));

/** Puts panes into the address. */
function showPanes(panes: readonly Pane[]): void {
	setQuery(Object.fromEntries(Array.from({ length: panesShown }, (_, i) => [`p${i + 1}`, panes[i] ? spellPane(panes[i]) : ""])));
}

function panesOf(s: Situation): Pane[] {
	const named = Array.from({ length: panesShown }, (_, i) => readPane(query.value.get(`p${i + 1}`))).filter((p) => p !== null);
	return named.length > 0 ? named : firstPanes(s);
}

export function Preview({ params }: { params: Record<string, string> }) {
	const [e, t, v] = [params.environment!, params.theme!, params.variant ?? ""];
	const theme = useTheme(e, t).state.value;
	const owner = useOwner(e, t, v).state.value;
	const first = useResource(`variants ${t} first`, async () => (await get<Page<Variant>>(`${themePath(e, t)}/variants`, { pageSize: 1 })).items).state.value;
	const versions = useVersions(themePath(e, t), t).state.value;
	const modes = useModes(e, t).state.value;
	const error = theme.error ?? owner.error ?? first.error ?? versions.error ?? modes.error;
	const situation: Situation | undefined = theme.data && owner.data && first.data && modes.data && {
		latest: theme.data.latestVersion,
		hasDraft: theme.data.hasUnpublishedChanges || owner.data.hasUnpublishedChanges,
		brand: v,
		brands: ["", ...first.data.map((one) => one.id)],
		dimensions: dimensionsOf(modes.data.modes),
	};
	return (
		<>
			{error && <Failure error={error} />}
			{!situation && !error && <Loading what="Reading the Theme" />}
			{situation && (
				<Looks
					environment={e} theme={t} situation={situation} versions={versions.data?.items ?? []}
				/>
			)}
		</>
	);
}

interface LooksProps {
	environment: string;
	theme: string;
	situation: Situation;
	versions: readonly VersionEntry[];
}

function Looks({ environment, theme, situation, versions }: LooksProps) {
	const panes = panesOf(situation);
	const show = (["tokens", "site"] as const).find((s) => s === query.value.get("show")) ?? "samples";
	const looks = useSignal<Readonly<Record<number, Look | undefined>>>({});
	const changed = useComputed(() => {
		const [a, b] = [looks.value[0], looks.value[1]];
		return a && b ? differences(a.properties, b.properties) : [];
	});
	const marked = useComputed<ReadonlySet<string>>(() => new Set(changed.value.map((d) => d.name)));
	const set = (i: number, pane: Pane | null): void => {
		showPanes(pane ? panes.with(i, pane) : panes.toSpliced(i, 1));
		if (!pane) looks.value = {};
	};
	const spelled = panes.map(spellPane).join(" ");
	return (
		<>
			<div class="tools look-tools">
				<div class="look-presets" role="group" aria-label="What to compare">
					{presets(situation).map(({ text, panes: list }) => (
						<Button key={text} aria-pressed={list.map(spellPane).join(" ") === spelled} onClick={() => showPanes(list)}>{text}</Button>
					))}
				</div>
				<SelectField<Show>
					label="Show" hidden value={show} onChange={(s) => setQuery({ show: s === "samples" ? "" : s })}
					options={[["samples", "Samples"], ["tokens", "All tokens"], ["site", "A page of yours"]]}
				/>
				{show === "tokens" && <TextField label="Find a token" hidden placeholder="Find by path, name or value" type="search" value={query.value.get("q") ?? ""} onInput={(q) => setQuery({ q })} />}
				{panes.length < panesShown && <Button onClick={() => showPanes([...panes, panes.at(-1)!])}>Add a pane</Button>}
			</div>
			{show === "site" && <SiteHelp />}
			{loading.value !== null && <Loading what={`Loading the renderer that the edges run: ${Math.floor(loading.value * 10)}0 %`} />}
			<div class={`look-panes of-${panes.length}`}>
				{panes.map((pane, i) => (
					<PaneView
						key={i} {...{ environment, theme, pane, versions, show }} number={i + 1} branded={situation.brands.length > 1} dimensions={situation.dimensions} changed={panes.length > 1 ? marked.value : nothing}
						onChange={(p) => set(i, p)} onRemove={panes.length > 1 ? () => set(i, null) : undefined}
						onLook={(look) => { looks.value = { ...looks.value, [i]: look }; }}
					/>
				))}
			</div>
			{panes.length > 1 && looks.value[0] && looks.value[1] && <DifferenceList list={changed.value} />}
			<Files looks={panes.map((_, i) => looks.value[i])} />
		</>
	);
}

interface PaneProps {
	environment: string;
	theme: string;
	pane: Pane;
	number: number;
	branded: boolean; // the Theme has Variants
	versions: readonly VersionEntry[];
	dimensions: readonly Dimension[];
	show: Show;
	changed: ReadonlySet<string>;
	onChange: (pane: Pane) => void;
	onRemove?: () => void;
	onLook: (look: Look | undefined) => void;
}

function PaneView(props: PaneProps) {
	const { environment, theme, pane, number, show, changed, dimensions, onLook } = props;
	const { look, error, busy, old, retry } = useLook(environment, theme, pane, dimensions);
	useEffect(() => onLook(look), [look]);
	const { data } = useVariant(environment, theme, pane.brand).state.value;
	const title = `Pane ${number}: ${pane.source === "draft" ? "draft" : `version ${pane.source}`} of ${(pane.brand && data?.displayName) || "the Theme"}`;
	return (
		<section class="look-pane" aria-label={title} aria-busy={busy}>
			<PaneChoices {...props} />
			<p class="look-state" role="status">
				{error ? "" : !look || old ? "Rendering …" : <Proof look={look} />}
				{look && !old && <span class="muted">{look.properties.size} custom properties{busy ? ", rendering …" : ""}</span>}
			</p>
			{error && <Failure error={new Error(adviceOf(error))} retry={retry} />}
			{look && show === "site" && <Site title={title} css={look.css} />}
			{look && show !== "site" && (
				<Frame title={title} css={look.css} scheme={schemeOf(pane)} modes={pane.modes} list={look.specimens} changed={changed} words={show === "tokens" ? (query.value.get("q") ?? "") : null} />
			)}
		</section>
	);
}

function Proof({ look }: { look: Look }) {
	if (look.identical === null) return <Badge kind="warning">has edits that are not saved yet</Badge>;
	if (look.identical) return <Badge kind="success">same bytes as the origin's</Badge>;
	return <Badge kind="danger">differs from the origin's: load the page again, and report it if it stays</Badge>;
}

function PaneChoices({ environment, theme, pane, number, branded, versions, dimensions, onChange, onRemove }: PaneProps) {
	const listed = versions.some((v) => String(v.version) === pane.source) || pane.source === "draft" ? [] : [[pane.source, `Version ${pane.source}`] as const];
	const hasScheme = dimensions.some((d) => d.modes.includes("light") || d.modes.includes("dark"));
	return (
		<div class="look-choices" role="group" aria-label={`Choices of pane ${number}`}>
			<SelectField
				label="State" value={pane.source} onChange={(source) => onChange({ ...pane, source })}
				options={[["draft", "Draft"], ...versions.map((v) => [String(v.version), `Version ${v.version}`] as const), ...listed]}
			/>
			{branded && <VariantField {...{ environment, theme }} label="Brand" placeholder="The Theme itself" value={pane.brand} onChange={(brand) => brand !== null && onChange({ ...pane, brand })} />}
			{dimensions.map((d) => (
				<SelectField
					key={d.name} label={d.name} value={pane.modes[d.name] ?? ""} options={[["", "none"], ...d.modes.map((m) => [m, m] as const)]}
					onChange={(mode) => onChange({ ...pane, modes: Object.fromEntries(Object.entries({ ...pane.modes, [d.name]: mode }).filter(([, m]) => m)) })}
				/>
			))}
			{!hasScheme && (
				<SelectField label="Page" value={pane.scheme} onChange={(scheme) => onChange({ ...pane, scheme })} options={[["", "as the browser"], ["light", "light"], ["dark", "dark"]]} />
			)}
			{onRemove && <Button kind="quiet" aria-label={`Remove pane ${number}`} onClick={onRemove}>✕</Button>}
		</div>
	);
}
