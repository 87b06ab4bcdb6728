// What a pane shows: components as a site has them, or every token as a specimen.
import { rolesOf, type Specimen } from "./sheet";

const pangram = "Sphinx of black quartz, judge my vow 0123";
const typographyParts = ["letter-spacing"] as const;

/** How the sample of a type uses the custom property: one style, and the class of the element. */
const kinds: Record<string, { class: string; style: string; text?: string }> = {
	color: { class: "box clear", style: "background-color" },
	gradient: { class: "box", style: "background-image" },
	shadow: { class: "box raised", style: "box-shadow" },
	border: { class: "box", style: "border" },
	strokeStyle: { class: "box", style: "border-style" },
	typography: { class: "specimen", style: "font", text: pangram },
	fontFamily: { class: "specimen", style: "font-family", text: pangram },
	fontWeight: { class: "specimen", style: "font-weight", text: pangram },
};

function kindOf({ type, path, value }: Specimen): (typeof kinds)[string] | undefined {
	if (type !== "dimension") return kinds[type];
	if (/radius|rounded|corner/i.test(path)) return { class: "box", style: "border-radius" };
	if (/font|text|type/i.test(path) && /size/i.test(path)) return { class: "specimen", style: "font-size", text: pangram };
	return value.startsWith("-") ? undefined : { class: "bar", style: "inline-size" };
}

/** One token: its sample, name and value. */
function Token({ of, differs }: { of: Specimen; differs: boolean }) {
	const kind = kindOf(of);
	const dress = (e: HTMLElement | null): void => {
		if (!e || !kind) return;
		e.style.setProperty(kind.style, `var(${of.name})`);
		if (of.type === "typography") for (const part of typographyParts) e.style.setProperty(part, `var(${of.name}-${part})`);
	};
	return (
		<figure class={differs ? "differs" : ""}>
			{kind && (of.type === "color" ? <div class={kind.class}><div ref={dress} /></div> : <div class={kind.class} ref={dress}>{kind.text}</div>)}
			<figcaption>{of.path}<br /><code>{of.value}</code></figcaption>
		</figure>
	);
}

const headings: readonly (readonly [title: string, types: readonly string[]])[] = [
	["Colours", ["color"]],
	["Gradients", ["gradient"]],
	["Typography", ["typography", "fontFamily", "fontWeight"]],
	["Dimensions", ["dimension"]],
	["Shadows", ["shadow"]],
	["Borders", ["border", "strokeStyle"]],
	["Others", []],
];
const wide = new Set(["Typography", "Others"]);
const named = new Set(headings.flatMap(([, types]) => types));
export const tokensShown = 1500;

/** Every token by kind; those in changed are marked. */
export function AllTokens({ list, changed, words }: { list: readonly Specimen[]; changed: ReadonlySet<string>; words: string }) {
	const wanted = words.toLowerCase().split(/\s+/);
	const found = list.filter((s) => wanted.every((w) => `${s.path} ${s.name} ${s.value}`.toLowerCase().includes(w)));
	const shown = found.slice(0, tokensShown);
	return (
		<main>
			{headings.map(([title, types]) => {
				const part = shown.filter((s) => (types.length > 0 ? types.includes(s.type) : !named.has(s.type)));
				return part.length > 0 && (
					<section key={title}>
						<h2>{title} ({part.length})</h2>
						<div class={wide.has(title) ? "lines" : "grid"}>{part.map((s) => <Token key={s.path} of={s} differs={changed.has(s.name)} />)}</div>
					</section>
				);
			})}
			{found.length > shown.length && <p>{found.length - shown.length} more tokens: find them by their words.</p>}
			{found.length === 0 && <p>No token of this look has these words.</p>}
		</main>
	);
}

/** Components that find their tokens by type and name. */
export function Samples({ list, changed }: { list: readonly Specimen[]; changed: ReadonlySet<string> }) {
	const some = (types: readonly string[], words: RegExp, most: number): Specimen[] => list.filter((s) => types.includes(s.type) && words.test(s.path)).slice(0, most);
	const strip = (title: string, part: readonly Specimen[], layout = "grid") => part.length > 0 && (
		<section><h2>{title}</h2><div class={layout}>{part.map((s) => <Token key={s.path} of={s} differs={changed.has(s.name)} />)}</div></section>
	);
	return (
		<main>
			<Components />
			{strip("Type", some(["typography"], /./, 8), "lines")}
			{strip("Colours", some(["color"], /./, 400))}
			{strip("Spacing", some(["dimension"], /spac|gap|inset|padding|size/i, 24), "lines")}
			{strip("Radii", some(["dimension"], /radius|rounded|corner/i, 12))}
			{strip("Shadows and gradients", some(["shadow", "gradient"], /./, 24))}
		</main>
	);
}

function Components() {
	return (
		<>
			<section class="row"><button type="button" class="primary">Save</button><button type="button">Cancel</button><button type="button" class="danger">Delete</button></section>
			<article class="card">
				<div class="band" />
				<h3 class="title">A harbour at low tide</h3>
				<p>Nine boats lie on the sand. <a class="link" href="#top">When does the water return?</a></p>
				<p class="muted">Updated this morning</p>
				<div class="row"><button type="button" class="primary">Book a berth</button><button type="button">Ask</button></div>
			</article>
			<form class="card">
				<label>Name <input type="text" value="Ada Lovelace" /></label>
				<label>Berth <input type="text" value="14-B" aria-invalid /> <span class="wrong">This berth is taken: choose another.</span></label>
				<label class="check"><input type="checkbox" checked /> Wake me at high tide</label>
			</form>
			<table>
				<thead><tr><th scope="col">Boat</th><th scope="col">Length</th><th scope="col">State</th></tr></thead>
				<tbody>
					<tr><td>Curlew</td><td>7.2 m</td><td class="well">moored</td></tr>
					<tr><td>Sandpiper</td><td>9.8 m</td><td class="wrong">overdue</td></tr>
					<tr><td>Turnstone</td><td>6.4 m</td><td class="muted">at sea</td></tr>
				</tbody>
			</table>
		</>
	);
}

export const variablesOf = rolesOf;
