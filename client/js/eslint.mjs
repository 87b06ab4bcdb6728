// A plugin of ESLint: names in scripts, and in components of Vue and Svelte, that the tokens do not have, with the nearest,
// and uses of deprecated tokens. The names are those of tokens.d.ts, which livery pull --format ts writes; what counts as unknown is
// what livery scan counts. Types: eslint.d.mts.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

const words = (list) => new Set(list.split(" "));

// By the namespaces of Tailwind's theme variables: the beginnings of the utilities that take them.
const utilities = Object.entries({
	color: "accent bg border border-b border-e border-l border-r border-s border-t border-x border-y caret decoration divide drop-shadow fill from inset-ring inset-shadow outline placeholder ring ring-offset shadow stroke text text-shadow to via",
	font: "font", "font-weight": "font", shadow: "shadow", ease: "ease", leading: "leading", tracking: "tracking", text: "text",
	radius: "rounded rounded-b rounded-bl rounded-br rounded-e rounded-ee rounded-es rounded-l rounded-r rounded-s rounded-se rounded-ss rounded-t rounded-tl rounded-tr",
	"inset-shadow": "inset-shadow", "drop-shadow": "drop-shadow", "text-shadow": "text-shadow", animate: "animate", aspect: "aspect", perspective: "perspective",
	breakpoint: "container max-w-screen min-w-screen w-screen", blur: "backdrop-blur blur", container: "basis columns max-w min-w w",
	spacing: "basis border-spacing border-spacing-x border-spacing-y bottom end gap gap-x gap-y h indent inset inset-x inset-y left leading m max-h max-w mb me min-h min-w ml mr ms mt mx my p pb pe pl pr ps pt px py right scroll-m scroll-mb scroll-me scroll-ml scroll-mr scroll-ms scroll-mt scroll-mx scroll-my scroll-p scroll-pb scroll-pe scroll-pl scroll-pr scroll-ps scroll-pt scroll-px scroll-py size space-x space-y start top translate translate-x translate-y translate-z w",
}).map(([namespace, list]) => [namespace, words(list)]);
const standalone = words("absolute antialiased block border capitalize contents fixed flex grid grow hidden inline inline-block inline-flex invisible isolate italic lowercase outline peer relative ring rounded shadow shrink sr-only static sticky table transition truncate underline uppercase visible");
const ownValues = words("amber auto b balance base be bl black blend blue bold bottom bounce br bs center clip collapse conic contain cover current cyan dashed distant dotted double dramatic dvh dvw e ee ellipsis emerald end es extrabold extralight fit fixed from fuchsia full gray green hidden in indigo inherit initial inner inset justify l left lg lh light lime linear local loose lvh lvw mauve max md medium midrange min mist mono near neutral no none normal nowrap offset olive orange origin out ping pink pretty prose pulse purple px r radial red relaxed repeat reverse right ring rose s sans screen scroll se semibold separate serif shadow sky slate sm snug solid spacing spin square ss start stone stretch svh svw t taupe teal thin tight tighter tl top tr transparent video violet wavy white wide wider widest wrap x xl xs y yellow z zinc");
const shades = words("50 100 200 300 400 500 600 700 800 900 950");

