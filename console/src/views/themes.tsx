// The Themes of an Environment: found by their words and labels, shown as cards or as a table.
import { useState } from "preact/hooks";
import { call, environmentPath, type Theme } from "../api/client";
import { mayEdit } from "../api/session";
import { useThemes } from "../state/here";
import { go, href, query, setQuery } from "../state/router";
import { Button, Dialog, Empty, Failure, Form, Loading, TextField, Time } from "../ui/controls";
import { Labels, ListTools, State, matches, sorted, type Sort } from "./lists";
import { EnvironmentTabs } from "./tabs";

export function Themes({ params }: { params: Record<string, string> }) {
	const e = params.environment!;
	const { state, reload } = useThemes(e);
	const [creating, setCreating] = useState(false);
	const { data, error } = state.value;
	const words = query.value.get("q") ?? "";
	const list = query.value.get("as") === "list";
	const sort = (query.value.get("sort") ?? "") as Sort;
	const shown = sorted((data ?? []).filter((t) => matches(t, words)), sort);
	return (
		<>
			<EnvironmentTabs environment={e} current="" />
			<div class="title-row">
				<h1>Themes</h1>
				{mayEdit(e) && <Button kind="primary" onClick={() => setCreating(true)}>New Theme</Button>}
			</div>
			{error && <Failure error={error} retry={() => void reload()} />}
			{!data && !error && <Loading what="Reading the Themes" />}
			{data && data.length > 0 && <div class="tools"><ListTools what="Theme" size="Most tokens first" words={words} sort={sort} list={list} shown={shown.length} all={data.length} /></div>}
			{data?.length === 0 && (
				<Empty title="No Theme yet">
					<p>A Theme is one design system: a tree of tokens, with a Variant for each brand. Make one here, or push files that you have:</p>
					<pre>livery push tokens.json --env {e} --theme acme --create</pre>
				</Empty>
			)}
			{data && data.length > 0 && shown.length === 0 && <Empty title="No Theme has these words"><Button onClick={() => setQuery({ q: "" })}>Show all</Button></Empty>}
			{list ? <ThemeTable themes={shown} environment={e} /> : <ThemeCards themes={shown} environment={e} />}
			{creating && <NewTheme environment={e} onClose={() => setCreating(false)} />}
		</>
	);
}

function ThemeCards({ themes, environment }: { themes: readonly Theme[]; environment: string }) {
	return (
		<ul class="cards whole-cards">
			{themes.map((t) => (
				<li key={t.id} class="card">
					<h2><a class="whole" href={href.theme(environment, t.id)}>{t.displayName}</a></h2>
					<p class="muted"><code>{t.slug}</code> · {t.tokenCount} tokens</p>
					<p class="states"><State of={t} /><Labels labels={t.metadata} /></p>
					<p class="muted">changed <Time at={t.updatedAt} /></p>
				</li>
			))}
		</ul>
	);
}

function ThemeTable({ themes, environment }: { themes: readonly Theme[]; environment: string }) {
	return (
		<div class="scroll">
			<table class="table">
				<thead><tr><th scope="col">Theme</th><th scope="col">Slug</th><th scope="col" class="number">Tokens</th><th scope="col">State</th><th scope="col">Labels</th><th scope="col">Changed</th></tr></thead>
				<tbody>
					{themes.map((t) => (
						<tr key={t.id}>
							<th scope="row"><a href={href.theme(environment, t.id)}>{t.displayName}</a></th>
							<td><code>{t.slug}</code></td>
							<td class="number">{t.tokenCount}</td>
							<td><State of={t} /></td>
							<td><Labels labels={t.metadata} /></td>
							<td><Time at={t.updatedAt} /></td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

/** A slug that a name suggests. */
export function slugOf(name: string): string {
	return name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 64);
}

function NewTheme({ environment, onClose }: { environment: string; onClose: () => void }) {
	const [name, setName] = useState("");
	const [slug, setSlug] = useState<string | null>(null);
	const create = async (): Promise<void> => {
		const { data } = await call<{ resource: Theme }>("POST", `${environmentPath(environment)}/themes`, {
			body: { displayName: name, slug: slug ?? slugOf(name), integration: { framework: "react", library: "plainCSS" } },
		});
		onClose();
		go(href.theme(environment, data.resource.id));
	};
	return (
		<Dialog title="New Theme" onClose={onClose}>
			<Form submit="Create" onSubmit={create} onCancel={onClose} disabled={!name.trim()}>
				<TextField label="Name" value={name} onInput={setName} required />
				<TextField label="Slug" value={slug ?? slugOf(name)} onInput={setSlug} spellcheck={false} hint="Letters, digits and - _ . ; the command line and files name the Theme by it." />
			</Form>
		</Dialog>
	);
}
