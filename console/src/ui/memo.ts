import { Component, createElement, type FunctionComponent } from "preact";

/** A component that is drawn again only if one of its properties is another. */
export function memo<P extends object>(view: FunctionComponent<P>) {
	return class extends Component<P> {
		override shouldComponentUpdate(next: Readonly<P>): boolean {
			return (Object.keys(next) as (keyof P)[]).some((name) => next[name] !== this.props[name]);
		}
		render() {
			return createElement(view, this.props as P);
		}
	};
}
