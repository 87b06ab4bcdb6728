import fs from 'node:fs';
import path from 'node:path';
import { compileString } from 'sass';
import { expect } from '../document.mjs';

export const name = 'Angular Material';
export const packages = ['@angular/material', 'sass'];
export const file = 'tokens.css';
export const only = 'angular-material';

const modules = path.join(import.meta.dirname, '..', 'node_modules');
const theme = "@use '@angular/material' as mat;\nhtml { @include mat.theme((color: (primary: mat.$azure-palette), typography: Roboto, density: 0)); }";

// What Angular Material's own theme declares, and what the styles of its components read.
function names() {
  const declared = [...compileString(theme, { loadPaths: [modules] }).css.matchAll(/^\s*(--mat-sys-[\w-]+):/gm)].map((m) => m[1]);
  const folder = path.join(modules, '@angular', 'material', 'fesm2022');
  const read = fs.readdirSync(folder).filter((file) => file.endsWith('.mjs'))
    .flatMap((file) => fs.readFileSync(path.join(folder, file), 'utf8').match(/var\(--mat-sys-[\w-]+/g) ?? []);
  return { declared: new Set(declared), read: new Set(read.map((text) => text.slice('var('.length))) };
}

export async function check(d) {
  const { declared, read } = names();
  expect(declared.size > 100 && read.size > 20, `Angular Material declares ${declared.size} names and reads ${read.size}`);
  for (const property of new Set([...declared, ...read])) expect(d.declarations.has(property), `${property} is not served as written`);
  return [{ file, result: `${declared.size} names of its theme, ${read.size} that its components read` }];
}
