// Leaves out of Preact and of its signals what the page has no use for, as it is bundled: reading markup that a server
// made, Suspense, portals, contexts, error boundaries, MathML, markup as text, members of classes that no view has, what
// effects do at their end, and the notes of a batch that changes nothing. Both are built from their sources, in which
// parts have names, and each cut says what it expects: a release that reads otherwise fails the build.
import { readFileSync } from "node:fs";

// Members that nothing of the page has, and conditions that never hold on it. They read as undefined or false, and the
// minifier drops what depends on them.
const absent = "getDerivedStateFromProps getDerivedStateFromError getChildContext getSnapshotBeforeUpdate componentWillMount componentDidMount componentWillReceiveProps componentWillUpdate componentDidUpdate componentDidCatch".split(" ");
const never = [
	/(\w+\.)*\w+\._flags & (MODE_HYDRATE|MODE_SUSPENDED|REF_DETACHED)/g,
	/c(omponent)?\._bits & COMPONENT_(PENDING_ERROR|PROCESSING_EXCEPTION)/g,
	/(\w+\.)*(props|newProps)\._parentDom/g,
	/\w+\.nodeType == [89]/g,
	/i == 'dangerouslySetInnerHTML'/g,
	/nodeType == '(math|foreignObject|template)'/g,
	/namespace == MATH_NAMESPACE/g,
	/\w+\.constructor === String/g,
	/i == '(value|checked)' && 'default(Value|Checked)' in newProps/g,
	/newProps\.is\b/g,
	/e && e\.then/g,
	/options\.(_root|_hydrationMismatch|event|_hook|_skipEffects|requestAnimationFrame)(?! =[^=])/g,
];

