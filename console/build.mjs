// Builds console/dist from console/src. The same sources and lock file give the same bytes.
import { gzipAsync } from "@gfx/zopfli";
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { minify } from "terser";
import { ordered, search } from "./order.mjs";
import { unused } from "./unused.mjs";

for (const name of ["uncaughtException", "unhandledRejection"]) process.removeAllListeners(name); // zopfli's print its source

const here = new URL(".", import.meta.url).pathname;
const limit = 60 << 10; // bytes of script and style after gzip
const options = {
	absWorkingDir: here,
	bundle: true,
	minifySyntax: true,
	minifyWhitespace: true, // names stay until the end: order.txt has them
	format: "esm",
	target: ["chrome120", "firefox128", "safari17.4"],
	jsx: "transform",
	jsxFactory: "createElement",
	jsxFragment: "Fragment",
	inject: ["src/jsx.ts"],
	tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "createElement", jsxFragmentFactory: "Fragment" } },
	outdir: "dist/assets",
	legalComments: "none",
	charset: "utf8",
	external: ["/console/*"],
	write: false,
	plugins: [unused, {
		name: "smaller",
		setup(b) {
			b.onLoad({ filter: /theme\.css$/ }, ({ path }) => ({ loader: "css", contents: used(readFileSync(path, "utf8")) }));
			b.onLoad({ filter: /\.tsx$/ }, ({ path }) => ({ loader: "tsx", contents: named(path, (name) => classes.get(name) ?? name) }));
		},
	}],
};
// Members that only the sources name: neither the API, nor the browser, nor the samples, nor a text. They get short names.
const own = "along among branded brands byOthers byPath changedByOthers column conflicts counted depth doubtful fault groupAt hasDraft heads hiding identical inverse large look looks mayEdit mine missing named near ofVariant onAdd onChoose onClose onCommit onConfirm onDone onEdit onLook onMade onPreview onRemove onSaved onSecret onSelect onSlide onStale pairs panes places problem problems pure redo redoable removal rename requestID review revision route settle sight situation specimens structural theirs themeDraft typeAfter typeBefore undo undoable usedBy usedThrough users wanted wide wrong".split(" ");

// Classes of the sheet that have a short name in the bundle: those that markup names, but not what a part of the page makes
// up as it runs, and what tests look for.
const kept = "primary plain danger quiet success warning accent badge loading look-file look-frame look-part look-state menu notice tabs token-detail token-row token-table tools input visually-hidden";
const classes = new Map();
for (const path of walk("src").filter((name) => name.endsWith(".tsx"))) {
	named(here + path, (name) => {
		if (!kept.split(" ").includes(name)) classes.set(name, classes.get(name) ?? shortName(classes.size));
		return name;
	});
}

rmSync(`${here}dist`, { recursive: true, force: true });
mkdirSync(`${here}dist/assets`, { recursive: true });
let bytes = 0;
const names = {};
const worker = await build({ ...options, inject: [], entryPoints: ["src/preview.worker.ts"] });
const previewWorker = JSON.stringify(`/console/assets/${await put("preview", worker.outputFiles[0])}`);
const catalogueAddress = await content("integrations", "views/settings/integrations.json");
const samplesAddress = await content("samples", "views/look/samples.html");
const page = await build({ ...options, entryPoints: ["src/main.tsx"], define: { "process.env.NODE_ENV": '"production"', previewWorker, catalogueAddress, samplesAddress } });
for (const file of page.outputFiles) names[extname(file.path)] = await put("console", file);
writeFileSync(`${here}dist/index.html`, readFileSync(`${here}src/index.html`, "utf8").replace(/console(\.(?:js|css))/g, (_, kind) => names[kind]));
writeFileSync(`${here}dist/sources.sha256`, `${sources()}\n`);
console.log(`console/dist: ${bytes} bytes of script and style in gzip, at most ${limit}`);

// Writes a file of the bundle as small as it gets, and returns the name under which the origin serves it: its digest is of
// what is served.
async function put(name, { path, text }) {
	const kind = extname(path);
	const contents = Buffer.from(kind === ".js" ? await smaller(text) : kind === ".css" ? shorter(text) : kind === ".json" ? JSON.stringify(JSON.parse(text)) : text);
	const served = `${name}-${createHash("sha256").update(contents).digest("hex").slice(0, 8)}${kind}`;
	const packed = await gzipAsync(contents, { numiterations: 60 }); // without a name or a time
	writeFileSync(`${here}dist/assets/${served}.gz`, packed);
	if (kind === ".js" || kind === ".css") bytes += packed.length;
	return served;
}

// Writes what is neither script nor style of the console, and what one view loads; it returns the address as an expression.
async function content(name, path) {
	return JSON.stringify(`/console/assets/${await put(name, { path, text: readFileSync(`${here}src/${path}`, "utf8").replace(/(?<= class=")[^"]*/g, (names) => names.replace(/[\w-]+/g, (name) => classes.get(name) ?? name)) })}`);
}

