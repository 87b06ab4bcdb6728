// What becomes of edits: saved, waiting, refused, or in conflict with what another person made.
import { useEffect } from "preact/hooks";
import type { Draft } from "../state/draft";
import { spell } from "../state/token";
import { Button, UndoButtons, say } from "../ui/controls";

export function DraftState({ draft, editable }: { draft: Draft; editable: boolean }) {
	const undo = (): void => {
		const change = draft.undo();
		if (change) say(`Taken back: ${change.label}`);
	};
	const redo = (): void => {
		const change = draft.redo();
		if (change) say(`Done again: ${change.label}`);
	};
	useEffect(() => {
		const key = (event: KeyboardEvent): void => {
			const target = event.target as HTMLElement;
			if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || target.closest("input, textarea, select, dialog")) return;
			event.preventDefault();
			event.shiftKey ? redo() : undo();
		};
		addEventListener("keydown", key);
		return () => removeEventListener("keydown", key);
	}, [draft]);
	if (!editable) return null;
	const waiting = draft.pending.value.length > 0;
	const away = draft.error.value !== null && waiting;
	return (
		<>
			<UndoButtons undoable={draft.undoable.value} redoable={draft.redoable.value} undo={undo} redo={redo} />
			<span role="status" class={away ? "badge warning" : "muted"} data-saved={!waiting}>{away ? "Not sent yet: the origin does not answer" : waiting ? "Saving …" : "Saved"}</span>
		</>
	);
}

export function Conflicts({ draft }: { draft: Draft }) {
	const refused = draft.refused.value;
	return (
		<>
			{refused && (
				<div class="notice danger" role="alert">
					<p>{refused.change.label}: the origin refused it. {refused.message}</p>
					<Button onClick={() => (draft.refused.value = null)}>Leave it</Button> <Button onClick={() => draft.retry()}>Try again</Button>
				</div>
			)}
			{draft.conflicts.value.map((c) => (
				<div key={c.path} class="notice warning" role="alert">
					<p><b>{c.path}</b> was changed by another person while you changed it.</p>
					<p>Theirs, which is saved: <code>{c.theirs ? spell(c.theirs.value) : "removed"}</code>. Yours: <code>{c.mine ? spell(c.mine.value) : "removed"}</code>.</p>
					<Button onClick={() => draft.settle(c, false)}>Keep theirs</Button> <Button onClick={() => draft.settle(c, true)}>Use mine</Button>
				</div>
			))}
		</>
	);
}
