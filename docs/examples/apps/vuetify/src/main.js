import { createApp } from "vue";
import { createVuetify } from "vuetify";
import "vuetify/styles";
import App from "./App.vue";
import { colors } from "./colors.js";
import "./style.css";
import tokens from "./tokens.values.json"; // of the build, as the stylesheet is

// Vuetify calculates with colours, so that it needs their values; what it only hands on can be a custom property.
const vuetify = createVuetify({
  theme: { defaultTheme: "light", themes: { light: { colors: colors((group, name) => tokens[group][name]) } } },
  defaults: { VBtn: { style: "border-radius: var(--radius-button)" } },
});

createApp(App).use(vuetify).mount("#app");
