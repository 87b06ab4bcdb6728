import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError, call, type Theme, type Variant } from "../../api/client";
import { go } from "../../state/router";
import { Button, Section, say } from "../../ui/controls";
import { Confirm } from "../../ui/labels";

/** The end of a Theme or a Variant; children say what goes with it. */
export function Delete({ path, of, what, next, children }: { path: string; of: Theme | Variant; what: string; next: string; children: ComponentChildren }) {
	const [asking, setAsking] = useState(false);
	const remove = async (): Promise<void> => {
		try {
			await call("DELETE", path);
		} catch (error) {
			throw (error as ApiError).reason === "modeUsesVariant" ? new Error("A mode of the Theme names this Variant: take it out of the list in the Theme's settings first.") : error;
		}
		say(`${of.displayName} is deleted.`);
		go(next);
	};
	return (
		<Section title="Delete">
			{children}
			<div class="actions"><Button kind="danger" onClick={() => setAsking(true)}>Delete this {what}</Button></div>
			{asking && <Confirm title={`Delete ${of.displayName}`} word={of.slug} submit={`Delete the ${what}`} onConfirm={remove} onClose={() => setAsking(false)}>{children}</Confirm>}
		</Section>
	);
}