// The theme with those of its custom properties that a source names.
function used(theme) {
	const names = new Set();
	for (const e of readdirSync(`${here}src`, { recursive: true, withFileTypes: true })) {
		if (!/\.(css|tsx?)$/.test(e.name) || e.name === "theme.css" || e.name === "schema.d.ts") continue;
		for (const [name] of readFileSync(`${e.parentPath}/${e.name}`, "utf8").matchAll(/--ui-[\w-]+/g)) names.add(name);
	}
	return theme.replace(/^\s*(--ui-[\w-]+):.*\n/gm, (line, name) => (names.has(name) ? line : ""));
}

// A source with other names for the classes that its markup names.
function named(path, of) {
	const source = readFileSync(path, "utf8");
	const words = (text) => text.replace(/[\w-]+/g, of);
	const strings = (code) => code.replace(/"[^"]*"/g, words);
	// A word beside ${ or } is a part of a class that is made up as the page runs.
	const template = (text) => text.replace(/\$\{[^}]*\}|[\w-]+/g, (word, at) => (word[0] === "$" || text[at - 1] === "}" || text.startsWith("${", at + word.length) ? word : of(word)));
	const value = (code) => strings(code.replace(/`[^`]*`/g, template));
	return path.includes("/test/") ? source : source.replace(/(?<=\sclass=)("[^"]*"|\{(`[^`]*`|[^`{}])*\})/g, value);
}

function shortName(n) {
	const letters = "abcdefghijklmnopqrstuvwxyz";
	return n < 26 ? letters[n] : letters[n % 26] + Math.floor(n / 26);
}

// The sheet with short names for custom properties of the theme, which no script names, and for classes, without spaces
// that say nothing. A custom property that is used once gives its value there.
function shorter(sheet) {
	const names = new Map();
	for (const [declaration, name, value] of sheet.matchAll(/(--ui-[\w-]+):\s*([^;}]+);?/g)) {
		if (new RegExp(`${name}(?![\\w-])`, "g")[Symbol.match](sheet).length === 2) sheet = sheet.replace(declaration, "").replace(`var(${name})`, value);
	}
	return sheet
		.replace(/--(ui|scheme)[\w.\\-]+/g, (name) => {
			if (!names.has(name)) names.set(name, `--${names.size.toString(36)}`);
			return names.get(name);
		})
		.replace(/\.([a-z][\w-]*)/g, (all, name) => (classes.has(name) ? `.${classes.get(name)}` : all))
		.replace(/(--\w+): (?=[^;}])/g, "$1:")
		.replaceAll(", ", ",");
}

async function smaller(script) {
	const api = readFileSync(`${here}src/api/schema.d.ts`, "utf8").replace(/\/\*[^]*?\*\//g, "");
	const hooks = readFileSync(`${here}src/views/look/samples.html`, "utf8").match(/(?<=data-)\w+/g);
	const foreign = own.filter((name) => hooks.includes(name) || new RegExp(`\\b${name}\\b`).test(api) || new RegExp(`["'\`]${name}["'\`]`).test(script));
	if (foreign.length > 0) throw new Error(`${foreign} are not of the sources alone`);
	const nameCache = {};
	const { code } = await minify(script, { module: true, ecma: 2020, nameCache, compress: { passes: 3, unsafe: true, unsafe_arrows: true, pure_getters: true, lhs_constants: false }, mangle: { properties: { regex: new RegExp(`^(${own.join("|")}|_[a-z]\\w+|__hooks)$`), keep_quoted: true } } });
	const names = new Map(Object.entries(nameCache.vars?.props ?? {}).map(([name, short]) => [short, name.slice(1)]));
	if (process.argv[2] && names.size > 100) console.log(`order.txt: ${search(code, names, Number(process.argv[2]))} bytes of script in gzip`);
	return ordered(code, names);
}

function walk(dir) {
	return readdirSync(here + dir, { recursive: true, withFileTypes: true }).filter((e) => e.isFile() && e.name !== "schema.d.ts").map((e) => `${e.parentPath}/${e.name}`.slice(here.length));
}

// What the bundle is made of, in one digest: a test of the package compares it with the files that are there.
function sources() {
	const all = createHash("sha256");
	for (const name of [...walk("src"), "build.mjs", "order.mjs", "order.txt", "package-lock.json", "unused.mjs"].sort()) {
		all.update(`${name}\n`);
		all.update(createHash("sha256").update(readFileSync(here + name)).digest("hex"));
	}
	return all.digest("hex");
}

if (bytes > limit) {
	console.error(`The console is ${bytes - limit} bytes too large: look at what a view imports.`);
	process.exit(1);
}
