import { useEffect } from "preact/hooks";

/** Follows the events that a value depends on while a component shows it. */
export function useFollow(value: { follow: () => () => void }): void {
	useEffect(() => value.follow(), [value]);
}
