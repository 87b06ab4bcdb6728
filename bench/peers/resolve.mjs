// What Terrazzo makes of each token: node resolve.mjs <file>... prints, as JSON, for each file the type and the value of its
// tokens by path, or the first line of why it was refused.
import fs from 'node:fs';
import path from 'node:path';
import { defineConfig, Logger, parse } from '@terrazzo/parser';

console.warn = console.error = console.log = () => {};
const cwd = new URL('file:///');
const result = {};
for (const name of process.argv.slice(2)) {
  const logger = new Logger({ level: 'error' });
  try {
    const config = defineConfig({ lint: { rules: {} } }, { cwd, logger });
    const { tokens } = await parse([{ filename: new URL(`file://${path.resolve(name)}`), src: fs.readFileSync(name, 'utf8') }], { config, logger });
    result[path.basename(name)] = { tokens: Object.fromEntries(Object.entries(tokens).map(([id, t]) => [id, { type: t.$type, value: t.$value }])) };
  } catch (error) {
    result[path.basename(name)] = { refused: String(error.message).replace(/\x1b\[[0-9;]*m/g, '').trim().split('\n')[0] };
  }
}
process.stdout.write(JSON.stringify(result));
process.exit(0);