// By the types of tokens: namespaces, words that stand for their names, and where in the path one must stand, if anywhere. A
// token of no type may be of any, at the beginning: its value is not known here.
const untyped = words(" string text other link asset content custom-string textCase textDecoration mediaQuery");
const length = words("dimension spacing sizing size space borderRadius borderWidth fontSizes fontSize letterSpacing letterSpacings paragraphSpacing paragraphIndent radius");
const leading = words([...length].join(" ") + " number opacity percentage lineHeights lineHeight");
const shadow = words("shadow boxShadow"), none = new Set();
const namespaces = [
	["color", words("color"), ""], ["font-weight", words("fontWeight fontWeights"), ""], ["font", words("fontFamily fontFamilies"), "fontfamily fontfamilies"],
	["inset-shadow", shadow, "", "beginning"], ["drop-shadow", none, "", "beginning"], ["text-shadow", none, "", "beginning"],
	["shadow", shadow, "boxshadow"], ["ease", words("cubicBezier cubic-bezier"), ""], ["animate", none, "animation", "beginning"],
	["aspect", words("number"), "aspectratio", "beginning"], ["perspective", length, "", "beginning"],
	["leading", leading, "lineheight lineheights", "any"], ["tracking", length, "letterspacing", "any"], ["text", length, "fontsize fontsizes", "any"],
	["radius", length, "radii rounded borderradius cornerradius corner", "any"], ["breakpoint", length, "screen screens", "any"],
	["container", length, "", "any"], ["blur", length, "", "any"], ["spacing", length, "space gap padding margin size sizing inset", "any"],
];
const part = /^(text|font)-(.+--(?:line-height|letter-spacing|font-weight|font-feature-settings|font-variation-settings))$/;
const defaults = words("spacing radius blur shadow inset-shadow drop-shadow text-shadow");
const key = (name) => name.replaceAll("-", "").toLowerCase();

// The path without the first of some words that it begins with; undefined if it begins with none, or is one.
function without(segments, list) {
	for (const word of list) {
		for (const [i, name] of segments.slice(0, 2).entries()) {
			const before = segments.slice(0, i).join(""), after = segments.slice(i + 1);
			for (let k = 0; k < name.length - 1; k++) if (name[k] === "-" && key(before + name.slice(0, k)) === word) return [name.slice(k + 1), ...after];
			if (after.length && key(before + name) === word) return after;
		}
	}
}

// The namespace of Tailwind's theme variables that a token belongs to and its path there, as livery pull --format tailwind has it.
function utility(type, segments) {
	const [, whole, rest] = part.exec(cssName(segments)) ?? [];
	if (whole) return [whole, [rest]];
	for (const [name, types, list, where] of namespaces) {
		if (!types.has(type) && !untyped.has(type)) continue;
		if (segments.length === 1 && segments[0] === name && defaults.has(name)) return [name, []];
		const mine = [key(name), key(name) + "s", ...list.split(" ").filter(Boolean)], rest = without(segments, mine);
		if (rest) return [name, rest];
		const has = segments.some((s, i) => mine.includes(key(s)) || i && mine.includes(key(segments[i - 1] + s)));
		if (types.has(type) && (!where || where === "any" && has)) return [name, segments];
	}
}

function ownValue(value, inGroup) {
	const [first] = value.split("-", 1), rest = value.slice(first.length + 1);
	return first === "" || /^\d/.test(first) || ownValues.has(value) || ownValues.has(first) && (!inGroup || shades.has(rest));
}

const cssName = (segments) => segments.filter((s) => s !== "$root").map((s) => s.replace(/[^\w\u0080-\uffff-]/g, "-")).join("-");

function* shorter(name) {
	yield name;
	for (let i = 0; i < name.length; i++) if (!i || name[i] !== name[i - 1]) yield name.slice(0, i) + name.slice(i + 1);
}

// One slip makes b of a: a character that is missing, added or replaced, or two that are swapped, in a word of four letters or more.
function isSlip(a, b) {
	let same = 0;
	while (same < a.length && same < b.length && a[same] === b[same]) same++;
	const begin = /[^-.]*$/.exec(b.slice(0, same)).index, end = b.slice(same).search(/[-.]/);
	if ((end < 0 ? b.length : same + end) - begin < 4) return false;
	a = a.slice(same);
	b = b.slice(same);
	while (a && b && a.at(-1) === b.at(-1)) [a, b] = [a.slice(0, -1), b.slice(0, -1)];
	if (/\d/.test(a + b)) return false;
	return a.length <= 1 && b.length <= 1 || a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
}

class Slips {
	#by = new Map();

	constructor(names) {
		for (const name of names) {
			if (name.replace(/^-+/, "").length < 4) continue;
			for (const part of shorter(name)) this.#by.set(part, [...this.#by.get(part) ?? [], name]);
		}
	}

