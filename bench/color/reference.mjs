// Reads colours from standard input, [{"space", "components"}, …], and writes what the two libraries
// make of each in 8-bit sRGB, gamut-mapped as CSS Color 4 says: [{"inside", "colorjs", "culori"}, …].
import fs from 'node:fs';
import path from 'node:path';
import Color from 'colorjs.io';
import * as culori from 'culori';

// How each library names the spaces of DTCG, and its components.
const colorjsNames = { 'a98-rgb': 'a98rgb', 'display-p3': 'p3', 'prophoto-rgb': 'prophoto' };
const culoriModes = {
  srgb: ['rgb', 'r', 'g', 'b'], 'srgb-linear': ['lrgb', 'r', 'g', 'b'], hsl: ['hsl', 'h', 's', 'l'], hwb: ['hwb', 'h', 'w', 'b'],
  lab: ['lab', 'l', 'a', 'b'], lch: ['lch', 'l', 'c', 'h'], oklab: ['oklab', 'l', 'a', 'b'], oklch: ['oklch', 'l', 'c', 'h'],
  'display-p3': ['p3', 'r', 'g', 'b'], 'a98-rgb': ['a98', 'r', 'g', 'b'], 'prophoto-rgb': ['prophoto', 'r', 'g', 'b'],
  rec2020: ['rec2020', 'r', 'g', 'b'], 'xyz-d65': ['xyz65', 'x', 'y', 'z'], 'xyz-d50': ['xyz50', 'x', 'y', 'z'],
};
const slack = 1e-7; // rounding errors, not colours

function bytes(components) {
  return components.map((f) => Math.round(Math.min(1, Math.max(0, f ?? 0)) * 255));
}

function byColorjs({ space, components }) {
  const color = new Color(colorjsNames[space] ?? space, components);
  const inside = color.to('srgb').coords.every((f) => f >= -slack && f <= 1 + slack);
  const shown = inside ? color.to('srgb') : color.to('srgb').toGamut({ method: 'css', space: 'srgb' });
  return { inside, bytes: bytes(shown.coords) };
}

const mapped = culori.toGamut('rgb', 'oklch');
const toRGB = culori.converter('rgb');

function byCulori({ space, components }, inside) {
  const [mode, ...names] = culoriModes[space];
  const percent = space === 'hsl' || space === 'hwb';
  const color = { mode };
  names.forEach((name, i) => { color[name] = percent && i > 0 ? components[i] / 100 : components[i]; });
  const shown = inside ? toRGB(color) : mapped(color);
  return bytes([shown.r, shown.g, shown.b]);
}

function version(name) {
  return JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8')).version;
}

const colors = JSON.parse(fs.readFileSync(0, 'utf8')).map((color) => {
  const reference = byColorjs(color);
  return { inside: reference.inside, colorjs: reference.bytes, culori: byCulori(color, reference.inside) };
});
process.stdout.write(JSON.stringify({ versions: { colorjs: version('colorjs.io'), culori: version('culori') }, colors }));
