// What Terrazzo makes of resolver documents: node resolve.mjs FILE... prints a line of JSON for each permutation. It made
// terrazzo.jsonl in cli/tokens/source/testdata/resolver, of the documents there.
import fs from 'node:fs';
import path from 'node:path';
import { defineConfig, Logger, parse } from '@terrazzo/parser';
const write = (o) => fs.writeSync(1, JSON.stringify(o) + '\n');
const reason = (error) => String(error.message).trim().split('\n')[0].slice(0, 80);
console.warn = console.error = console.log = () => {};
for (const file of process.argv.slice(2)) {
  const logger = new Logger({ level: 'silent' });
  const filename = new URL(`file://${path.resolve(file)}`);
  try {
    const config = defineConfig({ lint: { rules: {} } }, { cwd: new URL('file:///'), logger });
    const { resolver } = await parse([{ filename, src: fs.readFileSync(file, 'utf8') }], { config, logger, skipLint: true });
    for (const input of resolver.listPermutations()) {
      const inputs = Object.entries(input).map(([m, c]) => `${m}=${c}`);
      try {
        const tokens = resolver.apply(input);
        write({ file, inputs, tokens: Object.fromEntries(Object.entries(tokens).map(([id, t]) => [id, { type: t.$type, value: t.$value }])) });
      } catch (error) {
        write({ file, inputs, refused: reason(error) });
      }
    }
  } catch (error) {
    write({ file, refused: reason(error) });
  }
}
