import type { MaybeRefOrGetter, Ref, ShallowRef } from "vue";
import type { Address, Options, Theme } from "./theme.mjs";

/** Shows a Theme while the component is mounted. Changed options are a switch; what is shown stays until the new one is there. */
export declare function useTheme(options: MaybeRefOrGetter<Omit<Options, "target">>): {
	state: Ref<"fallback" | "theme">;
	theme: ShallowRef<Theme | undefined>;
	set(options: Address): Promise<boolean>;
};
