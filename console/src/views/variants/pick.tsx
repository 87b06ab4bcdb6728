// A field that names a Variant of the Theme. The API is asked for those that fit what is typed.
import { useEffect, useState } from "preact/hooks";
import { get, themePath, type Page, type Query, type Variant } from "../../api/client";
import { useVariant } from "../../state/here";
import { useRested } from "../../state/pages";
import { useResource } from "../../state/resource";
import { useName } from "../../state/signals";
import { TextField } from "../../ui/controls";

const shown = 20; // Variants that are offered

export interface VariantFieldProps {
	environment: string;
	theme: string;
	label: string;
	hint?: string;
	placeholder?: string;
	/** The id of the Variant; empty: none is named; null: the text names none that there is. */
	value: string | null;
	onChange: (value: string | null) => void;
}

/** The Variants that a text fits, the one whose slug it is first. */
async function find(environment: string, theme: string, text: string): Promise<Variant[]> {
	const ask = async (query: Query): Promise<Variant[]> => (await get<Page<Variant>>(`${themePath(environment, theme)}/variants`, { ...query, pageSize: shown }, { quiet: true })).items;
	const [named, fitting] = await Promise.all([text ? ask({ slug: text }) : [], ask({ q: text })]);
	return [...named, ...fitting.filter((v) => v.slug !== text)];
}

export function VariantField({ environment, theme, value, onChange, ...rest }: VariantFieldProps) {
	const [typed, setTyped] = useState<string | null>(null);
	const known = useVariant(environment, theme, value ?? "").state.value.data;
	const text = typed ?? ((value && known?.slug) || "");
	const rested = useRested(text.trim());
	const { data, loading } = useResource(`variants ${theme} named ${rested}`, () => find(environment, theme, rested)).state.value;
	const settled = data && !loading && rested === text.trim();
	const named = (name: string): string | null => name && ((data?.find((v) => v.slug === name) ?? data?.find((v) => v.displayName === name))?.id ?? null);
	const id = useName();
	useEffect(() => {
		if (settled && typed !== null) onChange(named(rested));
	}, [settled, rested]);
	return (
		<>
			<TextField
				{...rest} value={text} list={id} error={settled && typed !== null && named(rested) === null ? "The Theme has no Variant of this slug." : undefined}
				onInput={(now) => {
					setTyped(now);
					onChange(named(now.trim()));
				}}
				onBlur={() => {
					if (settled && value !== null) setTyped(null);
				}}
			/>
			<datalist id={id}>{data?.map((v) => <option key={v.id} value={v.slug}>{v.displayName}</option>)}</datalist>
		</>
	);
}
