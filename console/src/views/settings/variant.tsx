// The settings of a Variant: its name and labels, where it is served, and what is done with it as a whole.
import { useState } from "preact/hooks";
import { call, get, themePath, variantPath, type Variant } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useVariant } from "../../state/here";
import { href } from "../../state/router";
import { Form, Section, Waiting, say } from "../../ui/controls";
import { overridesToCopy } from "../variants/create";
import { VariantField } from "../variants/pick";
import { Addresses } from "./addresses";
import { Delete } from "./delete";
import { IdentityForm } from "./identity";
import "./settings.css";

interface Props {
	environment: string;
	theme: string;
	variant: Variant;
}

export function VariantSettings({ params }: { params: Record<string, string> }) {
	const [e, t, v] = [params.environment!, params.theme!, params.variant!];
	const owner = useVariant(e, t, v);
	const { data } = owner.state.value;
	return (
		<>
			<Waiting of={owner} what="Reading the Variant" />
			{data && (
				<div class="settings">
					<IdentityForm path={variantPath(e, t, v)} value={data} onSaved={owner.set} may={mayEdit(e)} />
					<Addresses urls={data.servingUrls} />
					{mayEdit(e) && <CopyOverrides environment={e} theme={t} variant={data} />}
					{mayEdit(e) && (
						<Delete path={variantPath(e, t, v)} of={data} what="Variant" next={href.theme(e, t, "variants")}>
							<p>The Variant, its {data.tokenCount} overrides and all its versions are gone then, and the addresses of its files answer 404.</p>
						</Delete>
					)}
				</div>
			)}
		</>
	);
}

function CopyOverrides({ environment, theme, variant }: Props) {
	const [from, setFrom] = useState<string | null>("");
	const copy = async (): Promise<void> => {
		const source = await get<Variant>(variantPath(environment, theme, from!), undefined, { quiet: true });
		const operations = await overridesToCopy(environment, theme, from!);
		if (operations.length === 0) return say(`${source.displayName} overrides nothing.`);
		await call("POST", `${themePath(environment, theme)}/variants/batch`, { body: { change: [{ id: variant.id, operations }] }, headers: { Prefer: "return=minimal" } });
		say(`The draft of ${variant.displayName} has the ${operations.length} overrides of ${source.displayName} now.`, "success");
	};
	return (
		<Section title="Copy overrides">
			<Form submit="Copy into the draft" onSubmit={copy} disabled={!from || from === variant.id}>
				<VariantField environment={environment} theme={theme} label="From the Variant" hint="Overrides of the same tokens are replaced; others stay." value={from} onChange={setFrom} />
			</Form>
		</Section>
	);
}
