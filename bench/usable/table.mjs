// The table of results.
import fs from 'node:fs';
import path from 'node:path';

// The installed version of the first package, and of the others where theirs differ.
export function packageVersions(packages) {
  const versions = packages.map((name) => JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8')).version);
  return [...new Set(versions)].join(', ');
}

// An aligned Markdown table: for each library the files, the checks and those that failed.
export function table(rows) {
  const lines = [['library', 'version', 'files', 'checks', 'failed']];
  for (const library of new Set(rows.map((row) => row.library))) {
    const own = rows.filter((row) => row.library === library);
    const files = [...new Set(own.map((row) => row.file))].join(', ');
    lines.push([library, own[0].version, files, String(own.length), String(own.filter((row) => row.failed).length)]);
  }
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) => '| ' + line.map((cell, i) => cell.padEnd(widths[i])).join(' | ') + ' |');
  text.splice(1, 0, '|' + widths.map((width) => '-'.repeat(width + 2)).join('|') + '|');
  return text.join('\n') + '\n';
}
