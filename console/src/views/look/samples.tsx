// What a pane shows: components as a site has them, and tokens as specimens.
import type { Specimen } from "./sheet";

const pangram = "Sphinx of black quartz, judge my vow 0123";

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
		if (of.type === "typography") e.style.letterSpacing = `var(${of.name}-letter-spacing)`;
	};
	return (
		<figure class={differs ? "differs" : ""}>
			{kind && (of.type === "color" ? <div class={kind.class}><div ref={dress} /></div> : <div class={kind.class} ref={dress}>{kind.text}</div>)}
			<figcaption>{of.path}<br /><code>{of.value}</code></figcaption>
		</figure>
	);
}

const headings: readonly (readonly [title: string, types: string])[] = [
	["Colours", "color"],
	["Gradients", "gradient"],
	["Type", "typography fontFamily fontWeight"],
	["Dimensions", "dimension"],
	["Shadows", "shadow"],
	["Borders", "border strokeStyle"],
	["Others", ""],
];
const named = new Set(headings.flatMap(([, types]) => types.split(" ")));
export const tokensShown = 1500;
const sampled = 24; // of each kind below the components; of colours all that tokensShown lets through

/** Components that find their tokens by type and name, or every token by kind; those in changed are marked. */
export function Samples({ list, changed, words }: { list: readonly Specimen[]; changed: ReadonlySet<string>; words: string | null }) {
	const wanted = (words ?? "").toLowerCase().split(/\s+/);
	const found = list.filter((s) => wanted.every((w) => `${s.path} ${s.name} ${s.value}`.toLowerCase().includes(w)));
	const shown = found.slice(0, tokensShown);
	return (
		<main>
			{words === null && <Components />}
			{headings.map(([title, types]) => {
				const all = shown.filter((s) => (types ? types.split(" ").includes(s.type) : words !== null && !named.has(s.type)));
				const part = words === null && types !== "color" ? all.slice(0, sampled) : all;
				return part.length > 0 && (
					<section key={title}>
						<h2>{title} ({all.length})</h2>
						<div class={types.startsWith("typo") ? "lines" : "grid"}>{part.map((s) => <Token key={s.path} of={s} differs={changed.has(s.name)} />)}</div>
					</section>
				);
			})}
			{found.length > shown.length && <p>{found.length - shown.length} more tokens: find them by their words.</p>}
			{found.length === 0 && <p>No token of this look has these words.</p>}
		</main>
	);
}

function Components() {
	return (
		<>
			<section class="row"><button class="primary">Save</button><button>Cancel</button><button class="wrong">Delete</button></section>
			<article class="card">
				<div class="band" />
				<h3>A harbour at low tide</h3>
				<p>Nine boats lie on the sand. <a href="#top">When does the water return?</a></p>
				<p class="muted">Updated this morning</p>
			</article>
			<div class="card">
				<label>Name <input type="text" value="Ada Lovelace" /></label>
				<label>Berth <input type="text" value="14-B" aria-invalid class="wrong" /></label>
				<p class="wrong">This berth is taken: choose another.</p>
				<label><input type="checkbox" checked /> Wake me at high tide</label>
			</div>
			<table>
				<thead><tr><th>Boat</th><th>Length</th><th>State</th></tr></thead>
				<tbody>
					<tr><td>Curlew</td><td>7.2 m</td><td class="well">moored</td></tr>
					<tr><td>Sandpiper</td><td>9.8 m</td><td class="wrong">overdue</td></tr>
					<tr><td>Turnstone</td><td>6.4 m</td><td class="muted">at sea</td></tr>
				</tbody>
			</table>
		</>
	);
}
