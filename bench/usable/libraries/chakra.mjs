import { createSystem, defaultConfig } from '@chakra-ui/react';
import { expect, expectWhole } from '../document.mjs';

export const name = 'Chakra UI';
export const packages = ['@chakra-ui/react'];
export const file = 'tokens.css';

const categories = {
  color: 'colors', dimension: 'spacing', fontFamily: 'fonts', fontWeight: 'fontWeights', shadow: 'shadows',
  border: 'borders', duration: 'durations', cubicBezier: 'easings', gradient: 'gradients',
};

export async function check(d) {
  const tokens = {}, wanted = [];
  for (const [type, category] of Object.entries(categories)) {
    d.declared(type).forEach((property, i) => {
      (tokens[category] ??= {})[`livery${i}`] = { value: `var(${property})` };
      wanted.push([`${category}.livery${i}`, `var(${property})`]);
    });
  }
  const system = createSystem(defaultConfig, { theme: { tokens } });
  const css = JSON.stringify(system.getTokenCss());
  expectWhole(css, 'the stylesheet of the system');
  for (const [token, value] of wanted) {
    expect(system.token(token) === value, `${token} is ${system.token(token)}, not ${value}`);
    expect(css.includes(JSON.stringify(value)), `${value} is not in the stylesheet of the system`);
  }
  if (tokens.colors) {
    const mixed = JSON.stringify(system.css({ bg: 'livery0/50' }));
    expect(mixed.includes('color-mix(in srgb, var(--chakra-colors-livery0) 50%'), `livery0/50 is ${mixed}`);
  }
  return [{ file, result: `${wanted.length} tokens that refer to custom properties` }];
}
