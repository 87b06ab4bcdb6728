// The stylesheets of a scheme and a contrast by Style Dictionary and Terrazzo: node modes.mjs <input.json> prints JSON.
// input: {document, maps: {"dark": {path: value}, "more": …, "dark,more": …}}.
import { build, defineConfig, Logger, parse } from '@terrazzo/parser';
import css from '@terrazzo/plugin-css';
import { readFileSync } from 'node:fs';
import StyleDictionary from 'style-dictionary';

const { document, maps } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const wraps = {
  '': (body) => `:root {\n${body}\n}\n`,
  dark: (body) => `@media (prefers-color-scheme: dark) {\n:root {\n${body}\n}\n}\n[data-scheme="dark"] {\n${body}\n}\n`,
  more: (body) => `@media (prefers-contrast: more) {\n:root {\n${body}\n}\n}\n[data-contrast="more"] {\n${body}\n}\n`,
  'dark,more': (body) =>
    `@media (prefers-color-scheme: dark) and (prefers-contrast: more) {\n:root {\n${body}\n}\n}\n[data-scheme="dark"][data-contrast="more"] {\n${body}\n}\n`,
};

// laid is the document with other values.
function laid(map) {
  const whole = structuredClone(document);
  for (const [path, value] of Object.entries(map)) {
    const token = path.split('.').reduce((at, key) => at?.[key], whole);
    if (token) token.$value = value;
  }
  return whole;
}

// only is the part of the document that a map changes.
function only(map) {
  const part = {};
  for (const [path, value] of Object.entries(map)) {
    let from = document, to = part, type;
    for (const key of path.split('.')) {
      from = from?.[key];
      type = from?.$type ?? type;
      to = to[key] ??= {};
    }
    if (from) Object.assign(to, { ...from, ...(type && { $type: type }), $value: value });
  }
  return part;
}

async function timed(make) {
  await make(); // with what is compiled at the first use
  const begun = process.cpuUsage();
  const text = await make();
  const { user, system } = process.cpuUsage(begun);
  return { text, milliseconds: (user + system) / 1000 };
}

const result = {};
result['Style Dictionary'] = await timed(async () => {
  let text = '';
  for (const [name, wrap] of Object.entries(wraps)) {
    const dictionary = new StyleDictionary({
      tokens: laid(maps[name] ?? {}),
      log: { warnings: 'disabled', verbosity: 'silent', errors: { brokenReferences: 'throw' } },
      platforms: { css: { transformGroup: 'css', files: [{ destination: 'tokens.css', format: 'css/variables', options: { showFileHeader: false } }] } },
    });
    const [file] = await dictionary.formatPlatform('css');
    text += wrap(file.output.slice(file.output.indexOf('{') + 2, file.output.lastIndexOf('\n}')));
  }
  return text;
});
result.Terrazzo = await timed(async () => {
  const cwd = new URL('file:///');
  const logger = new Logger({ level: 'error' });
  const inputs = { '': ['light', 'normal'], dark: ['dark', 'normal'], more: ['light', 'more'], 'dark,more': ['dark', 'more'] };
  const permutations = Object.entries(inputs).map(([name, [scheme, contrast]]) => ({ input: { scheme, contrast }, prepare: wraps[name] }));
  const config = defineConfig({ plugins: [css({ filename: 'tokens.css', permutations })], lint: { rules: {} } }, { cwd, logger });
  const src = JSON.stringify({
    version: '2025.10',
    sets: { base: { sources: [document] } },
    modifiers: {
      scheme: { contexts: { light: [], dark: [only(maps.dark)] }, default: 'light' },
      contrast: { contexts: { normal: [], more: [only(maps.more)] }, default: 'normal' },
    },
    resolutionOrder: [{ $ref: '#/sets/base' }, { $ref: '#/modifiers/scheme' }, { $ref: '#/modifiers/contrast' }],
  });
  const { tokens, sources, resolver } = await parse([{ filename: new URL('tokens.resolver.json', cwd), src }], { config, logger });
  const { outputFiles } = await build(tokens, { config, logger, sources, resolver });
  return outputFiles[0].contents;
});
console.log(JSON.stringify(result));
