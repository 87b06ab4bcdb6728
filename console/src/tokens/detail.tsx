// One token: its value with the control for its type, what it refers to, what uses it, and what can be done with it.
import { useState } from "preact/hooks";
import { property, resolve, type JSONValue, type Token } from "../state/token";
import { blank, type Change } from "../state/change";
import type { Draft } from "../state/draft";
import type { Group } from "../state/tokens";
import { Badge, Button, Copy, Dialog, SelectField, TextField, say } from "../ui/controls";
import { ValueEditor } from "../editors";
import { RawField } from "../editors/simple";
import { fresh, shapes } from "../editors/objects";
import { short } from "./css";
import { Sample } from "./sample";
import type { Entry } from "./rows";

/** The types of the API, those of DTCG first. */
export const types = "color dimension fontFamily fontWeight duration cubicBezier number strokeStyle border transition shadow gradient typography string text other link asset content custom-string textCase textDecoration mediaQuery boolean opacity percentage lineHeights lineHeight spacing sizing size space borderRadius borderWidth fontSizes fontSize letterSpacing letterSpacings paragraphSpacing paragraphIndent radius fontFamilies fontWeights boxShadow cubic-bezier time".split(" ");

export interface DetailProps {
	entry: Entry;
	draft: Draft;
	find: (path: string) => Token | undefined;
	paths: () => readonly string[];
	prefix: string;
	usedBy: readonly string[];
	usedThrough: readonly string[];
	uses: readonly string[];
	fault: string | undefined;
	mayEdit: boolean;
	onSelect: (path: string) => void;
	onClose: () => void;
	onPreview: (value: JSONValue | undefined) => void;
}

