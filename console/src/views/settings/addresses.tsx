import type { Theme } from "../../api/client";
import { Copy } from "../../ui/controls";

/** Where the files are served. */
export function Addresses({ urls }: { urls: Theme["servingUrls"] }) {
	const rows = (files: Theme["servingUrls"]["latest"]) => files.map((f) => (
		<li key={f.url}><a href={f.url} target="_blank" rel="noreferrer">{f.file}</a> <Copy text={f.url} label="Copy the address" /></li>
	));
	return (
		<section class="card" aria-labelledby="addresses">
			<h2 id="addresses">Served files</h2>
			{urls.latest.length === 0 && <p>The Theme serves nothing: its settings list no integration yet.</p>}
			{urls.latest.length > 0 && <><h3>Latest, follows every publish</h3><ul class="files">{rows(urls.latest)}</ul></>}
			{urls.pinned && urls.pinned.length > 0 && <><h3>Version {urls.version}, never changes</h3><ul class="files">{rows(urls.pinned)}</ul></>}
		</section>
	);
}
