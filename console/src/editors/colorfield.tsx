// The control for colours: a text, the browser's own picker, and sliders for OKLCH that show what sRGB and P3 can do.
import { Badge, Field, SelectField, Swatch, TextField } from "../ui/controls";

import { color as css } from "../tokens/css";
import { contrast, hex, inP3, inSRGB, mapped, p3OfLCH, parse, rgbOfLCH, lchOfP3, lchOfRGB, write, type Color, type Triple } from "./color";
import type { PartProps } from "./index";
import { useState } from "../dom/hooks";

const models = { oklch: ["Lightness", "Chroma", "Hue"], srgb: ["Red", "Green", "Blue"], p3: ["Red", "Green", "Blue"] } as const;
type Model = keyof typeof models;
const maximum: Record<Model, Triple> = { oklch: [1, 0.4, 360], srgb: [1, 1, 1], p3: [1, 1, 1] };

const to = (model: Model, lch: Triple): Triple => (model === "oklch" ? lch : model === "srgb" ? rgbOfLCH(lch) : p3OfLCH(lch));
const from = (model: Model, v: Triple): Triple => (model === "oklch" ? v : model === "srgb" ? lchOfRGB(v) : lchOfP3(v));

export function ColorField({ value, label, onInput, onCommit, disabled }: PartProps) {
	const known = parse(value);
	const [model, setModel] = useState<Model>("oklch");
	const [text, setText] = useState<string | null>(null);
	const shown = text ?? (typeof value === "string" ? value : known ? hex(known) : "");
	const set = (next: Color, final: boolean): void => (final ? onCommit : onInput)(write(next, value));
	const typed = (): void => {
		if (text === null) return;
		const next = parse(text);
		if (next && typeof value === "object") set(next, true);
		else if (css(text)) onCommit(text);
		setText(null);
	};
	const wrong = text !== null && !css(text) ? "This is not a colour. Write #rrggbb or a CSS colour." : "";
	return (
		<div class="editor-color">
			<div class="editor-row">
				<Swatch color={css(value)} large />
				<div onFocusOut={typed} onKeyDown={(e) => { if (e.key === "Enter") typed(); }}>
					<TextField label={`${label}: colour`} value={shown} error={wrong} disabled={disabled} spellcheck={false} onInput={setText} />
				</div>
				{known && (
					<Field label="Pick">
						{(a) => <input type="color" class="picker" disabled={disabled} value={hex({ ...known, alpha: 1 })} onInput={(e) => set({ ...parse(e.currentTarget.value)!, alpha: known.alpha }, false)} onChange={(e) => set({ ...parse(e.currentTarget.value)!, alpha: known.alpha }, true)} {...a} />}
					</Field>
				)}
			</div>
			{known ? (
				<>
					<SelectField label="Sliders" value={model} onChange={setModel} options={[["oklch", "OKLCH"], ["srgb", "sRGB"], ["p3", "Display P3"]]} />
					{models[model].map((name, i) => <Track key={model + name} {...{ name, i, model, known, disabled, set }} />)}
					<Slider label="Alpha" value={known.alpha} max={1} disabled={disabled} onSlide={(alpha, final) => set({ ...known, alpha }, final)} />
					<p class="hint">
						{inSRGB(known.lch) ? <Badge>in sRGB</Badge> : inP3(known.lch) ? <Badge kind="warning">outside sRGB, in P3</Badge> : <Badge kind="warning">outside P3</Badge>}{" "}
						{!inSRGB(known.lch) && <>screens of sRGB show <Swatch color={hex({ ...known, lch: mapped(known.lch) })} /> {hex(known)}; </>}
						contrast {contrast(known, "white").toFixed(1)} with white, {contrast(known, "black").toFixed(1)} with black
					</p>
				</>
			) : <p class="hint">The sliders do not know this form; the text and the JSON do.</p>}
		</div>
	);
}

function Track({ name, i, model, known, disabled, set }: { name: string; i: number; model: Model; known: Color; disabled?: boolean; set: (c: Color, final: boolean) => void }) {
	const parts = to(model, known.lch);
	const max = maximum[model][i]!;
	const at = (v: number): Triple => from(model, parts.map((p, j) => (j === i ? v : p)) as unknown as Triple);
	const steps = Array.from({ length: 25 }, (_, n) => at((n / 24) * max));
	const bar = (fits: (lch: Triple) => boolean): string => `linear-gradient(to right, ${steps.map((lch, n) => `${fits(lch) ? "currentColor" : "transparent"} ${(n / 24) * 100}%`).join(", ")})`;
	return (
		<div>
			<Slider label={name} value={parts[i]!} max={max} disabled={disabled} onSlide={(v, final) => set({ ...known, lch: at(v) }, final)} track={`linear-gradient(to right, ${steps.map((lch) => hex({ lch, alpha: 1 })).join(", ")})`} />
			{model === "oklch" && <div class="gamuts" aria-hidden="true"><i style={{ backgroundImage: bar(inSRGB) }} title="sRGB" /><i style={{ backgroundImage: bar(inP3) }} title="P3" /></div>}
		</div>
	);
}

function Slider({ label, value, max, onSlide, disabled, track }: { label: string; value: number; max: number; onSlide: (v: number, final: boolean) => void; disabled?: boolean; track?: string }) {
	const step = max / (max > 1 ? 360 : 400);
	return (
		<Field label={label}>
			{(a) => (
				<div class="editor-row slider">
					<input type="range" min={0} max={max} step={step} value={value} disabled={disabled} style={track ? { backgroundImage: track } : undefined} onInput={(e) => onSlide(e.currentTarget.valueAsNumber, false)} onChange={(e) => onSlide(e.currentTarget.valueAsNumber, true)} {...a} />
					<input type="number" class="input" aria-label={`${label} as a number`} min={0} max={max} step="any" value={Number(value.toFixed(max > 1 ? 1 : 3))} disabled={disabled} onChange={(e) => { if (Number.isFinite(e.currentTarget.valueAsNumber)) onSlide(e.currentTarget.valueAsNumber, true); }} />
				</div>
			)}
		</Field>
	);
}

