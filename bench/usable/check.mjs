// Proves served files in the real libraries: node check.mjs <folder of served documents> <css oracle> <table>.
// The table has a row for each library; the exit code is 1 where a file of ours did not work.
import fs from 'node:fs';
import path from 'node:path';
import { Document } from './document.mjs';
import { packageVersions, table } from './table.mjs';

const [served, oracle, results] = process.argv.slice(2);
const order = ['tailwind', 'tailwind-names', 'shadcn', 'chakra', 'angular-material', 'skeleton', 'mui', 'vuetify', 'primeui', 'style-dictionary', 'terrazzo', 'css-tree'];

async function rowsOf(library, d) {
  try {
    return await library.check(d, { oracle });
  } catch (error) {
    const file = /^tokens\.[a-z.]*json/.exec(error.message)?.[0] ?? library.file ?? '';
    return [{ file, result: 'FAILED: ' + error.message.split('\n')[0].replaceAll('|', '/').slice(0, 300), failed: true }];
  }
}

const documents = fs.readdirSync(served).sort().map((folder) => new Document(path.join(served, folder)));
const rows = [];
for (const file of order) {
  const library = await import(`./libraries/${file}.mjs`);
  const version = packageVersions(library.packages);
  const began = Date.now();
  for (const d of documents) {
    if (library.only && library.only !== d.name) continue;
    for (const row of await rowsOf(library, d)) rows.push({ library: library.name, version, document: d.name, ...row });
  }
  process.stderr.write(`usable: ${library.name}, ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}
const failed = rows.filter((row) => row.failed);
for (const row of failed) process.stdout.write(`${row.library}, ${row.document}, ${row.file}: ${row.result}\n`);
fs.writeFileSync(results, `# The served files in the real libraries\n\n\`make usable\`, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}\n\n${table(rows)}`);
process.stdout.write(`${rows.length} checks of ${documents.length} documents, ${failed.length} failed.\n`);
process.exitCode = failed.length ? 1 : 0;
