import { useTheme } from "@livery/theme/vue";
import { h, ref } from "vue";

// brands: { Acme: { base, env, theme, variant: "-" }, Midnight: { … } }
export const App = {
	props: ["brands"],
	setup({ brands }) {
		const brand = ref(Object.keys(brands)[0]);
		const { state } = useTheme(() => brands[brand.value]);
		return () => h("main", [
			...Object.keys(brands).map((name) => h("button", {
				type: "button", "aria-pressed": name === brand.value, onClick: () => { brand.value = name; },
			}, name)),
			h("button", { id: "buy", type: "button", "data-state": state.value }, `Buy from ${brand.value}`),
		]);
	},
};
