// The versions of a Theme or a Variant: compared with now, looked at, restored as a draft.
import { useState } from "preact/hooks";
import { call, get, variantPath, type ApiError } from "../../api/client";
import { mayEdit } from "../../api/session";
import { useOwner } from "../../state/here";
import { invalidate } from "../../state/resource";
import { go, href } from "../../state/router";
import { Badge, Button, Dialog, Empty, Time, Waiting } from "../../ui/controls";
import { pinnedAddress } from "./diff";
import { spellPane } from "./pane";
import { Links } from "./publish";
import { useVersions, type VersionEntry } from "./preview";
import { More } from "../lists";
import "./look.css";

export function Versions({ params }: { params: Record<string, string> }) {
	const [e, t, v] = [params.environment!, params.theme!, params.variant ?? ""];
	const path = variantPath(e, t, v);
	const list = useVersions(path, v || t);
	const [restoring, setRestoring] = useState<number | null>(null);
	const owner = useOwner(e, t, v).state.value.data;
	const data = list.state.value.data?.items;
	const to = (tab: string): string => href.variant(e, t, v, tab);
	return (
		<>
			<Waiting of={list} what="Reading the versions" />
			{data?.length === 0 && (
				<Empty title="Not published yet">
					<p>A publish freezes the draft as version 1{v ? "" : " and serves it"}. Its address never changes what it answers. <a href={to("diff")}>Look at the draft and publish it</a>.</p>
				</Empty>
			)}
			{data && data.length > 0 && (
				<ol class="look-versions">
					{data.map((entry, i) => (
						<li key={entry.version} class="card">
							<div class="title-row">
								<h2>Version {entry.version}</h2>
								{i === 0 && <Badge kind="success">newest</Badge>}
								<span class="muted"><Time at={entry.publishedAt} />{entry.publishedBy && ` by ${entry.publishedBy}`}</span>
							</div>
							{entry.note && <p>{entry.note}</p>}
							<p class="muted">{counts(entry, v !== "")}</p>
							<div class="actions">
								<a class="button" href={`${to("diff")}?from=${entry.version}`}>Compare with now</a>
								{data[i + 1] && <a class="button" href={`${to("diff")}?from=${data[i + 1]!.version}&to=${entry.version}`}>What it changed</a>}
								<a class="button" href={`${to("preview")}?p1=${spellPane({ source: String(entry.version), brand: v, modes: {}, scheme: "" })}&p2=${spellPane({ source: "draft", brand: v, modes: {}, scheme: "" })}`}>Look at it</a>
								{mayEdit(e) && <Button onClick={() => setRestoring(entry.version)}>Restore as draft</Button>}
							</div>
							{owner && owner.servingUrls.latest.length > 0 && (
								<details>
									<summary>Addresses that never change</summary>
									<Links urls={owner.servingUrls.latest.map((f) => pinnedAddress(f.url, entry.version))} />
								</details>
							)}
						</li>
					))}
				</ol>
			)}
			<More of={list} />
			{restoring !== null && <Restore version={restoring} path={path} hasDraft={owner?.hasUnpublishedChanges ?? false} next={to("diff")} onClose={() => setRestoring(null)} variant={v !== ""} />}
		</>
	);
}

function counts(e: VersionEntry, variant: boolean): string {
	const all = `${e.tokenCount} ${variant ? "overrides" : "tokens"}`;
	return e.added === null ? all : `${all}: ${e.added} added, ${e.removed} removed, ${e.changed} changed beside the version before`;
}

function Restore({ version, path, hasDraft, next, variant, onClose }: { version: number; path: string; hasDraft: boolean; next: string; variant: boolean; onClose: () => void }) {
	const restore = async (): Promise<void> => {
		// The draft that is replaced must be the one of which the dialog spoke.
		const { resource } = await get<{ resource: { etag: string | null } }>(`${path}/tokens`, { path: ["-"] }, { quiet: true });
		if (resource.etag !== null && !hasDraft) throw new Error("There is a draft now that was not there before. Look at it, then restore again.");
		try {
			await call("POST", `${path}/tokens/restore`, { query: { version, etag: resource.etag }, headers: { Prefer: "return=minimal", "Idempotency-Key": crypto.randomUUID() } });
		} catch (err) {
			throw (err as ApiError).reason === "staleEtag" ? new Error("The draft changed just now. Look at it, then restore again.") : err;
		}
		invalidate("diff", "theme", "variant");
		onClose();
		go(next);
	};
	return (
		<Dialog title={`Restore version ${version}?`} onClose={onClose} submit="Restore as draft" danger={hasDraft} onSubmit={restore}>
			<p>{variant ? "The overrides of this version become the draft; renames of the Theme since then are followed, and overrides of tokens that are gone are dropped." : "The document of this version becomes the draft, and renames since then lead back, so that the overrides of Variants follow."}</p>
			<p>What is served stays as it is until you publish. If nothing differs from the newest version, no draft is left.</p>
			{hasDraft && <p class="notice warning">There is a draft now. Its changes are lost, those of other people too.</p>}
		</Dialog>
	);
}
