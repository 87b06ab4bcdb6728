import { definePreset } from "@primeuix/themes";
import Aura from "@primeuix/themes/aura";
import PrimeVue from "primevue/config";
import { createApp } from "vue";
import App from "./App.vue";
import "./style.css";

const brand = "var(--color-brand)";
const mixed = (part) => `color-mix(in srgb, ${brand}, var(--color-ink) ${part}%)`;

// The names of PrimeVue, once for all brands and schemes: a switch changes the custom properties that they name.
const preset = definePreset(Aura, {
  primitive: { borderRadius: { md: "var(--radius-button)" } },
  semantic: {
    colorScheme: {
      light: {
        primary: { color: brand, contrastColor: "var(--color-surface)", hoverColor: mixed(15), activeColor: mixed(30) },
        text: { color: "var(--color-ink)" },
        content: { background: "var(--color-surface)" },
      },
    },
  },
});

createApp(App).use(PrimeVue, { theme: { preset, options: { darkModeSelector: false } } }).mount("#app");
