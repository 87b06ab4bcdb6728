// Two states of a Theme or a Variant as one reviews them before a publish.
import { get } from "../../api/client";
import type { Token } from "../../state/token";
import { byMoves, type Diff } from "./diff";

/** Two states and what differs; etag names the draft that was read with it. */
export interface Review {
	diff: Diff;
	etag: string | null;
	before: ReadonlyMap<string, Token>;
	after: ReadonlyMap<string, Token>;
}

interface TokenSet {
	etag: string | null;
	tokens: readonly Token[];
}

/** The tokens of a version, of the draft (null), or of what is before the first version (0). */
export async function tokensAt(path: string, version: number | null): Promise<TokenSet> {
	if (version === 0) return { etag: null, tokens: [] };
	return (await get<{ resource: TokenSet }>(`${path}/tokens`, { version }, { quiet: true })).resource;
}

const byPath = (set: TokenSet): ReadonlyMap<string, Token> => new Map(set.tokens.map((t) => [t.path, t]));

export async function review(path: string, from: string, to: string): Promise<Review> {
	for (let round = 0; ; round++) {
		const known = to === "draft" ? await tokensAt(path, null) : null;
		const between = await get<Diff>(`${path}/tokens/diff`, { from, to }, { quiet: true });
		const diff = from === "" && to === "draft" ? byMoves(between) : between;
		const [before, after] = await Promise.all([tokensAt(path, diff.from), tokensAt(path, diff.to)]);
		// All three answers must be about one draft, or the etag would name what was not reviewed.
		if (!known || known.etag === after.etag || round === 5) return { diff, etag: after.etag, before: byPath(before), after: byPath(after) };
	}
}
