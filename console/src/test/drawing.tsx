// Runs in a page: what is drawn over something else must be what is drawn on nothing, whichever two they are.
import { useEffect, useLayoutEffect, useRef, useState } from "../dom/hooks";
import { memo, render } from "../dom/render";
import { signal } from "../state/signal";

function chance(seed: number): (below: number) => number {
	let state = Math.imul(seed, 2654435761);
	return (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

const length = signal(2);
const [live, referred] = [new Set<string>(), new Set<Element>()];
let open = 0; // layout effects
let lastID = 0;

/** A component of several nodes or none, by its property, a signal and its own state. */
function Some({ name, kids }: { name: string; kids: unknown }) {
	const own = useRef(`${name} ${++lastID}`).current;
	const [more, setMore] = useState(0);
	useEffect(() => {
		live.add(own);
		if (more === 0) setMore(1);
		return () => live.delete(own) as unknown as void;
	}, []);
	useLayoutEffect(() => {
		open++;
		return () => void open--;
	});
	return <>{Array.from({ length: (length.value + name.length) % 4 }, (_, i) => <b key={i}>{name}{i}</b>)}{more > 0 && <i class="more">{name}</i>}{kids}</>;
}

const Pure = memo(({ name }: { name: string }) => <u title={name}>{name}{length.value}</u>);

function tree(r: (below: number) => number, depth: number): unknown {
	const name = "abcdef".slice(0, 1 + r(6));
	const kids = (): unknown[] => Array.from({ length: r(5) }, () => tree(r, depth - 1));
	switch (r(depth > 0 ? 11 : 4)) {
		case 0: return null;
		case 1: return r(2) === 1;
		case 2: return r(100);
		case 3: return name;
		case 4: return <>{kids()}</>;
		case 5: return <Some name={name} kids={kids()} />;
		case 6: return <Pure name={name} />;
		case 7: {
			const names = [..."ghijklmn"].filter(() => r(3) > 0).sort(() => r(3) - 1);
			return names.map((key) => (r(2) ? <li key={key} id={key}>{key}{kids()}</li> : <Some key={key} name={key} kids={tree(r, 1)} />));
		}
		case 8: return <input {...{ value: name, checked: r(2) === 1, type: r(2) ? "checkbox" : "text", disabled: r(2) === 1, "aria-invalid": r(2) === 1 } as object} />;
		case 9: return <svg viewBox="0 0 9 9" class={name}><path d={`M${r(9)} 0`} />{kids()}</svg>;
		default: return <div class={name} style={r(2) ? { color: r(2) ? "red" : "blue", [r(2) ? "width" : "height"]: `${r(9)}px` } : undefined} title={r(2) ? name : undefined} {...(r(2) ? { "data-ref": "", ref: noted() } : {})} onClick={r(2) ? () => undefined : undefined}>{kids()}</div>;
	}
}

/** A reference that notes its element as long as it is one. */
function noted(): (e: Element | null) => void {
	let mine: Element;
	return (e) => void (e ? referred.add((mine = e)) : referred.delete(mine));
}

/** The HTML, and what it does not say. */
const looks = (host: Element): string =>
	host.innerHTML + [...host.querySelectorAll("*")].map((e) => e.namespaceURI!.at(-1) + ((e as HTMLInputElement).value ?? "") + ((e as HTMLInputElement).checked ?? "")).join(" ");
const rest = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));
const settled = async (): Promise<void> => {
	await rest(60); // effects
	await rest(0);
};

function check(right: boolean, what: string): void {
	if (!right) throw new Error(what);
}