export function Detail(props: DetailProps) {
	const { entry, draft, find, mayEdit, onSelect } = props;
	const [renaming, setRenaming] = useState(false);
	const { token, path, inherited, overridden, type } = entry;
	const ofVariant = draft.kind === "variant";
	const make = (change: Change | null): void => {
		if (change) draft.apply(change);
	};
	const remove = (): void => {
		make(draft.removal([path]));
		say(ofVariant ? `${path} is inherited again.` : `${path} is removed.`, "", { text: "Undo", run: () => draft.undo() });
	};
	return (
		<aside class="token-detail" aria-label={`Token ${path}`}>
			<div class="title-row">
				<h2>{path}</h2>
				<Button kind="quiet" aria-label="Close the token" onClick={props.onClose}>✕</Button>
			</div>
			{props.fault && <p class="notice danger">{props.fault}</p>}
			{ofVariant && <p>{overridden ? <Badge kind="accent">overridden</Badge> : <Badge>inherited</Badge>}{!inherited && <> <Badge kind="warning">the Theme has no such token</Badge></>}</p>}
			<ValueEditor
				key={path} label={`Value of ${path}`} type={type} value={token.value} find={find} paths={props.paths} disabled={!mayEdit}
				onInput={props.onPreview} onCancel={() => props.onPreview(undefined)}
				onCommit={(value) => { props.onPreview(undefined); make(draft.value(path, value)); }}
			/>
			{!ofVariant && <Members of={token} draft={draft} mayEdit={mayEdit} none={token.resolvedType ? `as the group: ${token.resolvedType}` : "as the group"} />}
			{!ofVariant && (
				<details>
					<summary>Extensions</summary>
					<RawField key={path} label="Extensions" value={token.extensions} disabled={!mayEdit} find={find} onInput={() => {}} onCommit={(value) => make(draft.member(path, "$extensions", value))} />
				</details>
			)}
			<dl>
				<dt>Resolved</dt>
				<dd><Sample type={type} value={resolve(token.value, find)} /> <code>{short(resolve(token.value, find))}</code></dd>
				{inherited && overridden && <><dt>The Theme's own</dt><dd><Sample type={type} value={resolve(inherited.value, find)} /> <code>{short(inherited.value)}</code></dd></>}
				<dt>In CSS</dt>
				<dd><code>{property(path, props.prefix)}</code> <Copy text={`var(${property(path, props.prefix)})`} /></dd>
				<dt>Uses</dt>
				<dd><Links paths={props.uses} onSelect={onSelect} none="no other token" /></dd>
				<dt>Used by</dt>
				<dd><Links paths={props.usedBy} onSelect={onSelect} none="no other token" /></dd>
				{props.usedThrough.length > 0 && <><dt>Through these</dt><dd><Links paths={props.usedThrough} onSelect={onSelect} none="" /></dd></>}
			</dl>
			{mayEdit && (
				<div class="actions">
					{!ofVariant && <Button onClick={() => setRenaming(true)}>Rename</Button>}
					{!ofVariant && <Button onClick={() => { const copy = freePath(path, find); make(draft.put({ ...token, path: copy })); onSelect(copy); }}>Duplicate</Button>}
					{(!ofVariant || overridden) && <Button kind="danger" onClick={remove}>{ofVariant ? "Inherit again" : "Remove"}</Button>}
				</div>
			)}
			{renaming && <Rename path={path} draft={draft} onClose={(to) => { setRenaming(false); if (to) onSelect(to); }} />}
		</aside>
	);
}

function freePath(path: string, find: (path: string) => Token | undefined): string {
	for (let i = 2; ; i++) if (!find(`${path}-${i}`)) return `${path}-${i}`;
}

function Links({ paths, none, onSelect }: { paths: readonly string[]; none: string; onSelect: (path: string) => void }) {
	if (paths.length === 0) return <span class="muted">{none}</span>;
	return <ul>{paths.map((p) => <li key={p}><button type="button" class="alias" onClick={() => onSelect(p)}>{p}</button></li>)}</ul>;
}

/** What a token or a group says of itself; empty stands for a description that is not there. */
function Members({ of, draft, mayEdit, none, empty = null }: { of: Group; draft: Draft; mayEdit: boolean; none: string; empty?: string | null }) {
	const [description, setDescription] = useState<string | null>(null);
	const set = (name: "$type" | "$description", value: JSONValue): void => {
		const change = draft.member(of.path, name, value);
		if (change) draft.apply(change);
	};
	return (
		<>
			<SelectField label="Type" value={of.type ?? ""} disabled={!mayEdit} onChange={(type) => set("$type", type || null)} options={[["", none], ...types.map((t) => [t, t] as const)]} />
			<div onFocusOut={() => { if (description !== null) set("$description", description || empty); setDescription(null); }}>
				<TextField label="Description" spellcheck value={description ?? of.description ?? ""} disabled={!mayEdit} onInput={setDescription} />
			</div>
		</>
	);
}

/** One group: what it says for its tokens, and what can be done with it. */
export function GroupDetail({ path, draft, mayEdit, onSelect, onAdd }: { path: string; draft: Draft; mayEdit: boolean; onSelect: (path: string) => void; onAdd: () => void }) {
	const [renaming, setRenaming] = useState(false);
	const inside = [...draft.places.value].filter((p) => p.startsWith(`${path}.`));
	const remove = (): void => {
		draft.apply(draft.group(path, false));
		say(`${path} is removed.`, "", { text: "Undo", run: () => draft.undo() });
	};
	return (
		<aside class="token-detail" aria-label={`Group ${path}`}>
			<div class="title-row">
				<h2>{path}</h2>
				<Button kind="quiet" aria-label="Close the group" onClick={() => onSelect("")}>✕</Button>
			</div>
			<Members of={draft.groupAt(path)} draft={draft} mayEdit={mayEdit} none="none for all" empty="" />
			<p class="hint">{inside.length === 0 ? "No token is in this group yet." : "Tokens without a type have this one."}</p>
			{mayEdit && (
				<div class="actions">
					<Button onClick={onAdd}>New token</Button>
					<Button onClick={() => setRenaming(true)}>Rename</Button>
					{inside.length === 0 && <Button kind="danger" onClick={remove}>Remove</Button>}
				</div>
			)}
			{renaming && <Rename path={path} draft={draft} onClose={(to) => { setRenaming(false); if (to) onSelect(to); }} />}
		</aside>
	);
}

/** What is wrong with a path, or "". */
export function wrongPath(path: string): string {
	if (path.split(".").some((name) => name === "" || name.length > 256)) return "A path is names with dots between them; none of them is empty.";
	if (/[{}]/.test(path)) return "A name holds no braces.";
	return path.split(".").some((name) => name.startsWith("$") && name !== "$root") ? "A name does not begin with $." : "";
}

export const taken = "A token or group with this path exists.";

function Rename({ path, draft, onClose }: { path: string; draft: Draft; onClose: (to?: string) => void }) {
	const [to, setTo] = useState(path);
	const wrong = wrongPath(to) || (to !== path && draft.places.value.has(to) ? taken : "");
	const change = wrong || to === path ? null : draft.rename(path, to);
	const aliasing = change ? change.operations.length - 1 : 0;
	return (
		<Dialog title="Rename" onClose={() => onClose()} submit="Rename" disabled={!change} onSubmit={async () => { draft.apply(change!); onClose(to); }}>
			<TextField label="Path" value={to} onInput={setTo} error={wrong} hint={aliasing === 0 ? "No alias names it." : `${aliasing} ${aliasing === 1 ? "alias is" : "aliases are"} changed with it.`} />
			<p class="hint">At the next publish the overrides of Variants follow it.</p>
		</Dialog>
	);
}

export function AddToken({ draft, near, onClose }: { draft: Draft; near: string; onClose: (path?: string) => void }) {
	const [path, setPath] = useState(near ? `${near}.` : "");
	const [type, setType] = useState("color");
	const wrong = wrongPath(path) || (draft.places.value.has(path) ? taken : "");
	const first: Record<string, JSONValue> = { color: "#808080", dimension: { value: 16, unit: "px" }, duration: { value: 200, unit: "ms" }, number: 1, fontFamily: "system-ui", fontWeight: 400, cubicBezier: [0.2, 0, 0, 1], boolean: true, opacity: 1, shadow: fresh(shapes.shadow!) };
	return (
		<Dialog title="New token" onClose={() => onClose()} submit="Add" disabled={wrong !== ""} onSubmit={async () => { draft.apply(type === "" ? draft.group(path, true) : draft.put({ ...blank(path), type, resolvedType: type, value: first[type] ?? "" })!); onClose(path); }}>
			<TextField label="Path" value={path} onInput={setPath} error={path && !path.endsWith(".") ? wrong : ""} hint="Names with dots between them: color.brand.500. Groups that do not exist are made." />
			<SelectField label="Type" value={type} onChange={setType} options={[["", "a group without tokens"], ...types.map((t) => [t, t] as const)]} />
		</Dialog>
	);
}
