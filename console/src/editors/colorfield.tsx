// The control for colours: a text, the browser's own picker, and sliders for OKLCH that show what sRGB and P3 can do.
import { useState } from "preact/hooks";
import { color as cssOf } from "../tokens/css";
import { Badge, Field, SelectField, Swatch, TextField } from "../ui/controls";
import { contrast, css, from, hex, inside, mapped, parse, to, write, type Color, type Space, type Triple } from "./color";
import type { PartProps } from "./index";

type Model = Exclude<Space, "srgb-linear">;
const rgb = [["Red", 1], ["Green", 1], ["Blue", 1]] as const;
/** The names of components, and what each is at most. */
const models: Record<Model, readonly (readonly [string, number])[]> = { oklch: [["Lightness", 1], ["Chroma", 0.4], ["Hue", 360]], srgb: rgb, "display-p3": rgb };

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
		else if (cssOf(text)) onCommit(text);
		setText(null);
	};
	const wrong = text !== null && !cssOf(text) ? "This is not a colour. Write #rrggbb or a CSS colour." : "";
	return (
		<div class="editor-color">
			<div class="editor-row">
				<Swatch color={cssOf(value)} large />
				<div onFocusOut={typed} onKeyDown={(e) => { if (e.key === "Enter") typed(); }}>
					<TextField label={`${label}: colour`} value={shown} error={wrong} disabled={disabled} onInput={setText} />
				</div>
				{known && (
					<Field label="Pick">
						{(a) => <input type="color" class="picker" disabled={disabled} value={hex({ ...known, alpha: 1 })} onInput={(e) => set({ ...parse(e.currentTarget.value)!, alpha: known.alpha }, false)} onChange={(e) => set({ ...parse(e.currentTarget.value)!, alpha: known.alpha }, true)} {...a} />}
					</Field>
				)}
			</div>
			{known ? (
				<>
					<SelectField label="Sliders" value={model} onChange={setModel} options={[["oklch", "OKLCH"], ["srgb", "sRGB"], ["display-p3", "Display P3"]]} />
					{models[model].map(([name, max], i) => <Track key={model + name} {...{ name, max, i, model, known, disabled, set }} />)}
					<Slider label="Alpha" value={known.alpha} max={1} disabled={disabled} onSlide={(alpha, final) => set({ ...known, alpha }, final)} />
					<p class="hint">
						{inside("srgb", known.lch) ? <Badge>in sRGB</Badge> : inside("display-p3", known.lch) ? <Badge kind="warning">outside sRGB, in P3</Badge> : <Badge kind="warning">outside P3</Badge>}{" "}
						{!inside("srgb", known.lch) && <>screens of sRGB show <Swatch color={hex({ ...known, lch: mapped(known.lch) })} /> {hex(known)}; </>}
						contrast {contrast(known.lch, "white").toFixed(1)} with white, {contrast(known.lch, "black").toFixed(1)} with black
					</p>
				</>
			) : <p class="hint">This is not a colour that sliders can move.</p>}
		</div>
	);
}

function Track({ name, max, i, model, known, disabled, set }: { name: string; max: number; i: number; model: Model; known: Color; disabled?: boolean; set: (c: Color, final: boolean) => void }) {
	const parts = to(model, known.lch);
	const at = (v: number): Triple => from(model, parts.with(i, v) as unknown as Triple);
	const steps = Array.from({ length: 25 }, (_, n) => at((n / 24) * max));
	const bar = (space: Space) => <i title={space} style={{ backgroundImage: `linear-gradient(to right, ${steps.map((lch, n) => `${inside(space, lch) ? "currentColor" : "transparent"} ${(n / 24) * 100}%`).join()})` }} />;
	return (
		<div>
			<Slider label={name} value={parts[i]!} max={max} disabled={disabled} onSlide={(v, final) => set({ ...known, lch: at(v) }, final)} track={`linear-gradient(to right, ${steps.map(css).join()})`} />
			{model === "oklch" && <div class="gamuts" aria-hidden="true">{bar("srgb")}{bar("display-p3")}</div>}
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

