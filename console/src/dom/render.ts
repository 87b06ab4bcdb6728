// Draws components into the page, and changes of what was drawn only what is another. It has the part of Preact's
// interface that the console uses; what it does, and when, is as there.
import { observe, unwatch, watcher, type Watcher } from "../state/signal";
import { begin, drawn, end, type Hook } from "./hooks";
import { setProperty } from "./properties";

type Props = Record<string, unknown> & { children?: unknown };
type View = ((props: Props) => unknown) & { pure?: boolean };
type Ref = ((e: Element | null) => void) | { current: unknown };

/** What JSX makes: an element, a text, a fragment or a component. */
interface Node {
	type: string | View | null; // null: a text, which is its props
	props: Props;
	key: unknown;
	ref?: Ref;
	kids: readonly (Node | null)[];
	up?: Node; // while it is in the page, or about to be
	at: number; // among the kids of up
	dom?: Element | Text;
	view?: Drawn;
	taken: boolean; // by one of the new kids
}

/** A component that is in the page. */
export interface Drawn {
	node?: Node; // none at its end
	host: Element;
	svg: boolean;
	hooks: Hook[];
	effects: Hook[]; // that wait for the page to be shown
	layout: Hook[];
	stale: boolean;
	watcher: Watcher;
	/** Has it drawn again soon. */
	again: () => void;
}

export const Fragment: View = (props) => props.children;

const nodeOf = (type: Node["type"], props: Props, key?: unknown, ref?: Ref): Node => ({ type, props, key, ref, kids: [], up: undefined, at: 0, dom: undefined, view: undefined, taken: false });

export function createElement(type: string | View, all: (Props & { key?: unknown; ref?: Ref }) | null, ...children: unknown[]): Node {
	const props: Props = {};
	for (const name in all) if (name !== "key" && name !== "ref") props[name] = all[name];
	if (children.length > 0) props.children = children.length > 1 ? children : children[0];
	return nodeOf(type, props, all?.key, all?.ref);
}

/** A component that is drawn again only if one of its properties is another, or a signal that it reads. */
export function memo<V extends (props: never) => unknown>(view: V): V {
	(view as unknown as View).pure = true;
	return view;
}

let cursor: ChildNode | null = null; // what stands in the page where the next node belongs
let refs: Node[] = [];
let layouts: Drawn[] = [];
let shown: Drawn[] = []; // whose effects wait

/** Draws what JSX made into an element, in place of what was drawn there before. */
export function render(content: unknown, host: Element & { root?: Node }): void {
	if (!host.root) host.textContent = "";
	const root = nodeOf(Fragment, { children: content });
	cursor = host.firstChild;
	patch(root, host.root, host, false);
	host.root = root;
	commit();
}

function patch(node: Node, old: Node | undefined, host: Element, svg: boolean): void {
	if (node === old) return settle(node, host);
	if (old) {
		node.kids = old.kids;
		node.dom = old.dom;
		node.view = old.view;
	}
	const { type, props } = node;
	if (type === Fragment) patchKids(node, props.children, host, svg);
	else if (typeof type === "function") {
		const d = (node.view ??= drawnOf());
		[d.node, d.host, d.svg] = [node, host, svg];
		if (old && type.pure && !d.stale && alike(props, old.props)) {
			for (const kid of node.kids) if (kid) kid.up = node;
			settle(node, host);
		} else draw(d);
	} else if (type === null) {
		if (!old) node.dom = host.ownerDocument.createTextNode(String(props));
		else if (old.props !== props) (node.dom as Text).data = String(props);
		settle(node, host);
	} else patchElement(node, type, old?.props ?? {}, host, svg || type === "svg");
	if (old?.ref !== node.ref) {
		if (old) attach(old.ref, null);
		if (node.ref) refs.push(node);
	}
}

