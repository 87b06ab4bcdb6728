// Builds console/dist from console/src. The same sources and lock file give the same bytes.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { minify } from "terser";

const here = new URL(".", import.meta.url).pathname;
const limit = 72 << 10; // bytes of script and style after gzip
const options = {
	absWorkingDir: here,
	bundle: true,
	minify: true,
	format: "esm",
	target: ["chrome120", "firefox121", "safari17.4"],
	jsx: "transform",
	jsxFactory: "createElement",
	jsxFragment: "Fragment",
	inject: ["src/jsx.ts"],
	tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "createElement", jsxFragmentFactory: "Fragment" } },
	outdir: "dist/assets",
	entryNames: "console-[hash]",
	legalComments: "none",
	charset: "utf8",
	external: ["/console/*"],
	write: false,
	plugins: [{ name: "theme", setup: (b) => b.onLoad({ filter: /theme\.css$/ }, ({ path }) => ({ loader: "css", contents: used(readFileSync(path, "utf8")) })) }],
};
const worker = await build({ ...options, inject: [], entryPoints: ["src/preview.worker.ts"], entryNames: "preview-[hash]" });
const workerName = worker.outputFiles[0].path.slice(`${here}dist`.length);
const page = await build({
	...options,
	entryPoints: ["src/main.tsx"],
	define: { "process.env.NODE_ENV": '"production"', previewWorker: JSON.stringify(`/console${workerName}`) },
});
const outputFiles = [...worker.outputFiles, ...page.outputFiles];

rmSync(`${here}dist`, { recursive: true, force: true });
mkdirSync(`${here}dist/assets`, { recursive: true });
const names = {};
let bytes = 0;
for (const { path, contents: raw, text } of outputFiles) {
	const contents = path.endsWith(".js") ? await smaller(text) : path.endsWith(".css") ? Buffer.from(shorter(text)) : raw;
	writeFileSync(path, contents);
	names[path.slice(path.lastIndexOf(".") + 1)] = path.slice(path.lastIndexOf("/") + 1);
	bytes += gzipSync(contents, { level: 9 }).length;
}
writeFileSync(
	`${here}dist/index.html`,
	readFileSync(`${here}src/index.html`, "utf8").replace(/console\.(js|css)/g, (_, kind) => names[kind]),
);
const digest = createHash("sha256");
for (const { contents } of outputFiles) digest.update(contents);
writeFileSync(`${here}dist/sources.sha256`, `${sources()}\n`);
console.log(`console/dist: ${bytes} bytes of script and style after gzip, at most ${limit}; sha256 ${digest.digest("hex").slice(0, 16)}`);

// The theme with those of its custom properties that a source names.
function used(theme) {
	const names = new Set();
	for (const e of readdirSync(`${here}src`, { recursive: true, withFileTypes: true })) {
		if (!/\.(css|tsx?)$/.test(e.name) || e.name === "theme.css" || e.name === "schema.d.ts") continue;
		for (const [name] of readFileSync(`${e.parentPath}/${e.name}`, "utf8").matchAll(/--ui-[\w-]+/g)) names.add(name);
	}
	return theme.replace(/^\s*(--ui-[\w-]+):.*\n/gm, (line, name) => (names.has(name) ? line : ""));
}

// The sheet with a short name for each custom property of the theme: no script names one.
function shorter(sheet) {
	const names = new Map();
	return sheet.replace(/--(ui|scheme)[\w.\\-]+/g, (name) => {
		if (!names.has(name)) names.set(name, `--${names.size.toString(36)}`);
		return names.get(name);
	});
}

async function smaller(script) {
	const { code } = await minify(script, { module: true, ecma: 2020, compress: { passes: 3, unsafe_arrows: true, pure_getters: true }, mangle: true });
	return Buffer.from(code);
}

function walk(dir) {
	return readdirSync(here + dir, { recursive: true, withFileTypes: true }).filter((e) => e.isFile() && e.name !== "schema.d.ts").map((e) => `${e.parentPath}/${e.name}`.slice(here.length));
}

// What the bundle is made of, in one digest: a test of the package compares it with the files that are there.
function sources() {
	const all = createHash("sha256");
	for (const name of [...walk("src"), "build.mjs", "package-lock.json"].sort()) {
		all.update(`${name}\n`);
		all.update(createHash("sha256").update(readFileSync(here + name)).digest("hex"));
	}
	return all.digest("hex");
}

if (bytes > limit) {
	console.error(`The console is ${bytes - limit} bytes too large: look at what a view imports.`);
	process.exit(1);
}
