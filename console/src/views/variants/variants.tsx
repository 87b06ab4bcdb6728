// The Variants of a Theme.
import { useState } from "preact/hooks";
import { mayEdit } from "../../api/session";
import { useFollow } from "../../state/follow";
import { overridesOf } from "../../state/overrides";
import { href } from "../../state/router";
import { Listing } from "../lists";
import { NewVariants } from "./create";
import "./variants.css";

export function Variants({ params }: { params: Record<string, string> }) {
	const [e, t] = [params.environment!, params.theme!];
	const overrides = overridesOf(e, t);
	useFollow(overrides);
	const [creating, setCreating] = useState(false);
	return (
		<>
			<Listing name={`variants ${t}`} read={overrides.page} what="Variant" counted="overrides" link={(id, tab) => href.variant(e, t, id, tab)} overrides={overrides.of} create={mayEdit(e) ? () => setCreating(true) : undefined}>
				<p>A Variant is a brand, a customer or a mode such as dark: it overrides some tokens of the Theme and inherits the others. Make one here, or push a file of overrides:</p>
				<pre>{`livery push midnight.json --env ${e} --theme ${t} --variant midnight --create`}</pre>
			</Listing>
			{creating && <NewVariants environment={e} theme={t} onClose={() => setCreating(false)} />}
		</>
	);
}
