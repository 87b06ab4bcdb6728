import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { lexer, parse } from 'css-tree';

import { expect } from '../document.mjs';

export const name = 'css-tree grammar';
export const packages = ['css-tree'];
export const file = 'tokens.css';

const standard = ['color', 'dimension', 'fontFamily', 'fontWeight', 'duration', 'cubicBezier', 'number', 'strokeStyle', 'border', 'transition', 'shadow', 'gradient', 'typography'];

// The oracle comes from outside the project. A copy made for the run finds css-tree here.
function copyOf(oracle) {
  const copy = path.join(import.meta.dirname, '..', '.cache', path.basename(oracle));
  fs.copyFileSync(oracle, copy);
  return copy;
}

// The oracle tries a dimension as a margin; the sizes take a few keywords more.
function fitsSize(d, token) {
  const value = d.declarations.get(d.customProperty(token.split('.')));
  return value !== undefined && ['width', 'max-width'].some((size) => !lexer.matchProperty(size, parse(value, { context: 'value' })).error);
}

export async function check(d, { oracle }) {
  if (!fs.existsSync(oracle)) return [{ file, result: 'NOT CHECKED: the oracle is absent' }];
  const tokens = path.join(d.folder, 'prefixed.json');
  fs.writeFileSync(tokens, JSON.stringify(d.prefix ? { [d.prefix]: d.dtcg } : d.dtcg));
  const printed = execFileSync(process.execPath, [copyOf(oracle), d.cssFile, tokens], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const faults = d.undeclared().map((token) => `${token} is not declared under its name`);
  let fits = 0, reported = 0;
  for (const [, type, ok, bad] of printed.matchAll(/^(\S+)\s+(\d+)\/\d+ ?(.*)$/gm)) {
    if (!standard.includes(type)) continue;
    fits += Number(ok);
    for (const fault of bad.split(' | ').filter(Boolean)) {
      const token = fault.replace(/( MISSING|: .*)$/, '').slice(d.prefix ? d.prefix.length + 1 : 0);
      if (type === 'dimension' && fitsSize(d, token)) fits++;
      else if (fault.endsWith(' MISSING') && (d.diagnostics[token] || type === 'typography')) reported++;
      else faults.push(`${type}: ${fault}`);
    }
  }
  expect(faults.length === 0, faults.join('; '));
  return [{ file, result: `${fits} values fit their property` + (reported ? `, ${reported} left out and reported` : '') }];
}
