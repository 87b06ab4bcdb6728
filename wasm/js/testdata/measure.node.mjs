// Usage: node measure.node.mjs module source. Prints what was measured as JSON.
import { readFile } from "node:fs/promises";
import { load } from "../../livery.mjs";
import { measure } from "./measure.mjs";

const [module, source] = await Promise.all(process.argv.slice(2).map((name) => readFile(name)));
console.log(JSON.stringify(await measure(load, module, JSON.parse(source))));
