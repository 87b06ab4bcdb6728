// What stands above the views of an Environment, a Theme or a Variant: its name and its tabs. A view adds its own tab here
// and its route in routes.ts.
import { href, type Params } from "../state/router";
import { useOwner } from "../state/here";
import { State } from "./lists";

type Names = readonly (readonly [tab: string, text: string])[];
const ofEnvironment: Names = [["", "Themes"], ["events", "Events"], ["webhooks", "Webhooks"]];
const ofBoth: Names = [["preview", "Preview"], ["diff", "Changes"], ["versions", "Versions"], ["settings", "Settings"]];
const ofTheme: Names = [["", "Tokens"], ["variants", "Variants"], ["matrix", "Matrix"], ...ofBoth];
const ofVariant: Names = [["", "Overrides"], ...ofBoth];

/** The caller gives it another key if the parameters are others. */
export function Tabs({ params, current }: { params: Params; current: string }) {
	const { environment: e, theme: t, variant: v } = params;
	const data = t && useOwner(e!, t, v).state.value.data;
	return (
		<>
			{t && (
				<div class="title-row">
					<h1>{data ? data.displayName : "…"}</h1>
					{data && <State of={data} />}
				</div>
			)}
			<nav class="tabs" aria-label={v ? "Variant" : t ? "Theme" : "Environment"}>
				{(v ? ofVariant : t ? ofTheme : ofEnvironment).map(([tab, text]) => (
					<a key={tab} href={t ? href.variant(e!, t, v, tab) : href.environment(e!, tab)} aria-current={tab === current ? "page" : undefined}>{text}</a>
				))}
			</nav>
		</>
	);
}
