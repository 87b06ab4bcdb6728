// Judges the files that go into another build tool: each must build, unless the tool refuses the
// document as its authors wrote it, too.
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

export async function judge(d, build) {
  const source = await attempt(build, d.source);
  const rows = [];
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
