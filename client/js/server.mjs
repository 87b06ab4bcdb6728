// A Theme in what a server renders: the stylesheet for a <style> in the head, so that the first paint is right and waits
// for no edge. Types: server.d.mts.
import { address } from "./theme.mjs";

const held = new Map(); // by address; the one that was asked for longest ago stands first
const most = 500;

/** The stylesheet for a <style>; "" while the edge has not answered, so that the fallback is shown. Never rejects. */
export async function critical(options, { timeout = 300, fresh = 1000 } = {}) {
	const href = address(options);
	const one = held.get(href) ?? { css: "", begun: -Infinity, pinned: /\/\d+\/[^/]*$/.test(href) };
	held.delete(href);
	held.set(href, one);
	if (held.size > most) held.delete(held.keys().next().value);
	if (!one.answer && Date.now() - one.begun >= fresh && !(one.pinned && one.css)) {
		one.begun = Date.now();
		one.answer = ask(href, one).catch(() => {}).finally(() => { one.answer = undefined; });
	}
	const left = one.begun + timeout - Date.now(); // an edge that hangs delays the first answers, and no later ones
	if (!one.css && one.answer && left > 0) await Promise.race([one.answer, new Promise((go) => setTimeout(go, left))]);
	return one.css;
}

/** The value of a header Link, with which the browser asks for the theme before it has read the page. */
export function link(options) {
	return `<${new URL(address(options)).href}>; rel=preload; as=fetch; crossorigin`;
}

async function ask(href, one) {
	const headers = one.tag ? { "If-None-Match": one.tag } : {};
	const answer = await fetch(href, { headers, cache: "no-store", signal: AbortSignal.timeout(10_000) });
	if (!answer.ok) return; // 304 too: what is held is right
	const css = await answer.text();
	if (!css.includes("--") || /<\/style/i.test(css)) return; // Livery escapes what could end the element; this is another file
	one.css = css;
	one.tag = answer.headers.get("ETag");
}
