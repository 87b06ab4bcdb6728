// One whole build of Terrazzo: node terrazzo.mjs <document> prints its times.
import { build, defineConfig, Logger, parse } from '@terrazzo/parser';
import css from '@terrazzo/plugin-css';
import { measure } from './measure.mjs';

await measure(async (text) => {
  const cwd = new URL('file:///');
  const logger = new Logger({ level: 'error' });
  const config = defineConfig({ plugins: [css({ filename: 'tokens.css' })], lint: { rules: {} } }, { cwd, logger });
  const { tokens, sources, resolver } = await parse([{ filename: new URL('tokens.json', cwd), src: text }], { config, logger });
  const { outputFiles } = await build(tokens, { config, logger, sources, resolver });
  return outputFiles[0].contents;
});
