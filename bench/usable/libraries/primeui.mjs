import { definePreset, palette, Theme } from '@primeuix/styled';
import Aura from '@primeuix/themes/aura';
import { channels, expect, expectWhole, silently } from '../document.mjs';

export const name = 'PrimeVue and PrimeNG presets';
export const packages = ['@primeuix/themes', '@primeuix/styled'];
export const file = 'tokens.values.json';

// The presets of both libraries are made and rendered by this one package.
export async function check(d) {
  const colors = d.valuesOf('color');
  colors.forEach(channels);
  const livery = Object.fromEntries(colors.map((color, i) => [`c${i}`, color]));
  const brand = palette(colors.find((color) => color.startsWith('#')) ?? '#336699');
  const [css, said] = await silently(() => {
    const preset = definePreset(Aura, { primitive: { livery, values: d.values }, semantic: { primary: brand } });
    Theme.setTheme({ preset, options: { prefix: 'p', darkModeSelector: '.dark', cssLayer: false } });
    const common = Theme.getCommon('', {});
    return common.primitive.css + common.semantic.css + common.global.css;
  });
  expect(said.length === 0, said[0]);
  expectWhole(JSON.stringify(brand) + css, 'the preset');
  const declared = new Map([...css.matchAll(/--p-livery-(c\d+):([^;]+);/g)].map((m) => [m[1], m[2].trim()]));
  colors.forEach((color, i) => expect(declared.get(`c${i}`) === color, `the preset declares ${color} as ${declared.get(`c${i}`)}`));
  return [{ file, result: `${colors.length} colours, the whole file as a preset` }];
}