	near(name) {
		const found = new Set();
		for (const part of shorter(name)) for (const near of this.#by.get(part) ?? []) if (isSlip(name, near)) found.add(near);
		return [...found].sort();
	}
}

function distance(a, b) {
	let row = Array.from({ length: b.length + 1 }, (_, j) => j);
	for (let i = 0; i < a.length; i++) {
		const next = [i + 1];
		for (let j = 0; j < b.length; j++) next.push(Math.min(row[j] + (a[i] === b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1));
		row = next;
	}
	return row[b.length];
}

function nearest(name, names) {
	let best, least = Math.floor(name.length / 3) + 2;
	for (const other of names) {
		const d = distance(name.toLowerCase(), other.toLowerCase());
		if (d < least || d === least && best !== undefined && other < best) [best, least] = [other, d];
	}
	return best;
}

// What a Theme gives scripts to name, by tokens.d.ts.
class Names {
	properties = new Map(); // each: name -> whether its token is deprecated
	paths = new Map();
	variables = new Map();
	#groups = new Set();
	#stems = new Set();
	#prefix = "--";

	constructor(text) {
		const line = /^  \/\*\* (.*) \*\/\n  ("(?:[^"\\]|\\.)*"): \{ type: "([^"]*)"; property: (.*?); value:/gm;
		for (const [, comment, quoted, type, union] of text.matchAll(line)) {
			const path = JSON.parse(quoted), segments = path.split("."), deprecated = comment.includes(" @deprecated ");
			const properties = union.match(/--[^"]*/g) ?? [], at = properties[0]?.indexOf(cssName(segments));
			if (at > 2) this.#prefix = properties[0].slice(0, at);
			this.paths.set(path, deprecated);
			this.#groups.add(segments[0]);
			for (const name of properties) this.properties.set(name, deprecated);
			for (let k = 2; k < segments.length; k++) this.#stems.add(this.#prefix + cssName(segments.slice(0, k)));
			this.#utility(type, segments, deprecated);
		}
		this.slips = { property: new Slips(this.properties.keys()), path: new Slips(this.paths.keys()), variable: new Slips(this.variables.keys()) };
	}

	#variableStems = new Set();

	#utility(type, segments, deprecated) {
		const [name, rest] = utility(type, segments) ?? [], variable = `--${cssName([name ?? "", ...rest ?? []])}`;
		if (!name || this.variables.has(variable)) return;
		this.variables.set(variable, deprecated);
		for (let k = 1; k < rest.length; k++) this.#variableStems.add(`--${name}-${cssName(rest.slice(0, k))}`);
	}

	static #begins(name, stems) {
		for (let k = 2; k < name.length; k++) if (name[k] === "-" && stems.has(name.slice(0, k))) return true;
		return false;
	}

	static #ownVariable(name) {
		return utilities.some(([namespace]) => name.startsWith(`--${namespace}-`) && ownValue(name.slice(namespace.length + 3), true));
	}

	// Each says of a name: undefined, nothing is wrong; or { deprecated }, or { unknown, near: what it may be }.
	property(name, guarded) {
		const deprecated = this.properties.get(name) ?? this.variables.get(name);
		if (deprecated !== undefined) return deprecated ? { deprecated } : undefined;
		const near = this.slips.property.near(name);
		const ours = this.#prefix !== "--" && name.startsWith(this.#prefix) || !guarded && !Names.#ownVariable(name) && Names.#begins(name, this.#stems);
		return Names.#unknown("custom property", name, near, ours, this.properties);
	}

	path(name) {
		const deprecated = this.paths.get(name);
		if (deprecated !== undefined) return deprecated ? { deprecated } : undefined;
		const ours = name.includes(".") && this.#groups.has(name.split(".", 1)[0]);
		return Names.#unknown("path", name, this.slips.path.near(name), ours, this.paths);
	}

	class(name) {
		const { known, own, deprecated, near, inGroup } = this.meaning(name);
		if (known || own) return deprecated ? { deprecated } : undefined;
		return Names.#unknown("class", name, [...new Set(near)].sort(), inGroup, new Map());
	}

	meaning(name) {
		const found = { near: [] };
		if (standalone.has(name)) return { ...found, own: true };
		for (let k = 1; k < name.length - 1; k++) {
			if (name[k] !== "-") continue;
			const utility = name.slice(0, k), value = name.slice(k + 1);
			for (const [namespace, list] of utilities) {
				if (!list.has(utility)) continue;
				const variable = `--${namespace}-${value}`, inGroup = Names.#begins(variable, this.#variableStems);
				if (this.variables.has(variable)) {
					found.known = true;
					found.deprecated ||= this.variables.get(variable);
				} else if (ownValue(value, inGroup)) found.own = true;
				else {
					found.inGroup ||= inGroup;
					for (const near of this.slips.variable.near(variable)) {
						const rest = near.slice(namespace.length + 3);
						if (near.startsWith(`--${namespace}-`) && rest.length >= 4) found.near.push(`${utility}-${rest}`);
					}
				}
			}
		}
		return found;
	}

	static #unknown(kind, name, near, ours, all) {
		if (near.length) return { unknown: kind, near };
		if (!ours) return;
		const other = nearest(name, all.keys());
		return { unknown: kind, near: other ? [other] : [], far: true };
	}
}

const held = new Map(); // by file: { changed, names }

function namesOf(file) {
	const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
	if (!changed) throw new Error(`@livery/theme/eslint: ${file} is missing: livery pull --format ts --out writes it, and settings.livery.tokens names it`);
	if (held.get(file)?.changed !== changed) held.set(file, { changed, names: new Names(readFileSync(file, "utf8")) });
	return held.get(file).names;
}

const asked = /(?:\bvar\(\s*|-[([]\s*(?:[a-z]+:)?)(--[\w\u0080-\uffff-]+)/g;
const declared = /(--[\w\u0080-\uffff-]+)(?:["'`]?(?:\s+as\s+\w+)?\s*\]?\s*:(?!:)|=)|setProperty\(\s*["'`](--[\w\u0080-\uffff-]+)/g;
const oneClass = /(?<=[\s"'`:!}]-*)(?<![\w-])([A-Za-z0-9_\u0080-\uffff][\w\u0080-\uffff-]*)(?=[\s"'`/!;}=\\])/g;
const styleBlock = /<style\b[^>]*>([^]*?)<\/style>/g; // of a component
const selector = /\.([A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*)/g;
const takers = /class|^(?:cn|clsx|cva|cx|tv|twMerge|twJoin)$/i;

const nameOf = (node) => node?.name?.name ?? node?.name ?? node?.property?.name ?? node?.key?.name ?? node?.value;

// Whether a string is given to what takes classes.
function takesClasses(node) {
	for (let at = node.parent; at && !/Statement$|Function|Program/.test(at.type); at = at.parent) {
		const name = { CallExpression: at.callee, JSXAttribute: at.name, VAttribute: at.key?.argument ?? at.key, SvelteAttribute: at.key, Property: at.key, VariableDeclarator: at.id, TaggedTemplateExpression: at.tag }[at.type];
		const text = nameOf(name);
		if (typeof text === "string" && takers.test(text)) return true;
	}
	return false;
}

function rule(docs, wanted) {
	return {
		meta: {
			type: "problem", docs: { description: docs }, fixable: "code", schema: [],
			messages: { unknown: "{{name}} is not a {{kind}} of a token", near: "{{name}} is not a {{kind}} of a token; did you mean {{near}}?", deprecated: "the token of {{name}} is deprecated" },
		},
		create(context) {
			const code = context.sourceCode, file = resolve(context.cwd, context.settings.livery?.tokens ?? "src/tokens.d.ts");
			const names = namesOf(file), own = new Set(), styled = new Set();
			const inTemplates = code.parserServices?.defineTemplateBodyVisitor; // of the parser of Vue
			const isComponent = inTemplates || code.parserServices?.isSvelte;
			for (const found of code.text.matchAll(declared)) own.add(found[1] ?? found[2]);
			if (isComponent) for (const found of code.text.matchAll(selector)) styled.add(found[1]);

			function say(found, name, start) {
				if (!found || Boolean(found.unknown) !== (wanted === "unknown")) return;
				const end = start + name.length, [near] = found.near ?? [];
				context.report({
					loc: { start: code.getLocFromIndex(start), end: code.getLocFromIndex(end) },
					messageId: found.unknown ? near ? "near" : "unknown" : "deprecated",
					data: { name, kind: found.unknown, near },
					fix: found.near?.length === 1 && !found.far ? (fixer) => fixer.replaceTextRange([start, end], near) : null,
				});
			}

			function readProperties(text, begin) {
				for (const found of text.matchAll(asked)) {
					const name = found[1], start = found.index + found[0].length - name.length, after = text.slice(start + name.length);
					if (own.has(name) || name.endsWith("-") || /^(?:[$#@]\{|\\)/.test(after)) continue; // a program makes the rest
					const guarded = /^\s*,/.test(after) || /--[\w\u0080-\uffff-]*\s*,\s*var\(\s*$/.test(text.slice(0, start));
					say(names.property(name, guarded), name, begin + start);
				}
			}

			// The node has quotes, or is wider by those of its parent.
			function read(node, wider = 0) {
				const begin = node.range[0] - wider, text = code.text.slice(begin, node.range[1] + wider);
				readProperties(text, begin);
				readClasses(node, text, begin);
				const value = text.slice(1, -1), whole = node.type === "TemplateElement" ? node.parent : node;
				if (whole.type === "TemplateLiteral" && whole.expressions.length) return;
				const call = whole.parent?.type === "CallExpression" && whole.parent.arguments[0] === whole && nameOf(whole.parent.callee);
				if (call === "getPropertyValue" && value.startsWith("--") && !own.has(value)) say(names.property(value), value, begin + 1);
				const member = whole.parent?.type === "MemberExpression" && whole.parent.property === whole && nameOf(whole.parent.object);
				if (call === "cssVar" || call === "token" || member === "tokens") say(names.path(value), value, begin + 1);
			}

			// Without a node everything is a class.
			function readClasses(node, text, begin) {
				const list = [...text.matchAll(oneClass)].filter(([name]) => name.includes("-") && !styled.has(name));
				const wrong = list.map((found) => [found[0], found.index, names.class(found[0])]).filter(([, , what]) => what);
				if (!wrong.length) return;
				const among = !node || takesClasses(node) || text.slice(1, -1).split(/\s+/).some((one) => {
					const { own, known } = names.meaning(one.slice(one.lastIndexOf(":") + 1));
					return own || known;
				});
				for (const [name, index, found] of wrong) if (among) say(found, name, begin + index);
			}

			// The stylesheets of a component, which its parser leaves as they are.
			function readStyles() {
				for (const block of code.text.matchAll(styleBlock)) {
					const css = block[1].replace(/\/\*[^]*?\*\//g, (comment) => " ".repeat(comment.length));
					const begin = block.index + block[0].length - "</style>".length - css.length;
					readProperties(css, begin);
					for (const list of css.matchAll(/@apply\s[^;}]*[;}]/g)) readClasses(undefined, list[0], begin + list.index);
				}
			}

			const strings = { Literal: (node) => typeof node.value === "string" && read(node), TemplateElement: (node) => read(node) };
			if (!isComponent) return strings;
			const scripts = { ...strings, Program: readStyles };
			if (inTemplates) return inTemplates({ ...strings, VLiteral: (node) => read(node) }, scripts);
			return {
				...scripts,
				SvelteLiteral: (node) => read(node, 1),
				"SvelteDirective[kind='Class']"({ key: { name: { range } } }) {
					readClasses(undefined, code.text.slice(range[0] - 1, range[1] + 1), range[0] - 1);
				},
			};
		},
	};
}

const plugin = {
	meta: { name: "@livery/theme" },
	rules: {
		"unknown-token": rule("names that the tokens do not have", "unknown"),
		"deprecated-token": rule("uses of deprecated tokens", "deprecated"),
	},
	configs: {},
};
plugin.configs.recommended = { plugins: { livery: plugin }, rules: { "livery/unknown-token": "error", "livery/deprecated-token": "warn" } };

export default plugin;
