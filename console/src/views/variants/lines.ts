// Many Variants as pasted lines.
export interface Line {
	slug: string;
	displayName: string;
	problem: string; // empty if it can be created
}

const slug = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Variants from lines "slug, name"; a tab or a semicolon separates too, and the slug stands for a name that is missing. */
export function parseLines(text: string): Line[] {
	const seen = new Set<string>();
	const lines: Line[] = [];
	for (const line of text.split(/\r?\n/)) {
		if (!line.trim()) continue;
		const at = line.search(/[,;\t]/);
		const one = (at < 0 ? line : line.slice(0, at)).trim();
		const displayName = (at < 0 ? "" : line.slice(at + 1).trim()) || one;
		lines.push({ slug: one, displayName, problem: problem(one, displayName, seen) });
		seen.add(one);
	}
	return lines;
}

function problem(one: string, name: string, seen: ReadonlySet<string>): string {
	if (!slug.test(one)) return `${one || "An empty slug"}: a slug has letters, digits and - _ . and begins with a letter or digit`;
	if (seen.has(one)) return `${one}: this slug stands here twice`;
	return name.length > 256 ? `${one}: a name has at most 256 characters` : "";
}