function patchElement(node: Node, type: string, old: Props, host: Element, svg: boolean): void {
	const { props } = node;
	const dom = (node.dom ??= host.ownerDocument.createElementNS(svg ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", type)) as Element;
	for (const name in old) if (!(name in props) && name !== "children") setProperty(dom, name, undefined, old[name], svg);
	for (const name in props) if (props[name] !== old[name] && !/^(children|value|checked)$/.test(name)) setProperty(dom, name, props[name], old[name], svg);
	const outer = cursor;
	cursor = dom.firstChild;
	patchKids(node, props.children, dom, svg);
	cursor = outer;
	for (const name of ["value", "checked"]) {
		const value = props[name];
		// the reader may have changed it, and its first value is none to a bar of progress
		if (value !== undefined && (value !== (dom as unknown as Props)[name] || type === "progress")) setProperty(dom, name, value, null, svg);
	}
	settle(node, host);
}

function patchKids(node: Node, made: unknown, host: Element, svg: boolean): void {
	const old = node.kids;
	let keyed: Map<unknown, Node | null> | undefined;
	const kids = (Array.isArray(made) ? made : [made]).map((child: unknown, at) => {
		if (child === null || child === undefined || typeof child === "boolean") return null;
		let kid = typeof child !== "object" ? nodeOf(null, String(child) as unknown as Props) : Array.isArray(child) ? nodeOf(Fragment, { children: child }) : (child as Node);
		let was = old[at];
		if (kid.key !== undefined && was?.key !== kid.key) was = (keyed ??= new Map(old.map((one) => [one?.key, one]))).get(kid.key);
		if (!was || was.key !== kid.key || was.type !== kid.type || was.taken) was = undefined;
		else was.taken = true;
		if (kid.up && kid !== was) kid = nodeOf(kid.type, kid.props, kid.key, kid.ref);
		kid.up = node;
		kid.at = at;
		return [kid, was] as const;
	});
	node.kids = kids.map((pair) => pair && pair[0]);
	for (const kid of old) if (kid && !kid.taken) unmount(kid, true);
	for (const pair of kids) {
		if (!pair) continue;
		pair[0].taken = false;
		patch(...pair, host, svg);
	}
}

/** Has a node stand where the cursor is. */
function settle(node: Node, host: Element & { moveBefore?: Element["insertBefore"] }): void {
	const { dom } = node;
	if (!dom) for (const kid of node.kids) kid && settle(kid, host);
	else if (dom === cursor) cursor = dom.nextSibling;
	else if (dom.isConnected && host.moveBefore) host.moveBefore(dom, cursor);
	else host.insertBefore(dom, cursor);
}

function unmount(node: Node, remove: boolean): void {
	attach(node.ref, null);
	const { view, dom } = node;
	if (view) {
		view.node = undefined;
		view.hooks.forEach(end);
		unwatch(view.watcher);
	}
	for (const kid of node.kids) if (kid) unmount(kid, remove && !dom);
	if (remove && dom) {
		if (dom === cursor) cursor = dom.nextSibling;
		dom.remove();
	}
	node.kids = [];
	node.up = node.dom = node.view = undefined;
}

function attach(ref: Ref | undefined, dom: Element | null): void {
	if (typeof ref === "function") ref(dom);
	else if (ref) ref.current = dom;
}

const alike = (a: Props, b: Props): boolean => Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);

const queue: Drawn[] = [];

function drawnOf(): Drawn {
	const d: Omit<Drawn, "node" | "host" | "svg"> = {
		hooks: [],
		effects: [],
		layout: [],
		stale: false,
		again() {
			if (d.stale) return;
			d.stale = true;
			if (queue.push(d as Drawn) === 1) queueMicrotask(flush);
		},
		watcher: watcher(() => d.again()),
	};
	return d as Drawn;
}

function draw(d: Drawn): void {
	const node = d.node!;
	run(d.effects);
	d.stale = false;
	patchKids(node, drawn(d, () => observe(d.watcher, () => (node.type as View)(node.props))), d.host, d.svg);
	layouts.push(d);
	if (d.effects.length > 0 && shown.push(d) === 1) afterPaint();
}

const run = (hooks: Hook[]): void => hooks.splice(0).forEach(begin);

function commit(): void {
	const [r, l] = [refs, layouts];
	[refs, layouts] = [[], []];
	for (const node of r) attach(node.ref, node.dom as Element);
	for (const d of l) run(d.layout);
}

const depth = (node: Node | undefined): number => (node ? 1 + depth(node.up) : 0);

/** Draws again what is stale, what holds others first. */
function flush(): void {
	try {
		while (queue.length > 0) {
			queue.sort((a, b) => depth(a.node) - depth(b.node));
			const d = queue.shift()!;
			if (!d.stale || !d.node) continue;
			cursor = firstOf([d.node]) ?? after(d.node);
			draw(d);
			commit();
		}
	} finally {
		if (queue.length > 0) queueMicrotask(flush);
	}
}

function firstOf(nodes: readonly (Node | null)[]): ChildNode | null {
	for (const node of nodes) {
		const first = node && (node.dom ?? firstOf(node.kids));
		if (first) return first;
	}
	return null;
}

/** What stands after a node, in the same element. */
const after = ({ up, at }: Node): ChildNode | null => up ? (firstOf(up.kids.slice(at + 1)) ?? (up.dom ? null : after(up))) : null;

/** Runs the effects that wait once the page is shown, or soon in a tab that is not. */
function afterPaint(): void {
	const done = (): void => {
		clearTimeout(timer);
		cancelAnimationFrame(frame);
		setTimeout(() => shown.splice(0).forEach((d) => d.node && run(d.effects)));
	};
	const timer = setTimeout(done, 35);
	const frame = requestAnimationFrame(done);
}
