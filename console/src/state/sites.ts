// The sites that the preview may show and talk to, by their origins: each person allows them for each browser.
import { computed, signal } from "@preact/signals-core";
import { caller } from "../api/session";

const key = "livery.sites";
const allowed = signal(JSON.parse(localStorage.getItem(key) ?? "[]") as [subject: string, origin: string][]);

/** Those that the person who is logged in allows. */
export const sites = computed(() => allowed.value.filter(([subject]) => subject === caller.value?.subject).map(([, origin]) => origin));

export function allowSite(origin: string, allow: boolean): void {
	const subject = caller.value!.subject;
	const others = allowed.value.filter((one) => one[0] !== subject || one[1] !== origin);
	allowed.value = allow ? [...others, [subject, origin]] : others;
	localStorage.setItem(key, JSON.stringify(allowed.value));
}
