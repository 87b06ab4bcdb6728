// Makes everything of every source that a server names, and sends it back. It runs in Node and in a browser.

// Sends what make returns, a list of byte arrays, for each file of each source at base.
export async function compare(base, make) {
	const { sources, files } = await (await fetch(`${base}sources`)).json();
	for (let i = 0; i < sources; i++) {
		const source = await (await fetch(`${base}sources/${i}`)).json();
		const parts = [];
		for (const file of files) {
			for (const blob of make({ ...source, file })) parts.push(Uint32Array.of(blob.length), blob);
		}
		const answer = await fetch(`${base}made/${i}`, { method: "POST", body: new Blob(parts) });
		if (!answer.ok) throw new Error(`${source.name}: ${await answer.text()}`);
	}
	return sources;
}

// What the shim makes of one file: the blobs, both files from them, and the text for a preview.
export const throughShim = (livery) => ({ theme, overrides, prefix, file }) => {
	const planBlob = livery.compile({ theme, prefix, file });
	const overlayBlob = livery.compile({ theme, overrides, prefix, file });
	const plan = livery.open(planBlob);
	const alone = plan.render(), variant = plan.render(overlayBlob);
	plan.drop();
	const preview = new TextEncoder().encode(livery.render({ theme, overrides, prefix, file }));
	return [planBlob, overlayBlob, alone, variant, preview];
};
