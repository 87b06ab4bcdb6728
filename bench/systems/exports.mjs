// Prints one export of a module of an installed package: node exports.mjs <module> <name>. A text as it is, anything else
// as JSON. Some packages publish their tokens as modules only.
import { createRequire } from 'node:module';

const [name, member] = process.argv.slice(2);
const value = createRequire(import.meta.url)(`./node_modules/${name}`)[member];
process.stdout.write(typeof value === 'string' ? value : JSON.stringify(value));
