import StyleDictionary from 'style-dictionary';
import { silently } from '../document.mjs';
import { judge } from './sources.mjs';

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

export const check = (d) => judge(d, build);
