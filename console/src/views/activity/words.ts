// Events as sentences.
import type { Happening } from "../../state/events";

const actions: Readonly<Record<string, string>> = {
	created: "created",
	changed: "changed the settings of",
	deleted: "deleted",
	drafted: "edited",
	discarded: "discarded the draft of",
	published: "published",
};

/** The kinds of events, with the words that a filter shows. */
export const kinds: readonly (readonly [string, string])[] = [
	["", "All kinds"],
	...["Theme", "Variant"].flatMap((what) => Object.entries(actions).map(([kind, words]) => [`${what.toLowerCase()}.${kind}`, `${words} a ${what}`] as const)),
	...(["discarded", "published"] as const).map((kind) => [`variants.${kind}`, `${actions[kind]} many Variants`] as const),
];

/** What was done, without who and to what. */
export function action(event: Pick<Happening, "kind" | "version" | "count">, many = false): string {
	const [what, kind] = event.kind.split(".");
	const words = actions[kind ?? ""] ?? event.kind;
	return `${words}${kind === "published" && event.version ? ` version ${event.version} of` : ""} ${what === "variants" ? `${event.count ?? "many"} Variants` : `the ${what === "variant" ? (many ? "Variants" : "Variant") : "Theme"}`}`;
}

export interface Filter {
	theme: string;
	kind: string;
	by: string;
}

export const fits = (e: Happening, f: Filter): boolean => (!f.theme || e.theme === f.theme) && (!f.kind || e.kind === f.kind) && (e.by ?? "").toLowerCase().includes(f.by.toLowerCase());

export interface Group {
	event: Happening; // the newest
	count: number;
	variants: string[];
}

/** Neighbours that say the same, such as the edits of one person to drafts of one Theme, as one. */
export function grouped(events: readonly Happening[]): Group[] {
	const groups: Group[] = [];
	for (const event of events) {
		const last = groups.at(-1);
		const same = last && event.version === null && (["kind", "by", "theme"] as const).every((name) => last.event[name] === event[name]);
		const group = same ? last : { event, count: 0, variants: [] };
		if (group !== last) groups.push(group);
		group.count++;
		if (event.variant && !group.variants.includes(event.variant)) group.variants.push(event.variant);
	}
	return groups;
}
