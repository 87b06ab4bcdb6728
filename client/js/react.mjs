"use client"; // for frameworks that render components on a server
// A Theme in an application of React. Types: react.d.mts.
import { createContext, createElement, useContext, useEffect, useMemo, useState } from "react";
import { theme } from "./theme.mjs";
import { unset } from "./unset.mjs";

const Context = createContext(undefined);

/** Shows a Theme while it is mounted. Changed options are a switch; what is shown stays until the new one is there. */
export function LiveryTheme({ children, ...options }) {
	const key = JSON.stringify(options);
	const [shown, setShown] = useState();
	useEffect(() => {
		const t = theme(options);
		setShown(t);
		return () => t.close();
	}, []); // eslint-disable-line -- the options of later renders are switches, below
	useEffect(() => {
		shown?.set({ ...unset, ...options });
	}, [key]); // eslint-disable-line -- key stands for options
	return createElement(Context.Provider, { value: shown }, children);
}

/** The state of the nearest LiveryTheme: whether its theme is shown, its address, and set, which switches. */
export function useTheme() {
	const shown = useContext(Context);
	const [state, setState] = useState("fallback");
	useEffect(() => {
		if (!shown) return;
		const note = () => setState("theme");
		shown.ready.then(setState);
		shown.addEventListener("ready", note);
		return () => shown.removeEventListener("ready", note);
	}, [shown]);
	return useMemo(() => ({ state, theme: shown, set: (options) => shown?.set(options) ?? Promise.resolve(false) }), [state, shown]);
}
