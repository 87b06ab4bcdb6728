// node fetch.mjs ADDRESS FILE: writes a file that Livery serves, if it is another than that of before. A
// pinned address makes a build that gives the same bytes for ever; a latest address follows the publishes.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const [address, file] = process.argv.slice(2);
const answer = await fetch(address);
if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
const text = await answer.text();
if ((await readFile(file, "utf8").catch(() => "")) !== text) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
