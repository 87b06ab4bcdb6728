// What Style Dictionary or Terrazzo makes of token files: node peers.mjs <tool> <file>... prints, as JSON, how many custom
// properties come out, how long that took, or why the files were refused.
import fs from 'node:fs';
import path from 'node:path';
import { build, defineConfig, Logger, parse } from '@terrazzo/parser';
import css from '@terrazzo/plugin-css';
import StyleDictionary from 'style-dictionary';

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
    const { tokens, sources, resolver } = await parse(inputs, { config, logger });
    const { outputFiles } = await build(tokens, { config, logger, sources, resolver });
    return outputFiles[0].contents;
  },
};

console.warn = console.error = console.log = () => {};
const began = performance.now();
try {
  const text = await tools[tool]();
  const values = [...text.matchAll(/^\s*(--[^:\s]+):\s*(.*?);/gm)];
  const names = new Set(values.filter(([, , value]) => !/^(undefined|\[object Object\]|\{.*\})$/.test(value)).map(([, name]) => name));
  process.stdout.write(JSON.stringify({ ms: Math.round(performance.now() - began), properties: names.size }));
} catch (error) {
  process.stdout.write(JSON.stringify({ refused: String(error.message).trim().split('\n')[0].slice(0, 80) }));
}
process.exit(0);
