import { useState } from "preact/hooks";
import { call, get, themePath, variantPath, type Schemas } from "../../api/client";
import type { Token } from "../../state/token";
import { go, href } from "../../state/router";
import { invalidate } from "../../state/resource";
import { Dialog, Field, say } from "../../ui/controls";
import { LabelsField, labelsOf, type Pairs } from "../../ui/labels";
import { parseLines } from "./lines";
import { VariantField } from "./pick";

const most = 1000; // of one request

/** The overrides of a Variant, as operations that give them to another. */
export async function overridesToCopy(environment: string, theme: string, from: string): Promise<Schemas["SetOperation"][]> {
	const { resource } = await get<{ resource: { tokens: Token[] } }>(`${variantPath(environment, theme, from)}/tokens`);
	return resource.tokens.map((o) => ({ operation: "set", path: o.path, value: o.value as never }));
}

export function NewVariants({ environment, theme, onClose }: { environment: string; theme: string; onClose: () => void }) {
	const [text, setText] = useState("");
	const [labels, setLabels] = useState<Pairs>([]);
	const [from, setFrom] = useState<string | null>("");
	const lines = parseLines(text);
	const problems = lines.filter((l) => l.problem).map((l) => l.problem);
	if (lines.length > most) problems.push(`These are ${lines.length} Variants: at most ${most} at once`);
	const create = async (): Promise<void> => {
		const operations = from ? await overridesToCopy(environment, theme, from) : undefined;
		const { data } = await call<Schemas["BatchedVariants"]>("POST", `${themePath(environment, theme)}/variants/batch`, {
			body: { create: lines.map((l) => ({ slug: l.slug, displayName: l.displayName, metadata: labelsOf(labels), operations })) },
			headers: { Prefer: "return=minimal" },
		});
		onClose();
		if (data.created.length === 1) return go(href.variant(environment, theme, data.created[0]!.id));
		invalidate(`variants ${theme}`);
		say(`${data.created.length} Variants are created.`, "success");
	};
	return (
		<Dialog title="New Variants" onClose={onClose} submit={lines.length > 1 ? `Create ${lines.length} Variants` : "Create"} onSubmit={create} disabled={lines.length === 0 || problems.length > 0 || from === null}>
			<Field label="Slug and name, one Variant a line" hint="Such as: midnight, Midnight blue. Paste as many lines as you have; a name that is missing is the slug." error={problems.slice(0, 3).join("\n")}>
				{(a) => <textarea class="input" spellcheck={false} rows={4} value={text} placeholder={"midnight, Midnight blue\nacme, Acme"} onInput={(ev) => setText(ev.currentTarget.value)} {...a} />}
			</Field>
			<VariantField environment={environment} theme={theme} label="Begin with the overrides of" hint="A Variant's slug; empty, they override nothing and look like the Theme." value={from} onChange={setFrom} />
			<LabelsField pairs={labels} onChange={setLabels} />
		</Dialog>
	);
}