// Parts of the sources, without comments and on one line, and what stands in their place.
const cuts = {
	"preact/src/diff/index.js": [
		[" excessDomChildren, commitQueue, oldDom, isHydrating, refQueue", " commitQueue, oldDom, refQueue"],
		[" excessDomChildren, commitQueue, isHydrating, refQueue, parentDom", " commitQueue, refQueue, parentDom"],
		[" excessDomChildren, commitQueue, excessDomChildren ? excessDomChildren[0] : oldVNode._children && getDomSibling(oldVNode, 0), isHydrating, refQueue", " commitQueue, oldVNode._children && getDomSibling(oldVNode, 0), refQueue"],
		["excessDomChildren = nodeType == 'textarea' && newProps.defaultValue != NULL ? NULL : excessDomChildren && slice.call(parentDom.childNodes);"],
		["isHydrating = excessDomChildren = NULL;"],
		["(isHydrating = false)", "false"],
		["resumed = excessDomChildren = [];"],
		["newVNode._flags |= isHydrating;"],
		["excessDomChildren = NULL;"],
		["isHydrating = false;"],
		["newVNode._flags &= RESET_MODE;"],
		["if (resumed) resumed.some(removeNode);"],
		["parentDom.ownerDocument || document", "document"],
		["EMPTY_ARR.push.apply(c._renderCallbacks, c._stateCallbacks); c._stateCallbacks = [];"],
		["c._stateCallbacks = [];"],
		["if (!c._nextState) c._nextState = c.state;"],
		["if (!c.state) c.state = {};"],
		["c.state = c._nextState;"],
		["(c.state = c._nextState)", "undefined"],
		["c._nextState", "undefined"],
		["tmp = newType.contextType; const provider = tmp && globalContext[tmp._id]; const componentContext = tmp ? provider ? provider.props.value : tmp._defaultValue : globalContext;"],
		["if (provider) provider.sub(c);"],
		["c._globalContext = globalContext;"],
		["c.context = componentContext;"],
		[", c.context)", ")"],
		[/, componentContext\b/g],
		["skipRemove && !false", "skipRemove"],
		["r._parentDom = r._globalContext = NULL", "r._parentDom = NULL"],
		[" globalContext,"],
		["(props, state, context) { return this.constructor(props, context)", "(props) { return this.constructor(props)"],
		["if (value) value._refCleanup = ref(value) || 1; else if ( owner && (owner = owner._component || owner._dom) && (value = owner._refCleanup) ) { owner._refCleanup = NULL; if (typeof value == 'function') value(); else ref(NULL); }", "ref(value);"],
		["(r = vnode._component) && (r = r._excess) && (end = rangeEnd(r, (nodes = [])))", "false"],
		[/\bexcessDomChildren\b/g, "null"],
		[/\bisHydrating\b/g, "false"],
	],
	"preact/src/diff/children.js": [[" globalContext,"], [" excessDomChildren, commitQueue, oldDom, isHydrating, refQueue", " commitQueue, oldDom, refQueue"]],
	"preact/src/diff/catch-error.js": [[/try \{ ctor = .*? catch \(e\) \{ error = e; \}/g]],
	"preact/src/diff/props.js": [
		["if (typeof value == 'string') { dom.style.cssText = value; } else { if (typeof oldValue == 'string') { dom.style.cssText = oldValue = ''; } if (oldValue)", "{ if (oldValue)"],
		["if (key[0] == '-') { style.setProperty(key, value); } else { style[key] = value; }", "style[key] = value;"],
		["if (typeof value == 'function') return;"],
		["name == 'popover' && value == true ? '' : value", "value"],
		[/name != '(width|height|form|download|rowSpan)' && /g],
		["name = name.replace(/xlink(H|:h)/, 'h').replace(/sName$/, 's');"],
		["useCapture = name != (name = name.replace(CAPTURE_REGEX, '$1'));"],
		[", proxy, useCapture", ", proxy"],
	],
	"preact/src/component.js": [
		["let s = this._nextState; if (!s || s == this.state) { s = this._nextState = assign({}, this.state); } if (typeof update == 'function') { update = update(assign({}, s), this.props); } if (update) { assign(s, update); } else { return; }"],
		["if (callback) { this._stateCallbacks.push(callback); }"],
		["if (callback) this._renderCallbacks.push(callback);"],
		["(update, callback)", "()"],
		["(callback)", "()"],
		["component._globalContext,"],
		["this.context = context;"],
		["(props, context)", "(props)"],
		["false ? [oldDom] : NULL, commitQueue, oldDom || getDomSibling(oldVNode), false, refQueue", "commitQueue, oldDom || getDomSibling(oldVNode), refQueue"],
		[" || prevDebounce != options.debounceRendering"],
		["prevDebounce = options.debounceRendering;"],
		["(prevDebounce || queueMicrotask)(process)", "queueMicrotask(process)"],
	],
	"preact/src/render.js": [
		["let isHydrating = vnode && false;"],
		["let oldVNode = isHydrating ? NULL : parentDom._children;"],
		["oldVNode || EMPTY_OBJ, EMPTY_OBJ,", "EMPTY_OBJ,"],
		["oldVNode ? NULL : parentDom.firstChild ? slice.call(parentDom.childNodes) : NULL, commitQueue, oldVNode ? oldVNode._dom : parentDom.firstChild, isHydrating, refQueue", "commitQueue, NULL, refQueue"],
	],
	"preact/hooks/src/index.js": [
		[/let old\w+ = options\.\w+;|if \(old\w+\) old\w+\([^)]*\);/g],
		[/options\._root = \(vnode, parentDom\) => \{.*?\}; /g],
		[/(let )?currentHook = \d+;/g],
		["if (errorParent === undefined) { errorParent = vnode._parent; while ( errorParent && !(errorParent._component && errorParent._component._parentDom) ) { errorParent = errorParent._parent; } errorParent = errorParent && errorParent._component; }"],
		["let hasErrored, errorParent;", "let hasErrored;"],
		["s._passive = errorParent;"],
		["component = (component._passive); options._catchError(e, { _parent: component && component._vnode });", "options._catchError(e, {});"],
		["if (HAS_RAF) "],
		["!init ? invokeOrReturn(undefined, initialState) : init(initialState)", "invokeOrReturn(undefined, initialState)"],
		["hookState._reducer = reducer;"],
		["hookState._reducer(currentValue, action)", "invokeOrReturn(currentValue, action)"],
		["useReducer(invokeOrReturn, initialState)", "useReducer(initialState)"],
		["useReducer(reducer, initialState, init)", "useReducer(initialState)"],
		[" || prevRaf != false"],
		["prevRaf = false;"],
		["(prevRaf || afterNextFrame)(flush", "afterNextFrame(flush"],
	],
	"@preact/signals-core/src/index.ts": [
		["if (evalContext !== this) { throw new Error(\"Out-of-order effect\"); }"],
		[/this\._(node|targets|sources|nextBatchedEffect) = undefined;/g],
		[/ _(nextSource|prevTarget|nextTarget): undefined,/g],
		["Signal.prototype.brand = BRAND_SYMBOL;"],
		["reconcileBatchSnapshots();"],
		["recordBatchSnapshot(this);"],
		["currentBatchSnapshotVersion = ++batchSnapshotVersion;"],
		["this._batchSnapshotVersion = 0;"],
		["const cleanup = this._fn(); if (typeof cleanup === \"function\") { this._cleanup = cleanup; }", "this._fn();"],
		["this._cleanup = undefined;"],
		[/cleanupEffect\((this|effect)\);/g],
		["this._watched = options?.watched; this._unwatched = options?.unwatched;"],
		["this.name = options?.name;"],
		[/untracked\(\(\) => \{ this\._(un)?watched\?\.call\(this\); \}\);/g],
		[/Signal\.prototype\.(subscribe|valueOf|toString|toJSON|peek) = function.*?\}; (?=Signal|Object)/g],
		["if (capturedEffects) { capturedEffects.push(this); }"],
		["(dispose as any)[Symbol.dispose] = dispose;"],
		["Effect.prototype.dispose = function () { this._dispose(); };"],
	],
};

const kinds = { preact: "preact/src/index.js", "preact/hooks": "preact/hooks/src/index.js", "@preact/signals-core": "@preact/signals-core/src/index.ts" };

/** unused is the plugin of the bundler. */
export const unused = {
	name: "unused",
	setup(b) {
		const root = `${b.initialOptions.absWorkingDir}node_modules/`;
		b.onResolve({ filter: /^(preact|@preact)\b/ }, ({ path }) => ({ path: root + kinds[path], sideEffects: path === "preact/hooks" }));
		b.onLoad({ filter: /\/node_modules\/@?preact\// }, ({ path }) => ({ loader: path.endsWith("ts") ? "ts" : "js", contents: without(path.split("/node_modules/").at(-1), readFileSync(path, "utf8")) }));
	},
};

function without(name, source) {
	let text = source.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$|\/\/ .*$/gm, "").replace(/\s+/g, " ");
	if (name.startsWith("preact/")) {
		for (const rule of never) text = text.replace(rule, "false");
		text = text.replace(new RegExp(`\\b\\w+\\.(${absent.join("|")})\\b`, "g"), "undefined");
	}
	for (const [from, to = ""] of cuts[name] ?? []) {
		const cut = text.replaceAll(from, to);
		if (cut === text) throw new Error(`${name} has no ${from}`);
		text = cut;
	}
	return text;
}
