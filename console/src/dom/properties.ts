// Sets what an element has: listeners, styles, properties and attributes.

interface Listening extends Element {
	listeners?: Record<string, ((event: Event) => unknown) | null>;
	since?: Record<string, number>; // when each listener was added
	style: CSSStyleDeclaration;
}

let clock = 0;
const times = new WeakMap<Event, number>();

/** One listener for each event of an element; the function that it calls may become another with each drawing. */
function listener(this: Listening, event: Event): void {
	const time = times.get(event) ?? ++clock;
	times.set(event, time);
	// an element that was made while this event went up hears only what comes after
	if (time > this.since![event.type]!) this.listeners![event.type]?.(event);
}

type Style = Record<string, string | number>;

/** What is an attribute although it is a property, too: the property is read only, or cannot be taken away. */
const attributes = /^(width|height|href|list|form|tabIndex|download|role|colSpan|rowSpan)$/;

export function setProperty(dom: Element, name: string, value: unknown, old: unknown, svg: boolean): void {
	const e = dom as Listening;
	if (name === "style") {
		for (const part of Object.keys({ ...(old as Style), ...(value as Style) })) {
			const to = (value as Style | undefined)?.[part];
			if (to !== (old as Style | undefined)?.[part]) e.style[part as "color"] = String(to ?? "");
		}
	} else if (/^on[A-Z]/.test(name)) {
		const type = name.slice(2).toLowerCase();
		e.listeners ??= {};
		e.since ??= {};
		if (!(type in e.listeners)) e.addEventListener(type, listener as (event: Event) => void);
		if (!e.listeners[type]) e.since[type] = clock;
		e.listeners[type] = value as (event: Event) => unknown;
	} else if (!svg && name in e && !attributes.test(name)) {
		(e as unknown as Record<string, unknown>)[name] = value ?? "";
	} else if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) {
		e.removeAttribute(name);
	} else {
		e.setAttribute(name, String(value));
	}
}
