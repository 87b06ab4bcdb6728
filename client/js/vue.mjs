// A Theme in an application of Vue. Types: vue.d.mts.
import { onMounted, onScopeDispose, ref, shallowRef, toValue, watch } from "vue";
import { theme } from "./theme.mjs";
import { unset } from "./unset.mjs";

/** Shows a Theme while the component is mounted. Changed options are a switch; what is shown stays until the new one is there. */
export function useTheme(options) {
	const shown = shallowRef();
	const state = ref("fallback");
	onMounted(() => {
		shown.value = theme(toValue(options));
		shown.value.ready.then((now) => { state.value = now; });
		shown.value.addEventListener("ready", () => { state.value = "theme"; });
	});
	watch(() => JSON.stringify(toValue(options)), () => shown.value?.set({ ...unset, ...toValue(options) }));
	onScopeDispose(() => shown.value?.close());
	return { state, theme: shown, set: (next) => shown.value?.set(next) ?? Promise.resolve(false) };
}
