// The settings of a Theme.
import { useState } from "../../dom/hooks";
import { call, themePath, type Theme } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useTheme } from "../../state/here";
import { go, href } from "../../state/router";
import { Button, Copy, Waiting, say } from "../../ui/controls";
import { Confirm } from "../../ui/labels";
import { Addresses } from "./addresses";
import { IdentityForm } from "./identity";
import { Integrations } from "./integrations";
import { Modes } from "./modes";
import "./settings.css";

export function ThemeSettings({ params }: { params: Record<string, string> }) {
	const [e, t] = [params.environment!, params.theme!];
	const owner = useTheme(e, t);
	const { data } = owner.state.value;
	return (
		<>
			<Waiting of={owner} what="Reading the Theme" />
			{data && (
				<div class="settings">
					<IdentityForm path={themePath(e, t)} value={data} onSaved={owner.set} may={mayEdit(e)} />
					<Addresses urls={data.servingUrls} />
					<Integrations environment={e} theme={data} onSaved={owner.set} />
					<Modes environment={e} theme={t} />
					<Serving theme={data} />
					{mayEdit(e) && <Delete environment={e} theme={data} />}
				</div>
			)}
		</>
	);
}

function Serving({ theme }: { theme: Theme }) {
	const { serving: s, assetSettings: a } = theme;
	const missing = { allowNonBrowsers: "answered, unless it looks like a browser", refuse: "refused", allow: "answered" }[s.missingOrigin];
	const facts: [string, string, string][] = [
		["Files are for", s.mode === "public" ? "everyone" : "signed addresses only", `serving set ${theme.id} --mode ${s.mode === "public" ? "signed" : "public"}`],
		["Signing keys", s.signingKeys.join(", ") || "none", `keys add ${theme.id}`],
		["Pages of these origins", s.allowedOrigins.join(", ") || "all", `serving set ${theme.id} --allowed-origin https://www.example.com`],
		["A request without an origin", s.allowedOrigins.length > 0 ? missing : "answered, for all origins are allowed", `serving set ${theme.id} --missing-origin refuse`],
		["Addresses of clients", s.allowedIPRanges.join(", ") || "all", `serving set ${theme.id} --allowed-ip 192.0.2.0/24`],
		["CSS prefix", a.isLive ? (a.prefix ? `--${a.prefix}-… since version ${a.liveVersion}` : `none, since version ${a.liveVersion}`) : "none", `serving set ${theme.id} --prefix acme`],
	];
	return (
		<section class="card wide" aria-labelledby="serving">
			<h2 id="serving">Serving</h2>
			<p class="muted">The operator of this origin sets these, on its machine, by the command beside each. A prefix takes effect with the next publish, the others at once. Secrets of keys are never shown.</p>
			<div class="scroll">
				<table class="table">
					<thead><tr><th scope="col">Setting</th><th scope="col">Now</th><th scope="col">Command that changes it</th></tr></thead>
					<tbody>{facts.map(([name, now, command]) => <tr key={name}><th scope="row">{name}</th><td>{now}</td><td><code>livery {command}</code> <Copy text={`livery ${command}`} /></td></tr>)}</tbody>
				</table>
			</div>
		</section>
	);
}

function Delete({ environment, theme }: { environment: string; theme: Theme }) {
	const [asking, setAsking] = useState(false);
	const remove = async (): Promise<void> => {
		await call("DELETE", themePath(environment, theme.id));
		say(`${theme.displayName} is deleted.`);
		go(href.environment(environment));
	};
	return (
		<section class="card" aria-labelledby="delete">
			<h2 id="delete">Delete</h2>
			<p>Its Variants and every version of both go with it, and the addresses of its files answer 404.</p>
			<div class="actions"><Button kind="danger" onClick={() => setAsking(true)}>Delete this Theme</Button></div>
			{asking && (
				<Confirm title={`Delete ${theme.displayName}`} word={theme.slug} submit="Delete the Theme" onConfirm={remove} onClose={() => setAsking(false)}>
					<p>The Theme with its {theme.tokenCount} tokens, all its Variants and all versions are gone then. Only a backup of the operator brings them back.</p>
				</Confirm>
			)}
		</section>
	);
}
