import { expect } from '../document.mjs';
import { build } from './tailwind.mjs';

export const name = 'shadcn variables';
export const packages = ['tailwindcss', '@tailwindcss/node'];
export const file = 'tokens.css';
export const only = 'shadcn';

export async function check(d) {
  const colors = d.declared('color');
  for (const pair of ['primary', 'secondary', 'muted', 'accent', 'card', 'sidebar-primary']) {
    expect(colors.includes(`--${pair}`) && colors.includes(`--${pair}-foreground`), `--${pair} does not stand beside --${pair}-foreground`);
  }
  const theme = [...colors.map((c) => `--color-${c.slice(2)}: var(${c});`), '--radius-lg: var(--radius);', '--radius-md: calc(var(--radius) - 2px);'];
  const wanted = new Map(colors.flatMap((c) => [
    [`bg-${c.slice(2)}`, `background-color: var(${c});`],
    [`text-${c.slice(2)}/50`, `color: color-mix(in oklab, var(${c}) 50%, transparent);`],
  ]));
  wanted.set('rounded-lg', 'border-radius: var(--radius);').set('rounded-md', 'border-radius: calc(var(--radius) - 2px);');
  const lines = await build(d, '@import "tailwindcss";', `@theme inline {\n${theme.join('\n')}\n}`, [...wanted.keys()]);
  for (const [utility, declaration] of wanted) expect(lines.has(declaration), `${utility} does not say ${declaration}`);
  return [{ file, result: `${colors.length} colours and the radius` }];
}
