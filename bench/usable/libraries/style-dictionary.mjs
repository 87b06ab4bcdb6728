import StyleDictionary from 'style-dictionary';
import { silently } from '../document.mjs';
import { cssText, judge } from './sources.mjs';

export const name = 'Style Dictionary';
export const packages = ['style-dictionary'];

async function build(text) {
  const [files] = await silently(async () => {
    const dictionary = new StyleDictionary({
      tokens: JSON.parse(text),
      log: { warnings: 'disabled', verbosity: 'silent', errors: { brokenReferences: 'throw' } },
      platforms: { css: { transformGroup: 'css', files: [{ destination: 'tokens.css', format: 'css/variables' }] } },
    });
    return dictionary.formatPlatform('css');
  });
  return files[0]?.output ?? '';
}

// What the tool makes of each token: [path, CSS text]. The transforms of sizes and times are left out: they change units.
async function values(text) {
  const [tree] = await silently(async () => new StyleDictionary({
    tokens: JSON.parse(text),
    log: { warnings: 'disabled', verbosity: 'silent', errors: { brokenReferences: 'throw' } },
    platforms: { css: { transforms: ['name/kebab', 'color/css'] } },
  }).exportPlatform('css'));
  return [...leaves(tree, [])].map(([path, t]) => [path, cssText(t.$value ?? t.value)]);
}

function* leaves(node, path) {
  if (Object.hasOwn(node, '$value') || Object.hasOwn(node, 'value') && Object.hasOwn(node, 'original')) {
    yield [path, node];
    return;
  }
  for (const [name, child] of Object.entries(node)) {
    if (child && typeof child === 'object') yield* leaves(child, [...path, name]);
  }
}

export const check = (d) => judge(d, build, values);
