// Which libraries a Theme has files for, and what an application copies for each.
import { useState } from "preact/hooks";
import { environmentPath, get, themePath, type Theme } from "../../api/client";
import { mayAdmin } from "../../api/session";
import { draftOf } from "../../state/draft";
import { useModes } from "../../state/here";
import { useResource } from "../../state/resource";
import { Button, Checkbox, Copy, Form, Section, SelectField, Waiting, complain, say } from "../../ui/controls";
import { updated } from "./identity";
import { snippets, type Catalogue, type Integration } from "./snippets";

declare const catalogueAddress: string; // of integrations.json, from the build

const key = (i: Integration): string => `${i.framework}/${i.library}`;

export function Integrations(props: { environment: string; theme: Theme; onSaved: (theme: Theme) => void }) {
	const catalogue = useResource("catalogue", () => get<Catalogue>(catalogueAddress, {}, { quiet: true }));
	const { data } = catalogue.state.value;
	return (
		<Section title="Integrations" wide>
			{data ? <List {...props} catalogue={data} /> : <Waiting of={catalogue} what="Reading the libraries" />}
		</Section>
	);
}

function List({ environment, theme, onSaved, catalogue }: { environment: string; theme: Theme; onSaved: (theme: Theme) => void; catalogue: Catalogue }) {
	const { frameworks, libraries } = catalogue;
	const [framework, setFramework] = useState("react");
	const [library, setLibrary] = useState("");
	const [pinned, setPinned] = useState(false);
	const may = mayAdmin(environment);
	const list = theme.integrations as Integration[];
	const replace = async (next: (now: Integration[]) => Integration[]): Promise<void> => {
		onSaved(await updated<Theme>(themePath(environment, theme.id), "/integrations", (now) => ({ integrations: next(now.integrations as Integration[]) })));
	};
	const add = { framework, library } as Integration;
	const free = frameworks[framework]!.libraries.filter((l) => !list.some((i) => i.framework === framework && i.library === l));
	const remove = async (gone: Integration): Promise<void> => {
		await replace((now) => now.filter((i) => key(i) !== key(gone))).then(() => say(`${libraries[gone.library]!.name} is removed. Files that only it needed answer 404 within seconds.`), complain);
	};
	return (
		<>
			<p class="muted">Each pair of framework and library has the Theme serve the files that it takes.{!may && " An admin of the Environment adds and removes them."}</p>
			{theme.servingUrls.pinned && <Checkbox label={`Addresses of version ${theme.servingUrls.version}, which never change, in place of latest`} checked={pinned} onChange={setPinned} />}
			{list.length === 0 && <p>The Theme serves nothing yet.</p>}
			{list.map((i) => {
				const name = `${frameworks[i.framework]!.name} with ${libraries[i.library]!.name}`;
				return (
					<details class="snippets" key={key(i)} open={list.length === 1}>
						<summary>{name}</summary>
						<Snippets environment={environment} theme={theme} integration={i} pinned={pinned} catalogue={catalogue} />
						{may && list.length > 1 && <Button kind="danger" onClick={() => void remove(i)}>Remove {name}</Button>}
					</details>
				);
			})}
			{may && (
				<Form submit="Add" disabled={!free.includes(library)} onSubmit={() => replace((now) => (now.some((i) => key(i) === key(add)) ? now : [...now, add]))}>
					<div class="tools">
						<SelectField label="Framework" value={framework} onChange={setFramework} options={Object.entries(frameworks).map(([f, { name }]) => [f, name] as const)} />
						<SelectField label="Library" value={library} onChange={setLibrary} options={[["", "Choose"], ...free.map((l) => [l, libraries[l]!.name] as const)]} />
					</div>
				</Form>
			)}
		</>
	);
}

function Snippets({ environment, theme, integration, pinned, catalogue }: { environment: string; theme: Theme; integration: Integration; pinned: boolean; catalogue: Catalogue }) {
	const draft = draftOf(environmentPath(environment), theme.id, null);
	const modes = useModes(environment, theme.id).state.value.data?.modes ?? [];
	const source = { urls: theme.servingUrls, pinned, modes: [...new Set(modes.map((m) => m.dimension))], tokens: draft.tokens.value, prefix: theme.assetSettings.prefix };
	return (
		<>
			{theme.serving.mode === "signed" && <p class="notice warning">This Theme is served to signed addresses only: sign each address before a page links it, as livery sign does.</p>}
			{snippets(catalogue, integration, source).map(({ where, text }) => (
				<figure key={where}>
					<figcaption><span>{where}</span><Copy text={text} /></figcaption>
					<pre tabIndex={0}>{text}</pre>
				</figure>
			))}
		</>
	);
}
