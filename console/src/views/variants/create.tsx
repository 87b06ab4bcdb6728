import { useState } from "preact/hooks";
import { call, get, themePath, variantPath, type Schemas, type Variant } from "../../api/client";
import type { Token } from "../../state/token";
import { go, href } from "../../state/router";
import { useVariants } from "../../state/here";
import { Dialog, Field, TextField, say } from "../../ui/controls";
import { LabelsField, labelsOf, type Pairs } from "../../ui/labels";
import { parseLines } from "./lines";

const most = 1000; // of one request

/** The overrides of a Variant, as operations that give them to another. */
export async function overridesToCopy(environment: string, theme: string, from: Variant): Promise<Schemas["SetOperation"][]> {
	const { resource } = await get<{ resource: { tokens: Token[] } }>(`${variantPath(environment, theme, from.id)}/tokens`);
	return resource.tokens.map((o) => ({ operation: "set", path: o.path, value: o.value as never }));
}

/** A Variant by its slug or its whole name. */
export function variantNamed(variants: readonly Variant[], text: string): Variant | undefined {
	return variants.find((v) => v.slug === text) ?? variants.find((v) => v.displayName === text);
}

/** A field that names a Variant by its slug. */
export function VariantField({ label, hint, value, onInput, variants, hidden }: { label: string; hint?: string; value: string; onInput: (value: string) => void; variants: readonly Variant[]; hidden?: boolean }) {
	const error = value && !variantNamed(variants, value) ? "The Theme has no Variant of this slug." : undefined;
	return (
		<>
			<TextField label={label} hint={hint} hidden={hidden} value={value} onInput={onInput} list="variant-slugs" error={error} />
			<datalist id="variant-slugs">{variants.map((v) => <option key={v.id} value={v.slug}>{v.displayName}</option>)}</datalist>
		</>
	);
}

export function NewVariants({ environment, theme, variants, onClose }: { environment: string; theme: string; variants: readonly Variant[]; onClose: () => void }) {
	const { reload } = useVariants(environment, theme);
	const [text, setText] = useState("");
	const [labels, setLabels] = useState<Pairs>([]);
	const [from, setFrom] = useState("");
	const lines = parseLines(text, new Set(variants.map((v) => v.slug)));
	const problems = lines.filter((l) => l.problem).map((l) => l.problem);
	if (lines.length > most) problems.push(`These are ${lines.length} Variants: at most ${most} at once`);
	const source = variantNamed(variants, from);
	const create = async (): Promise<void> => {
		const operations = source ? await overridesToCopy(environment, theme, source) : undefined;
		const { data } = await call<Schemas["BatchedVariants"]>("POST", `${themePath(environment, theme)}/variants/batch`, {
			body: { create: lines.map((l) => ({ slug: l.slug, displayName: l.displayName, metadata: labelsOf(labels), operations })) },
			headers: { Prefer: "return=minimal" },
		});
		onClose();
		if (data.created.length === 1) return go(href.variant(environment, theme, data.created[0]!.id));
		await reload();
		say(`${data.created.length} Variants are created.`, "success");
	};
	return (
		<Dialog title="New Variants" onClose={onClose} submit={lines.length > 1 ? `Create ${lines.length} Variants` : "Create"} onSubmit={create} disabled={lines.length === 0 || problems.length > 0 || (from !== "" && !source)}>
			<Field label="Slug and name, one Variant a line" hint="Such as: midnight, Midnight blue. Paste as many lines as you have; a name that is missing is the slug." error={problems.slice(0, 3).join("\n")}>
				{(a) => <textarea class="input" spellcheck={false} rows={4} value={text} placeholder={"midnight, Midnight blue\nacme, Acme"} onInput={(ev) => setText(ev.currentTarget.value)} {...a} />}
			</Field>
			{variants.length > 0 && <VariantField label="Begin with the overrides of" hint="A Variant's slug; empty, they override nothing and look like the Theme." value={from} onInput={setFrom} variants={variants} />}
			<LabelsField pairs={labels} onChange={setLabels} />
		</Dialog>
	);
}
