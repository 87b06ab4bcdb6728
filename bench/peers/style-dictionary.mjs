// One whole build of Style Dictionary: node style-dictionary.mjs <document> prints its times.
import StyleDictionary from 'style-dictionary';
import { measure } from './measure.mjs';

await measure(async (text) => {
  const dictionary = new StyleDictionary({
    tokens: JSON.parse(text),
    log: { warnings: 'disabled', verbosity: 'silent', errors: { brokenReferences: 'throw' } },
    platforms: { css: { transformGroup: 'css', files: [{ destination: 'tokens.css', format: 'css/variables' }] } },
  });
  const [file] = await dictionary.formatPlatform('css');
  return file.output;
});
