// The five files of a look as text, and whether the origin has the same bytes.
import { useEffect, useRef, useState } from "preact/hooks";
import { adviceOf, fileNames, renderFiles, type FileName } from "../../state/renderer";
import { Badge, Button, Copy, Failure, Loading, SelectField, Table, Fold } from "../../ui/controls";
import { previewFile, type Look } from "./look";

interface Made {
	name: FileName;
	text: string;
	bytes: number;
	digest: string;
	origin: string; // its digest
}

async function digest(bytes: BufferSource): Promise<string> {
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
}

async function make(look: Look): Promise<Made[]> {
	const rendered = await renderFiles({ ...look.source }, fileNames);
	return Promise.all(
		fileNames.map(async (name, i) => {
			const bytes = rendered[i]!;
			const [own, origin] = await Promise.all([digest(bytes), previewFile(look.address, name, look.query).then(digest)]);
			return { name, text: new TextDecoder().decode(bytes), bytes: bytes.length, digest: own, origin };
		}),
	);
}

const textShown = 200_000;

export function Files({ looks }: { looks: readonly (Look | undefined)[] }) {
	const [open, setOpen] = useState(false);
	const [pane, setPane] = useState(0);
	const look = looks[pane] ?? looks[0];
	return (
		<Fold title="Files" onToggle={setOpen}>
			{looks.length > 1 && <SelectField label="Of pane" value={String(pane)} onChange={(p) => setPane(Number(p))} options={looks.map((_, i) => [String(i), `Pane ${i + 1}`] as const)} />}
			{open && (look ? <FileList look={look} /> : <Loading what="Rendering" />)}
		</Fold>
	);
}

function FileList({ look }: { look: Look }) {
	const [made, setMade] = useState<Made[] | null>(null);
	const [error, setError] = useState<Error | null>(null);
	const [shown, setShown] = useState<FileName>("tokens.css");
	const latest = useRef(look);
	latest.current = look;
	const check = (): void => {
		setError(null);
		make(look).then((list) => latest.current === look && setMade(list), setError); // one look may take longer than the next
	};
	useEffect(check, [look]);
	if (error) return <Failure error={new Error(adviceOf(error))} retry={check} />;
	if (!made) return <Loading what="Rendering the five files here and at the origin" />;
	const file = made.find((f) => f.name === shown)!;
	return (
		<>
			<Table label="Files" heads={["File", "Bytes", "Check", "SHA-256"]}>
				{made.map((f) => (
					<tr key={f.name}>
						<th scope="row"><Button kind="quiet" aria-pressed={f.name === shown} onClick={() => setShown(f.name)}>{f.name}</Button></th>
						<td>{f.bytes}</td>
						<td><Check file={f} look={look} /></td>
						<td><code title={f.digest}>{f.digest.slice(0, 16)}</code></td>
					</tr>
				))}
			</Table>
			<div class="title-row"><h3>{file.name}</h3><Copy text={file.text} label={`Copy ${file.name}`} /></div>
			<pre class="look-file" tabIndex={0} aria-label={file.name}>{file.text.slice(0, textShown)}</pre>
			{file.text.length > textShown && <p class="muted">The file goes on; the copy has all of it.</p>}
		</>
	);
}

function Check({ file, look }: { file: Made; look: Look }) {
	if (file.digest === file.origin) return <Badge kind="success">same bytes as the origin's</Badge>;
	if (look.source.overrides !== null) return <Badge kind="warning">has edits that are not saved yet</Badge>;
	return <Badge kind="danger">differs from the origin's: load the page again, and report it if it stays</Badge>;
}
