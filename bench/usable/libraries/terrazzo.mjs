import { build as buildTokens, defineConfig, Logger, parse } from '@terrazzo/parser';
import css from '@terrazzo/plugin-css';
import { silently } from '../document.mjs';
import { cssText, judge } from './sources.mjs';

export const name = 'Terrazzo';
export const packages = ['@terrazzo/parser', '@terrazzo/plugin-css'];

// Beyond these it takes minutes a document; bench/peers measures that.
const mostTokens = 2000;

async function build(text) {
  const [result] = await silently(async () => {
    const cwd = new URL('file:///');
    const logger = new Logger({ level: 'error' });
    const config = defineConfig({ plugins: [css({ filename: 'tokens.css' })], lint: { rules: {} } }, { cwd, logger });
    const { tokens, sources, resolver } = await parse([{ filename: new URL('tokens.json', cwd), src: text }], { config, logger });
    return buildTokens(tokens, { config, logger, sources, resolver });
  });
  return result.outputFiles.map((file) => file.contents).join('\n');
}

// What the tool reads of each token: [path, CSS text].
async function values(text) {
  const [tokens] = await silently(async () => {
    const cwd = new URL('file:///');
    const logger = new Logger({ level: 'error' });
    const config = defineConfig({ lint: { rules: {} } }, { cwd, logger });
    return (await parse([{ filename: new URL('tokens.json', cwd), src: text }], { config, logger })).tokens;
  });
  return Object.entries(tokens).map(([id, t]) => [id.split('.'), cssText(t.$value)]);
}

export async function check(d) {
  if (d.tokens.length > mostTokens) return [{ file: 'tokens.json', result: `left out: over ${mostTokens} tokens` }];
  return judge(d, build, values);
}
