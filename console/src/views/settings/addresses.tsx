import type { Theme } from "../../api/client";
import { Section } from "../../ui/controls";
import { Links } from "../look/publish";

/** Where the files are served. */
export function Addresses({ urls }: { urls: Theme["servingUrls"] }) {
	const links = (files: Theme["servingUrls"]["latest"]) => <Links urls={files.map((f) => f.url)} />;
	return (
		<Section title="Served files">
			{urls.latest.length === 0 && <p>The Theme serves nothing: its settings list no integration yet.</p>}
			{urls.latest.length > 0 && <><h3>Latest, follows every publish</h3>{links(urls.latest)}</>}
			{urls.pinned && urls.pinned.length > 0 && <><h3>Version {urls.version}, never changes</h3>{links(urls.pinned)}</>}
		</Section>
	);
}
