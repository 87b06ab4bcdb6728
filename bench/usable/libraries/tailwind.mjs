import { compile, optimize } from '@tailwindcss/node';
import { expect, silently } from '../document.mjs';

export const name = 'Tailwind CSS';
export const packages = ['tailwindcss', '@tailwindcss/node'];
export const file = 'tokens.css';

// For each type: the theme namespace, the utilities of a key, and the declarations they must make.
const uses = {
  color: ['color', (k) => [`bg-${k}`, `bg-${k}/50`], (v) => [`background-color: ${v};`, `background-color: color-mix(in oklab, ${v} 50%, transparent);`]],
  dimension: ['spacing', (k) => [`p-${k}`], (v) => [`padding: ${v};`]],
  fontFamily: ['font', (k) => [`font-${k}`], (v) => [`font-family: ${v};`]],
  fontWeight: ['font-weight', (k) => [`font-${k}`], (v) => [`font-weight: ${v};`]],
  cubicBezier: ['ease', (k) => [`ease-${k}`], (v) => [`transition-timing-function: ${v};`]],
  shadow: ['shadow', (k) => [`shadow-${k}`], (v) => [`--tw-shadow: ${v};`]],
};

// Builds a stylesheet over the served file and returns its lines. The file must come out as it is.
export async function build(d, head, theme, candidates) {
  const [lines, said] = await silently(async () => {
    const entry = `${head}\n@import ${JSON.stringify(d.cssFile)};\n${theme}`;
    const css = (await compile(entry, { base: import.meta.dirname, onDependency() {} })).build(candidates);
    expect(optimize(css, { minify: true }).code.length > 0, 'the minified stylesheet is empty');
    return new Set(css.split('\n').map((line) => line.trim()));
  });
  expect(said.length === 0, said[0]);
  for (const [property, value] of d.declarations) {
    expect(lines.has(`${property}: ${value};`), `${property} does not come out as it was served`);
  }
  return lines;
}

export async function check(d) {
  const theme = [], candidates = [], wanted = [];
  for (const [type, [namespace, utilities, declarations]] of Object.entries(uses)) {
    d.declared(type).forEach((property, i) => {
      const key = `${type.toLowerCase()}-${i}`;
      theme.push(`--${namespace}-${key}: var(${property});`);
      candidates.push(...utilities(key));
      wanted.push(...declarations(`var(${property})`));
    });
  }
  const lines = await build(d, '@import "tailwindcss";', `@theme inline {\n${theme.join('\n')}\n}`, candidates);
  for (const declaration of wanted) expect(lines.has(declaration), `no utility says ${declaration}`);
  return [{ file, result: `${theme.length} names in @theme inline, ${candidates.length} utilities` }];
}
