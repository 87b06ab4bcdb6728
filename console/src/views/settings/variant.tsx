// The settings of a Variant: its name and labels, where it is served, and what is done with it as a whole.
import { useState } from "../../dom/hooks";
import { ApiError, call, themePath, variantPath, type Variant } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useVariant, useVariants } from "../../state/here";
import { go, href } from "../../state/router";
import { Button, Form, Waiting, say } from "../../ui/controls";
import { Confirm } from "../../ui/labels";
import { VariantField, overridesToCopy, variantNamed } from "../variants/create";
import { Addresses } from "./addresses";
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
					{mayEdit(e) && <Delete environment={e} theme={t} variant={data} />}
				</div>
			)}
		</>
	);
}

function CopyOverrides({ environment, theme, variant }: Props) {
	const [from, setFrom] = useState("");
	const others = (useVariants(environment, theme).state.value.data ?? []).filter((v) => v.id !== variant.id);
	const source = variantNamed(others, from);
	const copy = async (): Promise<void> => {
		const operations = await overridesToCopy(environment, theme, source!);
		if (operations.length === 0) return say(`${source!.displayName} overrides nothing.`);
		await call("POST", `${themePath(environment, theme)}/variants/batch`, { body: { change: [{ id: variant.id, operations }] }, headers: { Prefer: "return=minimal" } });
		setFrom("");
		say(`The draft of ${variant.displayName} has the ${operations.length} overrides of ${source!.displayName} now.`, "success");
	};
	return (
		<section class="card" aria-labelledby="copy">
			<h2 id="copy">Copy overrides</h2>
			<Form submit="Copy into the draft" onSubmit={copy} disabled={!source}>
				<VariantField label="From the Variant" hint="Overrides of the same tokens are replaced; others stay." value={from} onInput={setFrom} variants={others} />
			</Form>
		</section>
	);
}

function Delete({ environment, theme, variant }: Props) {
	const [asking, setAsking] = useState(false);
	const remove = async (): Promise<void> => {
		try {
			await call("DELETE", variantPath(environment, theme, variant.id));
		} catch (error) {
			if (error instanceof ApiError && error.reason === "modeUsesVariant") {
				throw new Error("A mode of the Theme names this Variant. Take the mode out of the list in the Theme's settings first, or give it another Variant.");
			}
			throw error;
		}
		say(`${variant.displayName} is deleted.`);
		go(href.theme(environment, theme, "variants"));
	};
	return (
		<section class="card" aria-labelledby="delete">
			<h2 id="delete">Delete</h2>
			<p>Its versions go with it, and the addresses of its files answer 404.</p>
			<div class="actions"><Button kind="danger" onClick={() => setAsking(true)}>Delete this Variant</Button></div>
			{asking && (
				<Confirm title={`Delete ${variant.displayName}`} word={variant.slug} submit="Delete the Variant" onConfirm={remove} onClose={() => setAsking(false)}>
					<p>The Variant, its {variant.tokenCount} overrides and all its versions are gone then. Pages that link its files lose them.</p>
				</Confirm>
			)}
		</section>
	);
}
