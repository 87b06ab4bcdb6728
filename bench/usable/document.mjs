// What was served for one document, read back as its users would read it.
import fs from 'node:fs';
import path from 'node:path';

export class Document {
  constructor(folder) {
    const json = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
    this.name = path.basename(folder);
    this.folder = folder;
    this.css = fs.readFileSync(path.join(folder, 'tokens.css'), 'utf8');
    this.declarations = new Map([...this.css.matchAll(/^ {2}(--[^:]+): (.*);$/gm)].map(([, name, value]) => [name, value]));
    this.source = json('source.json');
    this.dtcg = json('tokens.dtcg.json');
    this.resolved = json('tokens.json');
    this.values = json('tokens.values.json');
    this.flat = json('tokens.flat.json');
    ({ prefix: this.prefix, diagnostics: this.diagnostics } = json('about.json'));
    this.tokens = [...tokensOf(this.resolved, [])];
    this.overridden = this.name.includes('+');
    // $ref and $extends are kept as written and never applied: tools that apply them see more tokens.
    this.refers = /"\$(ref|extends)":/.test(JSON.stringify(this.source));
  }

  // The file that a stylesheet imports, by its absolute path.
  get cssFile() {
    return path.resolve(this.folder, 'tokens.css');
  }

  // Tokens of one type that have a custom property, each name once.
  declared(type) {
    const names = new Set(this.tokens.filter((t) => t.type === type).map((t) => this.customProperty(t.path)));
    return [...names].filter((name) => this.declarations.has(name));
  }

  // The name that the naming rule gives a token.
  customProperty(segments) {
    const parts = [this.prefix, ...segments.filter((s) => s !== '$root')].filter(Boolean);
    return '--' + parts.join('-').replace(/[^\p{L}\p{N}_\u{80}-\u{10ffff}-]/gu, '-');
  }

  // Tokens that have no custom property of exactly their name although nothing was reported. A type
  // style without size or family has properties for its parts alone.
  undeclared() {
    const names = [...this.declarations.keys()];
    return this.tokens.filter(({ path: segments, type }) => {
      const name = this.customProperty(segments);
      const parts = type === 'typography' && names.some((n) => n.startsWith(`${name}-font-`) || n.startsWith(`${name}-line-`) || n.startsWith(`${name}-letter-`));
      return !this.declarations.has(name) && !parts && !this.diagnostics[segments.join('.')];
    }).map((t) => t.path.join('.'));
  }

  // The value of a token in tokens.values.json, undefined where it has none.
  value(segments) {
    return segments.reduce((node, segment) => (node instanceof Object && Object.hasOwn(node, segment) ? node[segment] : undefined), this.values);
  }

  // The different values that tokens of one type have in tokens.values.json.
  valuesOf(type) {
    return [...new Set(this.tokens.filter((t) => t.type === type).map((t) => this.value(t.path)).filter((v) => v !== undefined))];
  }
}

function* tokensOf(node, segments) {
  if (Object.hasOwn(node, '$value')) {
    yield { path: segments, type: node.$type, value: node.$value };
    return;
  }
  for (const [name, child] of Object.entries(node)) {
    if (child instanceof Object && (!name.startsWith('$') || name === '$root')) yield* tokensOf(child, [...segments, name]);
  }
}

const colorForm = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$|^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/;

// The channels of a colour as tokens.values.json writes it. Throws where it is written otherwise.
export function channels(color) {
  const m = colorForm.exec(color);
  if (!m) throw new Error(`the colour ${JSON.stringify(color)} is neither #rrggbb nor rgba(r, g, b, a)`);
  return m[1] ? m.slice(1, 4).map((hex) => parseInt(hex, 16)) : m.slice(4, 7).map(Number);
}

// Throws where condition does not hold.
export function expect(condition, message) {
  if (!condition) throw new Error(message);
}

// Throws where a text holds what only a broken value leaves in it.
export function expectWhole(text, where) {
  const found = /.{0,40}(\bundefined\b|\bNaN\b|\[object ).{0,40}/.exec(text);
  expect(!found, `${where} holds ${found?.[0]}`);
}

// What a library printed while it did work: a warning of it counts as a refusal.
export async function silently(work) {
  const kept = { warn: console.warn, error: console.error };
  const said = [];
  console.warn = console.error = (...words) => said.push(words.join(' '));
  try {
    return [await work(), said];
  } finally {
    Object.assign(console, kept);
  }
}
