import type { ReactElement, ReactNode } from "react";
import type { Address, Options, Theme } from "./theme.mjs";

/** Shows a Theme while it is mounted. Changed options are a switch; what is shown stays until the new one is there. */
export declare function LiveryTheme(props: Omit<Options, "target"> & { children?: ReactNode }): ReactElement;

/** The state of the nearest LiveryTheme: whether its theme is shown, and set, which switches. */
export declare function useTheme(): { state: "theme" | "fallback"; theme: Theme | undefined; set(options: Address): Promise<boolean> };
