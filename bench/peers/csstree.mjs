// What css-tree reads in stylesheets: node csstree.mjs <sheets.json> prints JSON. sheets.json: {name: text}; the answer:
// {name: {errors: [message], declarations}}. Values of custom properties are parsed too.
import { parse, walk } from 'css-tree';
import { readFileSync } from 'node:fs';

const result = {};
for (const [name, text] of Object.entries(JSON.parse(readFileSync(process.argv[2], 'utf8')))) {
  const errors = [];
  let declarations = 0;
  const tree = parse(text, { parseCustomProperty: true, onParseError: (error) => errors.push(error.formattedMessage) });
  walk(tree, { visit: 'Declaration', enter: () => { declarations++; } });
  result[name] = { errors, declarations };
}
console.log(JSON.stringify(result));
