import { createVuetify } from 'vuetify';
import { channels, expect, expectWhole, silently } from '../document.mjs';

export const name = 'Vuetify';
export const packages = ['vuetify', 'vue'];
export const file = 'tokens.values.json';

export async function check(d) {
  const list = d.valuesOf('color');
  const colors = Object.fromEntries(list.map((color, i) => [`livery${i}`, color]));
  const [css, said] = await silently(() => createVuetify({
    ssr: true,
    theme: { defaultTheme: 'livery', themes: { livery: { dark: false, colors } }, variations: { colors: Object.keys(colors).slice(0, 5), lighten: 2, darken: 2 } },
  }).theme.styles.value);
  expect(said.length === 0, said[0]);
  expectWhole(css, 'the stylesheet of the theme');
  const declared = new Map([...css.matchAll(/--v-theme-(livery\d+): ([^;]+);/g)].map((m) => [m[1], m[2]]));
  list.forEach((color, i) => {
    const read = declared.get(`livery${i}`)?.split(',').slice(0, 3).map((n) => Math.round(Number(n))).join();
    expect(read === channels(color).join(), `Vuetify reads ${color} as ${declared.get(`livery${i}`)}`);
  });
  return [{ file, result: `${list.length} colours` }];
}
