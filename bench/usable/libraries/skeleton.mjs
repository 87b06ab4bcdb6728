import { expect } from '../document.mjs';
import { build } from './tailwind.mjs';

export const name = 'Skeleton';
export const packages = ['@skeletonlabs/skeleton', 'tailwindcss'];
export const file = 'tokens.css';
export const only = 'skeleton';

// The names that Skeleton's own stylesheet reads for its presets must be among the served ones.
export async function check(d) {
  const wanted = {
    'bg-primary-500': 'background-color: var(--color-primary-500);',
    'bg-surface-200/40': 'background-color: color-mix(in oklab, var(--color-surface-200) 40%, transparent);',
    'preset-filled-success-500': 'color: var(--color-success-contrast-500);',
    'rounded-container': 'border-radius: var(--radius-container);',
  };
  const lines = await build(d, '@import "tailwindcss";\n@import "@skeletonlabs/skeleton";', '', Object.keys(wanted));
  for (const [utility, declaration] of Object.entries(wanted)) {
    expect(lines.has(declaration), `${utility} does not say ${declaration}`);
    const property = /var\((--[\w-]+)\)/.exec(declaration)[1];
    expect(d.declarations.has(property), `${property} is not served`);
  }
  const all = [...lines].join('\n');
  for (const property of d.declarations.keys()) {
    const place = all.indexOf(`${property}: `);
    expect(place >= 0 && all.lastIndexOf(`${property}: ${d.declarations.get(property)};`) >= place, `${property} is not laid over Skeleton's own`);
  }
  return [{ file, result: `${d.declarations.size} theme properties` }];
}
