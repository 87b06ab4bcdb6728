import { expect } from '../document.mjs';
import { build } from './tailwind.mjs';

export const name = 'Tailwind CSS, its own names';
export const packages = ['tailwindcss', '@tailwindcss/node'];
export const file = 'tokens.css';
export const only = 'tailwind';

const wanted = {
  'bg-brand-500': 'background-color: var(--color-brand-500);',
  'bg-brand/30': 'background-color: color-mix(in oklab, var(--color-brand) 30%, transparent);',
  'text-vivid': 'color: var(--color-vivid);',
  'text-tiny': 'line-height: var(--tw-leading, var(--text-tiny--line-height));',
  'font-display': 'font-family: var(--font-display);',
  'font-heavy': 'font-weight: var(--font-weight-heavy);',
  'p-gutter': 'padding: var(--spacing-gutter);',
  'rounded-pill': 'border-radius: var(--radius-pill);',
  'shadow-soft': '--tw-shadow: var(--shadow-soft);',
  'ease-snappy': 'transition-timing-function: var(--ease-snappy);',
  'leading-airy': 'line-height: var(--leading-airy);',
};

// The served names are Tailwind's own: the theme refers to them and declares nothing itself.
export async function check(d) {
  const theme = [...d.declarations.keys()].map((property) => `${property}: var(${property});`).join('\n');
  const lines = await build(d, '@import "tailwindcss";', `@theme inline reference {\n${theme}\n}`, Object.keys(wanted));
  for (const [utility, declaration] of Object.entries(wanted)) expect(lines.has(declaration), `${utility} does not say ${declaration}`);
  return [{ file, result: `${d.declarations.size} names as Tailwind spells them` }];
}
