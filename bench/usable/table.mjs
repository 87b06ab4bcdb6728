// The table of results.
import fs from 'node:fs';
import path from 'node:path';

// The installed version of the first package, and of the others where theirs differ.
export function packageVersions(packages) {
  const versions = packages.map((name) => JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8')).version);
  return [...new Set(versions)].join(', ');
}

// An aligned Markdown table.
export function table(rows) {
  const columns = ['library', 'version', 'document', 'file', 'result'];
  const cells = [columns, ...rows.map((row) => columns.map((c) => row[c]))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i].length)));
  const lines = cells.map((line) => '| ' + line.map((cell, i) => cell.padEnd(widths[i])).join(' | ') + ' |');
  lines.splice(1, 0, '|' + widths.map((width) => '-'.repeat(width + 2)).join('|') + '|');
  return lines.join('\n') + '\n';
}
