// The tabs of an Environment, a Theme and a Variant. A view adds its own tab here and its route in routes.ts.
import { href } from "../state/router";
import { useTheme, useVariant } from "../state/here";
import { Tabs } from "../ui/controls";
import { State } from "./lists";

export function EnvironmentTabs({ environment, current }: { environment: string; current: string }) {
	const tab = (name: string, text: string) => ({ href: href.environment(environment, name), text, current: name === current });
	return <Tabs label="Environment" tabs={[tab("", "Themes"), tab("events", "Events"), tab("webhooks", "Webhooks")]} />;
}

export function ThemeTabs({ environment, theme, current }: { environment: string; theme: string; current: string }) {
	const t = useTheme(environment, theme).state.value.data;
	const tab = (name: string, text: string) => ({ href: href.theme(environment, theme, name), text, current: name === current });
	return (
		<>
			<div class="title-row">
				<h1>{t?.displayName ?? "…"}</h1>
				{t && <State of={t} />}
			</div>
			<Tabs
				label="Theme"
				tabs={[
					tab("", "Tokens"),
					tab("variants", "Variants"),
					tab("matrix", "Matrix"),
					tab("preview", "Preview"),
					tab("diff", "Changes"),
					tab("versions", "Versions"),
					tab("settings", "Settings"),
				]}
			/>
		</>
	);
}

export function VariantTabs({ environment, theme, variant, current }: { environment: string; theme: string; variant: string; current: string }) {
	const v = useVariant(environment, theme, variant).state.value.data;
	const tab = (name: string, text: string) => ({ href: href.variant(environment, theme, variant, name), text, current: name === current });
	return (
		<>
			<div class="title-row">
				<h1>{v?.displayName ?? "…"}</h1>
				{v && <State of={v} />}
			</div>
			<Tabs
				label="Variant"
				tabs={[
					tab("", "Overrides"),
					tab("preview", "Preview"),
					tab("diff", "Changes"),
					tab("versions", "Versions"),
					tab("settings", "Settings"),
				]}
			/>
		</>
	);
}
