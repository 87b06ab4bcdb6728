// What happened in an Environment, newest first; what happens now comes on top.
import { useEffect, useState } from "preact/hooks";
import { environmentPath, get } from "../../api/client";
import { listen, type Happening } from "../../state/events";
import { useThemes, useVariants } from "../../state/here";
import { href, query, setQuery } from "../../state/router";
import { Button, Empty, Failure, Loading, SelectField, TextField, Time } from "../../ui/controls";
import { action, fits, grouped, kinds, type Filter, type Group } from "./words";
import "./activity.css";

interface Page {
	items: Happening[];
	next?: string;
}

export function Events({ params }: { params: Record<string, string> }) {
	const e = params.environment!;
	const themes = useThemes(e).state.value.data ?? [];
	const [events, setEvents] = useState<readonly Happening[] | null>(null);
	const [next, setNext] = useState<string | undefined>();
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<Error | null>(null);
	const read = async (after: string): Promise<void> => {
		setBusy(true);
		setError(null);
		try {
			const page = await get<Page>(`${environmentPath(e)}/events`, { orderDir: "descending", limit: 200, after });
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
	return (
		<>
			<h1>Events</h1>
			<div class="tools">
				<SelectField label="Theme" hidden value={theme} options={[["", "All Themes"], ...themes.map((t) => [t.id, t.displayName] as const)]} onChange={(v) => setQuery({ theme: v })} />
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
			<ol class="timeline">{grouped(shown).map((g) => <Entry key={g.event.id} group={g} environment={e} theme={themes.find((t) => t.id === g.event.theme)?.displayName} />)}</ol>
			{next && <Button busy={busy} onClick={() => void read(next)}>Load older events</Button>}
		</>
	);
}

/** Events newest first, each once. */
function merged(newer: readonly Happening[], older: readonly Happening[]): readonly Happening[] {
	const known = new Set(newer.map((event) => event.id));
	return [...newer, ...older.filter((event) => !known.has(event.id))];
}

function Entry({ group: { event, count, variants }, environment, theme }: { group: Group; environment: string; theme: string | undefined }) {
	const t = event.theme ?? "";
	return (
		<li>
			<p>
				<strong>{event.by ?? "Somebody"}</strong> {action(event, variants.length > 1)} {event.variant
					? <>{variants.slice(0, 3).map((v, i) => <span key={v}>{i > 0 && ", "}<VariantName environment={environment} theme={t} variant={v} /></span>)}{variants.length > 3 && ` and ${variants.length - 3} more`} of {theme ?? "a deleted Theme"}</>
					: event.count ? <>of {theme ?? "a deleted Theme"}</> : theme ? <a href={href.theme(environment, t)}>{theme}</a> : <code>{t}</code>}{count > Math.max(1, variants.length) && `, ${count} times`}
			</p>
			{event.note && <blockquote>{event.note}</blockquote>}
			<p class="muted"><Time at={event.at} /></p>
		</li>
	);
}

function VariantName({ environment, theme, variant }: { environment: string; theme: string; variant: string }) {
	const found = useVariants(environment, theme).state.value.data?.find((v) => v.id === variant);
	return found ? <a href={href.variant(environment, theme, variant)}>{found.displayName}</a> : <code>{variant}</code>;
}
