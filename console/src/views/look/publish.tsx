// Publishing a draft or discarding it, and the moment the edge serves it.
import { useEffect, useState } from "preact/hooks";
import { ApiError, call, themePath, variantPath, type Theme, type Variant } from "../../api/client";
import { mayEdit, settings } from "../../api/session";
import { useEnvironment, useTheme, useVariant } from "../../state/here";
import { invalidate } from "../../state/resource";
import { Badge, Button, Copy, Dialog, Form, Loading, Section, TextField, say } from "../../ui/controls";
import { equal } from "../../state/token";
import { tokensAt, type Review } from "./review";
import { previewFile, sameBytes } from "./look";

interface PublishProps {
	environment: string;
	theme: string;
	variant: string;
	review: Review;
	/** The whole difference is shown that a publish makes. */
	whole: boolean;
	onStale: () => void;
	onDone: () => void;
}

type Published = (Theme | Variant) & { at: number; etag: string | null };

/** Why the API does not publish. */
export const reasons: Record<string, string> = {
	noDraft: "There is no draft any more: another client published or discarded it.",
	themeUnpublished: "Publish the Theme first: a Variant stands on a version of it.",
	alreadyPublished: "It is published at the newest version of its Theme already. Publish the Theme once more first.",
	staleEtag: "Its draft changed meanwhile: look at it again.",
	notFound: "It was deleted.",
};

/** Freezes the Theme once more; the etag of the Variant's draft on it, null if the draft is not the one that was reviewed. */
async function anotherVersion(environment: string, theme: string, path: string, review: Review): Promise<string | null> {
	try {
		await call("POST", `${themePath(environment, theme)}/tokens/publish`, { query: { unchanged: true, etag: "null" } });
	} catch (err) {
		throw (err as ApiError).reason === "staleEtag" ? new Error("The Theme has a draft, which this would publish too. Publish or discard the Theme's draft first.") : err;
	}
	const now = await tokensAt(path, null);
	const same = now.tokens.length === review.after.size && now.tokens.every((t) => equal(t.value, review.after.get(t.path)?.value));
	return same ? now.etag : null;
}

export function PublishPart({ environment, theme, variant, review, whole, onStale, onDone }: PublishProps) {
	const [note, setNote] = useState("");
	const [published, setPublished] = useState<Published | null>(null);
	const [discarding, setDiscarding] = useState(false);
	const path = variantPath(environment, theme, variant);
	const latest = useTheme(environment, theme).state.value.data?.latestVersion ?? null;
	// A Variant is published once for each version of its Theme.
	const own = variant ? useVariant(environment, theme, variant).state.value.data?.latestVersion : null;
	const again = latest !== null && own === latest;
	const publish = async (): Promise<void> => {
		try {
			const etag = again ? await anotherVersion(environment, theme, path, review) : review.etag;
			if (etag === null) return onStale();
			const { data } = await call<Theme | Variant>("POST", `${path}/tokens/publish`, {
				query: { etag, renames: variant ? undefined : "moves" },
				body: note.trim() ? { note: note.trim() } : {},
				headers: { "Idempotency-Key": crypto.randomUUID() },
			});
			if (again) await call("POST", `${themePath(environment, theme)}/variants/publish`, { body: { variants: "all", only: "unchanged" } });
			setPublished({ ...data, at: performance.now(), etag: review.etag });
			setNote("");
			onDone();
		} catch (err) {
			const error = err as ApiError;
			if (error.reason === "staleEtag") return onStale();
			throw new Error(reasons[error.reason] ?? error.message);
		}
		invalidate("diff", "theme", "variant", "versions");
	};
	if (!mayEdit(environment)) return review.etag === null ? null : <p class="muted">Your role shows drafts. To publish this one, ask an editor of the Environment.</p>;
	return (
		<>
			{published && <Served {...{ environment, theme, variant, published }} />}
			{review.etag !== null && review.etag !== published?.etag && (
				<Section title={<>Publish {review.diff.breaking && <Badge kind="danger">sites can break</Badge>}</>}>
					{again && <p>This Variant is published at version {latest} of its Theme. The Theme gets version {latest! + 1} with the same document first, and its other Variants follow it as they are.</p>}
					{!whole && <p>A publish makes the whole draft live, not only what differs from this version.</p>}
					<Form submit={review.diff.breaking ? "Publish all the same" : "Publish"} danger={review.diff.breaking} onSubmit={publish}>
						<TextField label="Note" spellcheck value={note} onInput={setNote} hint="Why, for those who read the list of versions. It may stay empty." />
					</Form>
					<div class="actions"><Button kind="danger" onClick={() => setDiscarding(true)}>Discard the draft</Button></div>
				</Section>
			)}
			{discarding && <Discard path={path} etag={review.etag} onClose={() => setDiscarding(false)} onStale={onStale} />}
		</>
	);
}

