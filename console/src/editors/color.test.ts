import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { contrast, hex, inP3, inSRGB, lchOfP3, lchOfRGB, mapped, p3OfLCH, parse, rgbOfLCH, write, type Triple } from "./color";

const near = (got: readonly number[], want: readonly number[], by = 0.0005): void => want.forEach((n, i) => ok(Math.abs(got[i]! - n) <= by, `${got} is not ${want}`));

test("known colours have the values of CSS Color 4", () => {
	near(lchOfRGB([1, 0, 0]), [0.62796, 0.25768, 29.234], 0.01);
	near(lchOfRGB([0, 1, 0]), [0.86644, 0.29483, 142.495], 0.01);
	near(lchOfRGB([0, 0, 1]), [0.45201, 0.31321, 264.052], 0.01);
	near(lchOfRGB([1, 1, 1]), [1, 0, 0], 0.001);
	near(p3OfLCH(lchOfRGB([1, 0, 0])), [0.9175, 0.2003, 0.1386], 0.001);
});

test("each space gives back what it was given", () => {
	for (let i = 0; i < 200; i++) {
		const v = [((i * 37) % 101) / 100, ((i * 61) % 101) / 100, ((i * 17) % 101) / 100] as Triple;
		near(rgbOfLCH(lchOfRGB(v)), v, 0.001);
		near(p3OfLCH(lchOfP3(v)), v, 0.001);
	}
});

test("what sRGB lacks is mapped into it with its lightness and hue", () => {
	const green = lchOfP3([0, 1, 0]);
	ok(!inSRGB(green) && inP3(green));
	const near2 = mapped(green);
	ok(inSRGB(near2));
	equal(near2[0], green[0]);
	equal(near2[2], green[2]);
});

test("an edit keeps the form of the value", () => {
	const red = parse("#f00")!;
	equal(write(red, "#00f"), "#ff0000");
	equal(write({ ...red, alpha: 0.5 }, "#00f"), "#ff000080");
	deepEqual(write(red, { colorSpace: "srgb", components: [0, 0, 1], hex: "#0000ff", note: 1 }), { colorSpace: "srgb", components: [1, 0, 0], hex: "#ff0000", note: 1 });
	equal((write({ lch: lchOfP3([0, 1, 0]), alpha: 1 }, "#00f") as { colorSpace: string }).colorSpace, "oklch");
	equal((write({ lch: lchOfP3([0, 1, 0]), alpha: 1 }, { colorSpace: "display-p3", components: [0, 0, 1] }) as { colorSpace: string }).colorSpace, "display-p3");
});

test("texts of several forms are read, others are left to the text field", () => {
	equal(hex(parse("rgb(255 0 0 / 50%)")!), "#ff000080");
	equal(hex(parse("oklch(62.796% 0.25768 29.234)")!), "#ff0000");
	for (const other of ["red", "color-mix(in srgb, red, blue)", "{a.b}", 5, null, ["#fff"]]) equal(parse(other), null);
});

test("contrast is that of WCAG 2", () => {
	near([contrast(parse("#767676")!, "white")], [4.54], 0.01);
	near([contrast(parse("#ffffff")!, "black")], [21], 0.01);
});
