// The preview: up to four looks at a Theme side by side, made in this page by the module that the edges run.
import { useComputed, useSignal } from "../../state/signals";
import { useEffect } from "preact/hooks";
import { all, get, themePath, type Schemas } from "../../api/client";
import { useTheme, useVariants } from "../../state/here";
import { query, setQuery } from "../../state/router";
import { adviceOf, loading } from "../../state/renderer";
import { useResource } from "../../state/resource";
import { Badge, Button, Failure, Loading, SelectField, TextField } from "../../ui/controls";
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

export const useVersions = (path: string, id: string) => useResource(`versions ${id}`, () => all<VersionEntry>(`${path}/tokens/versions`, {}, { quiet: true }));

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
	const variants = useVariants(e, t).state.value;
	const versions = useVersions(themePath(e, t), t).state.value;
	const modes = useResource(`modes ${t}`, () => get<Schemas["Modes"]>(`${themePath(e, t)}/modes`)).state.value;
	const error = theme.error ?? variants.error ?? versions.error ?? modes.error;
	const situation: Situation | undefined = theme.data && variants.data && modes.data && {
		latest: theme.data.latestVersion,
		hasDraft: theme.data.hasUnpublishedChanges || (variants.data.find((one) => one.id === v)?.hasUnpublishedChanges ?? false),
		brand: v,
		brands: ["", ...variants.data.map((one) => one.id)],
		dimensions: dimensionsOf(modes.data.modes),
	};
	return (
		<>
			{error && <Failure error={error} />}
			{!situation && !error && <Loading what="Reading the Theme" />}
			{situation && (
				<Looks
					environment={e} theme={t} situation={situation}
					names={new Map(variants.data!.map((one) => [one.id, one.displayName]))} versions={versions.data ?? []}
				/>
			)}
		</>
	);
}

interface LooksProps {
	environment: string;
	theme: string;
	situation: Situation;
	names: ReadonlyMap<string, string>;
	versions: readonly VersionEntry[];
}

function Looks({ environment, theme, situation, names, versions }: LooksProps) {
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
						key={i} {...{ environment, theme, pane, names, versions, show }} number={i + 1} dimensions={situation.dimensions} changed={panes.length > 1 ? marked.value : nothing}
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
	names: ReadonlyMap<string, string>;
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
	const title = `Pane ${number}: ${pane.source === "draft" ? "draft" : `version ${pane.source}`} of ${props.names.get(pane.brand) ?? "the Theme"}`;
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

function PaneChoices({ pane, number, names, versions, dimensions, onChange, onRemove }: PaneProps) {
	const listed = versions.some((v) => String(v.version) === pane.source) || pane.source === "draft" ? [] : [[pane.source, `Version ${pane.source}`] as const];
	const hasScheme = dimensions.some((d) => d.modes.includes("light") || d.modes.includes("dark"));
	return (
		<div class="look-choices" role="group" aria-label={`Choices of pane ${number}`}>
			<SelectField
				label="State" value={pane.source} onChange={(source) => onChange({ ...pane, source })}
				options={[["draft", "Draft"], ...versions.map((v) => [String(v.version), `Version ${v.version}`] as const), ...listed]}
			/>
			{names.size > 0 && (
				<SelectField label="Brand" value={pane.brand} onChange={(brand) => onChange({ ...pane, brand })} options={[["", "The Theme itself"], ...names]} />
			)}
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