function Discard({ path, etag, onClose, onStale }: { path: string; etag: string | null; onClose: () => void; onStale: () => void }) {
	const discard = async (): Promise<void> => {
		try {
			await call("DELETE", `${path}/tokens`, { query: { etag } });
		} catch (err) {
			if ((err as ApiError).reason !== "staleEtag") throw err;
			onClose();
			return onStale();
		}
		onClose();
		say("The draft is discarded.", "success");
		invalidate("diff", "theme", "variant");
	};
	return (
		<Dialog title="Discard the draft?" onClose={onClose} submit="Discard" danger onSubmit={discard}>
			<p>All changes since the last publish are lost, those of other people too. What is served stays as it is.</p>
		</Dialog>
	);
}

/** Addresses of files, to open and to copy. */
export function Links({ urls }: { urls: readonly string[] }) {
	return (
		<ul class="look-list">
			{urls.map((url) => <li key={url}><a href={url} target="_blank" rel="noreferrer">{new URL(url).pathname.split("/").slice(-2).join("/")}</a> <Copy text={url} label="Copy the address" /></li>)}
		</ul>
	);
}

const patience = 20_000; // milliseconds

/** Waits until the edge answers with the published bytes; it says after how long. */
async function served(url: string, expected: Uint8Array, since: number, signal: AbortSignal): Promise<number | null> {
	for (let wait = 50; performance.now() - since < patience; wait = Math.min(1000, wait * 1.5)) {
		const response = await fetch(url, { cache: "no-store", credentials: "omit", signal });
		if (response.ok && sameBytes(new Uint8Array(await response.arrayBuffer()), expected)) return performance.now() - since;
		await new Promise((done) => setTimeout(done, wait));
	}
	return null;
}

/** A version that was just published: when the edge serves it, and at which addresses. */
function Served({ environment, theme, variant, published }: { environment: string; theme: string; variant: string; published: Published }) {
	const serving = useTheme(environment, theme).state.value.data?.serving;
	const lifetime = useEnvironment(environment).state.value.data?.cacheLifetime;
	const [state, setState] = useState<{ after?: number | null; error?: Error }>({});
	const { latest, pinned } = published.servingUrls;
	const file = latest.find((f) => f.file === "tokens.css") ?? latest[0];
	const reachable = file && serving?.mode === "public" && settings.value.edges.some((edge) => new URL(edge).origin === new URL(file.url).origin);
	useEffect(() => {
		setState({});
		if (!reachable) return;
		const stop = new AbortController();
		const path = variantPath(environment, theme, variant);
		previewFile(`${path}/tokens/preview`, file.file, { version: String(published.latestVersion) })
			.then((bytes) => served(file.url, new Uint8Array(bytes), published.at, stop.signal))
			.then((after) => setState({ after }), (error: Error) => stop.signal.aborted || setState({ error }));
		return () => stop.abort();
	}, [published, reachable]);
	const waits = `The edges have it within ${lifetime === undefined ? "the lifetime of their caches" : `${lifetime + 1} seconds`}.`;
	return (
		<section class="notice success" role="status">
			<h2>Version {published.latestVersion} is published</h2>
			{state.after ? <p><Badge kind="success">served after {Math.round(state.after)} ms</Badge> The edge answers with exactly the bytes of this version.</p>
				: !reachable || state.error ? <p>{file ? `${waits} This page may not ask the edge itself.` : "The Theme serves no file yet: add an integration in its settings."}</p>
				: state.after === null ? <p>The edge still answers with another version. {waits} If it stays so, look at the edge's connection to the origin.</p>
				: <Loading what="Waiting for the edge" />}
			<Links urls={[...latest, ...(pinned ?? [])].map((f) => f.url)} />
		</section>
	);
}
