import { alpha, createTheme, darken, decomposeColor, emphasize, getContrastRatio, lighten } from '@mui/material/styles';
import { channels, expect, expectWhole, silently } from '../document.mjs';

export const name = 'MUI';
export const packages = ['@mui/material'];
export const file = 'tokens.values.json';

// Every colour goes through what components call on a palette.
function manipulate(theme, color) {
  expect(decomposeColor(color).values.slice(0, 3).join() === channels(color).join(), `MUI reads ${color} as ${decomposeColor(color).values}`);
  const entry = theme.palette.augmentColor({ color: { main: color } });
  const ratio = getContrastRatio(color, '#ffffff');
  expect(ratio >= 1 && ratio <= 21, `the contrast of ${color} to white is ${ratio}`);
  expectWhole(JSON.stringify([entry, alpha(color, 0.5), darken(color, 0.2), lighten(color, 0.2), emphasize(color, 0.1)]), color);
  return entry;
}

export async function check(d) {
  const colors = d.valuesOf('color');
  const typography = Object.fromEntries(d.valuesOf('typography').map((v, i) => [`livery${i}`, v]));
  const [, said] = await silently(() => {
    const plain = createTheme({ typography, livery: d.values });
    const palette = Object.fromEntries(colors.map((color, i) => [`livery${i}`, manipulate(plain, color)]));
    if (colors.length > 0) Object.assign(palette, { primary: { main: colors[0] }, secondary: { main: colors.at(-1) } });
    const theme = createTheme({ cssVariables: true, palette, typography, livery: d.values });
    expectWhole(JSON.stringify([theme.generateStyleSheets(), theme.livery, theme.typography, theme.palette]), 'the theme');
  });
  expect(said.length === 0, said[0]);
  return [{ file, result: `${colors.length} colours, ${Object.keys(typography).length} type styles` }];
}
