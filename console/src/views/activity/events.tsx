// What happened in an Environment, newest first; what happens now comes on top.
import { useEffect, useState } from "preact/hooks";
import { environmentPath, get, type Page } from "../../api/client";
import { listen, type Happening } from "../../state/events";
import { useTheme, useVariant } from "../../state/here";
import { href, query, setQuery } from "../../state/router";
import { Button, Empty, Failure, Loading, SelectField, TextField, Time } from "../../ui/controls";
import { action, fits, grouped, kinds, type Filter, type Group } from "./words";
import "./activity.css";

export function Events({ params }: { params: Record<string, string> }) {
	const e = params.environment!;
	const [events, setEvents] = useState<readonly Happening[] | null>(null);
	const [next, setNext] = useState<string | undefined>();
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<Error | null>(null);
	const read = async (after: string): Promise<void> => {
		setBusy(true);
		setError(null);
		try {
			const page = await get<Page<Happening>>(`${environmentPath(e)}/events`, { orderDir: "descending", limit: 50, after });
			setEvents((old) => merged(old ?? [], page.items));
			setNext(page.next);
		} catch (err) {
			setError(err as Error);
		}
		setBusy(false);
	};
	useEffect(() => {
		void read("");
		return listen((event) => setEvents((old) => merged([event], old ?? [])));
	}, [e]);
	const [theme, kind, by] = ["theme", "kind", "by"].map((name) => query.value.get(name) ?? "") as [string, string, string];
	const filter: Filter = { theme, kind, by };
	const shown = (events ?? []).filter((event) => fits(event, filter));
	const deleted = new Set(events?.filter((event) => event.kind.endsWith(".deleted")).map((event) => event.variant ?? event.theme));
	const themes = new Set([theme, ...(events ?? []).map((event) => event.theme ?? "")].filter((id) => id && !deleted.has(id)));
	return (
		<>
			<h1>Events</h1>
			<div class="tools">
				<SelectField label="Theme" hidden value={theme} options={[["", "All Themes"], ...[...themes].map((t) => [t, <ThemeName environment={e} theme={t} />] as const)]} onChange={(v) => setQuery({ theme: v })} />
				<SelectField label="Kind" hidden value={kind} options={kinds} onChange={(v) => setQuery({ kind: v })} />
				<TextField label="Person" hidden type="search" placeholder="Find by person" value={by} onInput={(v) => setQuery({ by: v })} />
			</div>
			{error && <Failure error={error} retry={() => void read(next ?? "")} />}
			{!events && !error && <Loading what="Reading the events" />}
			{events && shown.length === 0 && (
				<Empty title={events.length === 0 ? "Nothing has happened yet" : "No event here fits"}>
					<p>{next ? "Older ones may: load them below." : "Each change of a Theme or a Variant shows here at once, and is kept for 30 days."}</p>
				</Empty>
			)}
			<ol class="timeline">{grouped(shown).map((g) => <Entry key={g.event.id} group={g} environment={e} deleted={deleted} />)}</ol>
			{next && <Button busy={busy} onClick={() => void read(next)}>Load older events</Button>}
		</>
	);
}

/** Events newest first, each once. */
function merged(newer: readonly Happening[], older: readonly Happening[]): readonly Happening[] {
	const known = new Set(newer.map((event) => event.id));
	return [...newer, ...older.filter((event) => !known.has(event.id))];
}

function Entry({ group: { event, count, variants }, environment, deleted }: { group: Group; environment: string; deleted: ReadonlySet<string | null> }) {
	const t = event.theme ?? "";
	const name = !deleted.has(t) && <ThemeName environment={environment} theme={t} />;
	const variant = (v: string) => (name && !deleted.has(v) ? <VariantName environment={environment} theme={t} variant={v} /> : <code>{v}</code>);
	return (
		<li>
			<p>
				<strong>{event.by ?? "Somebody"}</strong> {action(event, variants.length > 1)} {event.variant
					? <>{variants.slice(0, 3).map((v, i) => <span key={v}>{i > 0 && ", "}{variant(v)}</span>)}{variants.length > 3 && ` and ${variants.length - 3} more`} of {name || "a deleted Theme"}</>
					: event.count ? <>of {name || "a deleted Theme"}</> : name ? <a href={href.theme(environment, t)}>{name}</a> : <code>{t}</code>}{count > Math.max(1, variants.length) && `, ${count} times`}
			</p>
			{event.note && <blockquote>{event.note}</blockquote>}
			<p class="muted"><Time at={event.at} /></p>
		</li>
	);
}

function ThemeName({ environment, theme }: { environment: string; theme: string }) {
	return <>{useTheme(environment, theme).state.value.data?.displayName ?? "…"}</>;
}

function VariantName({ environment, theme, variant }: { environment: string; theme: string; variant: string }) {
	return <a href={href.variant(environment, theme, variant)}>{useVariant(environment, theme, variant).state.value.data?.displayName ?? "…"}</a>;
}
