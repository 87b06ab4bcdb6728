// Signals for components: one that reads a signal while it is drawn is drawn again once the signal is another.
import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals-core";
import { Component, Fragment, options, type ComponentChildren, type ComponentClass, type FunctionComponent } from "preact";
import { useMemo, useRef } from "preact/hooks";

type View = FunctionComponent<object> & { pure?: boolean };
const components = new WeakMap<View, ComponentClass>();

/** The component of a view. What draws it is an effect, which notes the signals that it reads. */
function componentOf(view: View): ComponentClass {
	class Watching extends Component {
		stop?: () => void;
		override componentWillUnmount = (): void => this.stop?.();
		override render(): ComponentChildren {
			let drawn: ComponentChildren;
			let first = true;
			this.stop?.();
			this.stop = effect(() => {
				if (first) drawn = view(this.props);
				else this.forceUpdate();
				first = false;
			});
			return drawn;
		}
	}
	if (view.pure) Watching.prototype.shouldComponentUpdate = function (next): boolean {
		return Object.entries(next).some(([name, value]) => value !== this.props[name as keyof object]);
	};
	components.set(view, Watching);
	return Watching;
}

options.vnode = (node) => {
	const { type } = node;
	if (typeof type === "function" && type !== Fragment && !type.prototype?.render) node.type = components.get(type as View) ?? componentOf(type as View);
};

/** A view that is drawn again only if one of its properties is another, or a signal that it reads. */
export const memo = <P extends object>(view: FunctionComponent<P>): FunctionComponent<P> => Object.assign(view, { pure: true });

let names = 0;
/** A name for an element of a component that others refer to. */
export const useName = (): string => useMemo(() => `name-${++names}`, []);

/** A signal of a component's own. */
export const useSignal = <T>(first: T): Signal<T> => useMemo(() => signal(first), []);

/** A computed value of a component. */
export function useComputed<T>(make: () => T): ReadonlySignal<T> {
	const latest = useRef(make);
	latest.current = make;
	return useMemo(() => computed(() => latest.current()), []);
}
