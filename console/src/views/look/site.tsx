// A page of the user's own in a frame, which takes the sheet of a look by a message.
import { useEffect, useRef } from "preact/hooks";
import { query, setQuery } from "../../state/router";
import { allowSite, sites } from "../../state/sites";
import { Button, Copy, TextField } from "../../ui/controls";
import { siteAddress } from "./pane";

const recipe = (): string => `const livery = new CSSStyleSheet();
document.adoptedStyleSheets.push(livery);
addEventListener("message", (e) => e.origin === ${JSON.stringify(location.origin)} && livery.replaceSync(String(e.data.livery)));`;

export function SiteHelp() {
	const text = query.value.get("url") ?? "";
	const url = siteAddress(text, location.origin);
	const bad = text !== "" && !url;
	return (
		<div class="look-part">
			<TextField
				label="Address of a page of yours" type="url" inputMode="text" value={text} onInput={(url) => setQuery({ url })} placeholder="https://…"
				error={bad ? "This must be an https:// or http:// address of another origin than the console." : ""}
				hint="Many sites refuse to stand in a frame: then the pane stays empty, and your browser's console says why."
			/>
			{url && !sites.value.includes(url.origin) && (
				<div class="notice warning">
					<p><strong>{url.origin}</strong> is not shown until you allow it. It then gets what you see here, drafts too, at each edit: allow pages of yours alone.</p>
					<Button onClick={() => allowSite(url.origin, true)}>Allow {url.origin}</Button>
				</div>
			)}
			{sites.value.map((site) => <p key={site}>You allow {site} in this browser. <Button kind="quiet" onClick={() => allowSite(site, false)}>Withdraw {site}</Button></p>)}
			<details>
				<summary>Let the page take what you see here</summary>
				<p>A page that loads Livery's file shows what is published. With these lines in a script it takes the look of its pane, as you edit; leave them out of what you publish.</p>
				<pre tabIndex={0}>{recipe()}</pre>
				<Copy text={recipe()} label="Copy the lines" />
			</details>
		</div>
	);
}

export function Site({ title, css }: { title: string; css: string }) {
	const frame = useRef<HTMLIFrameElement>(null);
	const named = siteAddress(query.value.get("url") ?? "", location.origin);
	const url = named && sites.value.includes(named.origin) ? named : null; // the address may be another's words
	const send = (): void => {
		if (url) frame.current?.contentWindow?.postMessage({ livery: css }, url.origin);
	};
	useEffect(send, [css]);
	if (!url) return <p class="muted">{named ? "Allow the page above." : "Write the address of a page above."}</p>;
	return <iframe ref={frame} class="look-frame" title={`${title}: ${url.host}`} src={url.href} sandbox="allow-scripts allow-same-origin allow-forms" referrerpolicy="no-referrer" onLoad={send} />;
}
