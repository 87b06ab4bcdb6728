// Judges the files that go into another build tool: each must build, unless the tool refuses the
// document as its authors wrote it, too.
import Color from 'colorjs.io';
import { expect } from '../document.mjs';

const attempt = async (build, tokens) => {
  try {
    return { css: await build(JSON.stringify(tokens)) };
  } catch (error) {
    return { error };
  }
};

const names = (css) => new Set([...css.matchAll(/^\s*(--[^:\s]+):/gm)].map((m) => m[1]));
const broken = (css) => (css.match(/\bundefined\b|\bNaN\b|\[object /g) ?? []).length;

// The CSS text of a value that a tool read: text, a number, a colour or a measure.
export function cssText(value) {
  if (value?.colorSpace) return new Color({ spaceId: spaces[value.colorSpace] ?? value.colorSpace, coords: value.components.map((c) => (c === 'none' ? null : c)), alpha: value.alpha ?? 1 }).toString();
  return value?.unit === undefined ? String(value) : `${value.value}${value.unit}`;
}

const spaces = { 'display-p3': 'p3', 'a98-rgb': 'a98rgb', 'prophoto-rgb': 'prophoto' };
const compared = new Set(['color', 'dimension', 'duration', 'number']);

// Whether a tool read the CSS text want: a colour to 1/255 a channel, a number without a unit by its number. Tools clip colours
// outside sRGB, and read those that only a browser computes, in ways of their own.
function same(text, want, type) {
  if (text === want) return true;
  if (type !== 'color') return Number(text) === parseFloat(want);
  let y;
  try {
    y = new Color(want).to('srgb');
  } catch {
    return true;
  }
  if (!y.inGamut('srgb')) return true;
  const x = new Color(text).to('srgb');
  return [...x.coords, x.alpha].every((c, i) => Math.abs((c ?? 0) - ([...y.coords, y.alpha][i] ?? 0)) <= 1.01 / 255);
}

// A tool reads from the resolved files what tokens.css has: each colour, measure and number that it takes.
async function compareWithStylesheet(d, values) {
  const types = new Map(d.tokens.map((t) => [t.path.join('.'), t.type]));
  const rows = [];
  for (const [file, tokens] of [['tokens.json', d.resolved], ['tokens.flat.json', nested(d)]]) {
    let read;
    try {
      read = await values(JSON.stringify(tokens));
    } catch {
      continue; // judge names what a tool refuses
    }
    const differ = [];
    let count = 0;
    for (const [path, text] of read) {
      const name = d.customProperty(path);
      const want = d.declarations.get(name);
      const type = types.get(path.join('.'));
      if (want === undefined || !compared.has(type) || d.diagnostics[path.join('.')]) continue;
      count++;
      if (!same(text, want, type)) differ.push(`${path.join('.')}: ${text}, not ${want}`);
    }
    expect(differ.length === 0, `${file} is read with ${differ.length} of ${count} values other than in tokens.css: ${differ.slice(0, 3).join('; ')}`);
    rows.push({ file, result: `${count} values equal to tokens.css` });
  }
  return rows;
}

// tokens.flat.json as a tool takes it: nested, with the types of tokens.json.
function nested(d) {
  const types = new Map(d.tokens.map((t) => [t.path.join('.'), t.type]));
  const root = {};
  for (const [path, $value] of Object.entries(d.flat)) {
    const segments = path.split('.');
    const last = segments.pop();
    const parent = segments.reduce((node, segment) => (node[segment] ??= {}), root);
    parent[last] = { ...parent[last], ...(types.get(path) && { $type: types.get(path) }), $value };
  }
  return root;
}

export async function judge(d, build, values) {
  const source = await attempt(build, d.source);
  const rows = await compareWithStylesheet(d, values);
  for (const [file, tokens] of [['tokens.json', d.resolved], ['tokens.dtcg.json', d.dtcg]]) {
    const ours = await attempt(build, tokens);
    if (ours.error) {
      expect(source.error, `${file} is refused, its source is not: ${ours.error.message}`);
      rows.push({ file, result: `refused, and so is the source: ${firstLine(ours.error.message)}` });
      continue;
    }
    const same = file === 'tokens.dtcg.json' && !d.overridden;
    expect(source.error || !same || ours.css === source.css, `${file} builds to something else than its source`);
    const before = source.error ? 0 : broken(source.css);
    expect(source.error || broken(ours.css) <= before, `${file} gives ${broken(ours.css)} broken values, its source ${before}`);
    const got = names(ours.css);
    const lost = source.error ? [] : [...names(source.css)].filter((name) => !got.has(name)).length;
    const left = Object.keys(d.diagnostics).length;
    expect(source.error || d.refers || lost <= left, `${file} gives ${lost} names fewer than its source, with ${left} diagnostics`);
    rows.push({ file, result: `${got.size} custom properties` + (source.error ? ', though its source is refused' : '') });
  }
  return rows;
}

const firstLine = (text) => text.trim().split('\n')[0].replaceAll('|', '/').slice(0, 60);