/** Draws random trees over one another, and the same on nothing. */
async function anyTree(rounds: number): Promise<void> {
	const [one, fresh] = [document.createElement("main"), document.createElement("main")];
	document.body.append(one, fresh);
	for (let seed = 1; seed <= rounds; seed++) {
		const draw = (host: Element): void => render([tree(chance(seed), 4), <p {...(seed % 3 === 0 ? {} : { "data-ref": "", ref: noted() })} />], host);
		length.value = seed % 4;
		draw(one);
		if (seed % 3 === 0) await settled();
		if (seed % 2 === 0) length.value = (seed + 1) % 4;
		if (seed % 5 === 0) draw(one); // the same again
		await settled();
		const components = one.querySelectorAll(".more").length;
		check(live.size === components && open === components, `tree ${seed}: ${live.size} and ${open} effects of ${components} components`);
		check(referred.size === one.querySelectorAll("[data-ref]").length && [...referred].every((e) => e.isConnected), `tree ${seed}: ${referred.size} references`);
		draw(fresh);
		await settled();
		check(looks(one) === looks(fresh), `tree ${seed}:\n${looks(one)}\nwant\n${looks(fresh)}`);
		render(null, fresh);
		check(fresh.innerHTML === "", "something is left");
	}
	render(null, one);
	check(live.size === 0 && referred.size === 0, `${live.size} effects and ${referred.size} references are left`);
}

/** Elements with keys stay the same in another order, and what has the focus keeps it. */
function order(): void {
	const host = document.body.appendChild(document.createElement("ul"));
	const draw = (keys: string): void => render([...keys].map((key) => <li key={key}><input id={`of-${key}`} /></li>), host);
	draw("abcdef");
	const before = new Map([...host.querySelectorAll("input")].map((e) => [e.id, e]));
	before.get("of-c")!.focus();
	for (const keys of ["fcabde", "cxf", "ycxfab", "bafxc", "c"]) {
		draw(keys);
		check([...host.querySelectorAll("input")].map((e) => e.id.slice(3)).join("") === keys, keys);
		for (const [id, e] of before) check(!keys.includes(id.slice(3)) || id === "of-a" || id === "of-b" || id === "of-d" || id === "of-e" || document.getElementById(id) === e, `${id} is another in ${keys}`);
		check(document.activeElement?.id === "of-c", `the focus is lost in ${keys}`);
	}
	render(null, host);
}

/** A click is heard by the handler of the latest drawing, and not by an element that was made because of it. */
async function events(): Promise<void> {
	const host = document.body.appendChild(document.createElement("div"));
	const heard: string[] = [];
	const draw = (n: number): void =>
		render(<div onClick={n > 0 ? () => heard.push(`outer ${n}`) : undefined}><button type="button" onClick={() => { heard.push(`inner ${n}`); draw(n + 1); }}>x</button></div>, host);
	draw(0);
	for (let i = 0; i < 3; i++) host.querySelector("button")!.click();
	check(heard.join() === "inner 0,inner 1,outer 2,inner 2,outer 3", heard.join());
	render(null, host);
}

/** Once for each state, however many changes led there, and not at all where nothing that was read has changed. */
async function counts(): Promise<void> {
	const host = document.body.appendChild(document.createElement("div"));
	const [a, b] = [signal(1), signal(1)];
	const drawn = { outer: 0, inner: 0, pure: 0 };
	const Still = memo(({ n }: { n: number }) => { drawn.pure++; return <i>{n}</i>; });
	const Inner = () => { drawn.inner++; return <b>{b.value}</b>; };
	const Outer = () => { drawn.outer++; return <p>{a.value}<Inner /><Still n={1} /></p>; };
	render(<Outer />, host);
	[a.value, a.value, b.value, b.value] = [2, 3, 2, 3];
	await rest(0);
	check(JSON.stringify([host.textContent, drawn]) === '["331",{"outer":2,"inner":2,"pure":1}]', JSON.stringify([host.textContent, drawn]));
	b.value = 4;
	await rest(0);
	check(JSON.stringify([host.textContent, drawn]) === '["341",{"outer":2,"inner":3,"pure":1}]', JSON.stringify([host.textContent, drawn]));
	render(null, host);
	b.value = 5;
	await rest(0);
	check(drawn.inner === 3, "a component is drawn after its end");
}

(globalThis as unknown as { drawing: (rounds: number) => Promise<string> }).drawing = async (rounds) => {
	try {
		order();
		await events();
		await counts();
		await anyTree(rounds);
		return "";
	} catch (err) {
		return (err as Error).stack ?? String(err);
	}
};
