// What Style Dictionary or Terrazzo makes of token files: node peers.mjs <tool> <file>... prints, as JSON, how many custom
// properties come out with a value and without one, or the first line of why the files were refused.
import fs from 'node:fs';
import path from 'node:path';
import { build, defineConfig, Logger, parse } from '@terrazzo/parser';
import css from '@terrazzo/plugin-css';
import StyleDictionary from 'style-dictionary';
import yamlToMomoa from 'yaml-to-momoa';

const [tool, ...names] = process.argv.slice(2);
const files = names.flatMap((name) =>
  fs.statSync(name).isDirectory()
    ? fs.readdirSync(name, { recursive: true }).map((below) => path.join(name, below)).filter((below) => /\.(json5?|jsonc|ya?ml)$/.test(below)).sort()
    : [name]);

const tools = {
  async 'style-dictionary'() {
    const dictionary = new StyleDictionary({
      source: files,
      log: { warnings: 'disabled', verbosity: 'silent', errors: { brokenReferences: 'console' } },
      platforms: { css: { transformGroup: 'css', files: [{ destination: 'tokens.css', format: 'css/variables' }] } },
    });
    const [file] = await dictionary.formatPlatform('css');
    return file?.output ?? '';
  },
  async terrazzo() {
    const cwd = new URL('file:///');
    const logger = new Logger({ level: 'error' });
    const config = defineConfig({ plugins: [css({ filename: 'tokens.css' })], lint: { rules: {} } }, { cwd, logger });
    const inputs = files.map((name) => ({ filename: new URL(`file://${path.resolve(name)}`), src: fs.readFileSync(name, 'utf8') }));
    const { tokens, sources, resolver } = await parse(inputs, { config, logger, yamlToMomoa });
    const { outputFiles } = await build(tokens, { config, logger, sources, resolver });
    return outputFiles[0].contents;
  },
};

console.warn = console.error = console.log = () => {};
try {
  const text = await tools[tool]();
  const values = [...text.matchAll(/^\s*(--[^:\s]+):\s*(.*?);/gm)];
  const [good, bad] = [new Set(), new Set()];
  for (const [, name, value] of values) (/undefined|\[object Object\]|^\{.*\}$/.test(value) ? bad : good).add(name);
  process.stdout.write(JSON.stringify({ properties: good.size, unusable: bad.size }));
} catch (error) {
  const [line] = String(error.message).replace(/\x1b\[[0-9;]*m/g, '').trim().split('\n');
  process.stdout.write(JSON.stringify({ refused: line.replaceAll(process.cwd(), '').slice(0, 160) }));
}
process.exit(0);
