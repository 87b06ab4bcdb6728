// Usage: node parity.shim.mjs base module. Compares through livery.mjs.
import { readFile } from "node:fs/promises";
import { load } from "../../livery.mjs";
import { compare, throughShim } from "./parity.mjs";

const [base, module] = process.argv.slice(2);
console.log(await compare(base, throughShim(await load(await readFile(module)))));
