// Runs in a page: what asks the browser itself, for its colours and its reading of stylesheets.
import { contrast, from, hex, inside, mapped, parse, to, write, type Triple } from "../editors/color";
import { declarations } from "../tokens/paste";

function check(right: boolean, what: string): void {
	if (!right) throw new Error(what);
}
const same = (got: unknown, want: unknown): void => check(JSON.stringify(got) === JSON.stringify(want), `${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
const near = (got: readonly number[], want: readonly number[], by = 0.0005): void => want.forEach((n, i) => check(Math.abs(got[i]! - n) <= by, `${got}, want ${want}`));

const tests: Record<string, () => void> = {
	"known colours have the values of CSS Color 4": () => {
		near(from("srgb", [1, 0, 0]), [0.62796, 0.25768, 29.234], 0.01);
		near(from("srgb", [0, 1, 0]), [0.86644, 0.29483, 142.495], 0.01);
		near(from("srgb", [0, 0, 1]), [0.45201, 0.31321, 264.052], 0.01);
		same(from("srgb", [1, 1, 1]).slice(1), [0, 0]);
		near(to("display-p3", from("srgb", [1, 0, 0])), [0.9175, 0.2003, 0.1386], 0.001);
	},
	"each space gives back what it was given": () => {
		for (let i = 0; i < 200; i++) {
			const v = [((i * 37) % 101) / 100, ((i * 61) % 101) / 100, ((i * 17) % 101) / 100] as Triple;
			for (const space of ["srgb", "display-p3"] as const) near(to(space, from(space, v)), v, 0.0001);
			const text = `#${v.map((n) => Math.round(n * 255).toString(16).padStart(2, "0")).join("")}`;
			same(hex(parse(text)!), text);
		}
	},
	"what sRGB lacks is mapped into it with its lightness and hue": () => {
		const green = from("display-p3", [0, 1, 0]);
		same([inside("srgb", green), inside("display-p3", green)], [false, true]);
		const found = mapped(green);
		check(inside("srgb", found) && found[1] > 0.25, String(found));
		same([found[0], found[2]], [green[0], green[2]]);
		check(!inside("srgb", [found[0], found[1] + 0.001, found[2]]), "there is a nearer one");
	},
	"an edit keeps the form of the value": () => {
		const red = parse("#f00")!;
		const green = { lch: from("display-p3", [0, 1, 0]), alpha: 1 };
		same(write(red, "#00f"), "#ff0000");
		same(write({ ...red, alpha: 0.5 }, "#00f"), "#ff000080");
		same(write(red, { colorSpace: "srgb", components: [0, 0, 1], hex: "#0000ff", note: 1 }), { colorSpace: "srgb", components: [1, 0, 0], hex: "#ff0000", note: 1 });
		same((write(green, "#00f") as { colorSpace: string }).colorSpace, "oklch");
		same((write(green, { colorSpace: "display-p3", components: [0, 0, 1] }) as { components: number[] }).components, [0, 1, 0]);
	},
	"texts and objects of every form are read, other values have no colour": () => {
		same(hex(parse("rgb(255 0 0 / 50%)")!), "#ff000080");
		same(hex(parse("oklch(62.796% 0.25768 29.234)")!), "#ff0000");
		same(hex(parse("hsl(240 100% 50%)")!), "#0000ff");
		same(hex(parse("Lime")!), "#00ff00");
		same(hex(parse({ colorSpace: "srgb", components: [0, 0, 1], alpha: 0.2 })!), "#0000ff33");
		same(parse({ colorSpace: "oklch", components: [0.5, 0.1, "none"] })!.lch, [0.5, 0.1, 0]);
		for (const other of ["reddish", "{a.b}", "red; --x: 1", 5, null, ["#fff"], {}]) same(parse(other), null);
	},
	"contrast is that of WCAG 2": () => {
		near([contrast(parse("#767676")!.lch, "white")], [4.54], 0.01);
		near([contrast(parse("#ffffff")!.lch, "black")], [21], 0.01);
	},
	"a pasted stylesheet declares what the browser reads in it": () => {
		same([...declarations(`:root { /* --no: 1; */ --a-b: rgb(0 0 0 / .5); --x: "a;b"; --a-b: #111 } .y{--z:url("a)b")} @media print { p { --p: 1px } }`)], [["--x", `"a;b"`], ["--a-b", "#111"], ["--z", `url("a)b")`], ["--p", "1px"]]);
		same([...declarations("--a: 1px;\ncolor: red;\n--b: var(--a)")], [["--a", "1px"], ["--b", "var(--a)"]]);
		same([...declarations("no stylesheet")], []);
	},
};

/** What is wrong, a line for each test that failed. */
(globalThis as unknown as { failed: () => string }).failed = () =>
	Object.entries(tests).flatMap(([name, run]) => {
		try {
			run();
			return [];
		} catch (err) {
			return [`${name}: ${(err as Error).message}`];
		}
	}).join("\n");
