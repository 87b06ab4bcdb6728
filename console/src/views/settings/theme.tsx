// The settings of a Theme.
import { themePath, type Theme } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useTheme } from "../../state/here";
import { href } from "../../state/router";
import { Copy, Section, Waiting, Table } from "../../ui/controls";
import { Addresses } from "./addresses";
import { Delete } from "./delete";
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
					{mayEdit(e) && (
						<Delete path={themePath(e, t)} of={data} what="Theme" next={href.environment(e)}>
							<p>The Theme with its {data.tokenCount} tokens, all its Variants and all versions go with it, and the addresses of its files answer 404. Only a backup of the operator brings them back.</p>
						</Delete>
					)}
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
		<Section title="Serving" wide>
			<p class="muted">The operator of this origin sets these by the command beside each. A prefix takes effect with the next publish, the others at once.</p>
			<Table label="Settings of serving" heads={["Setting", "Now", "Command that changes it"]}>
				{facts.map(([name, now, command]) => <tr key={name}><th scope="row">{name}</th><td>{now}</td><td><code>livery {command}</code> <Copy text={`livery ${command}`} /></td></tr>)}
			</Table>
		</Section>
	);
}
