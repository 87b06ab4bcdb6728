export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  css: ["~/style.css"],
  runtimeConfig: { public: { brands: {} } }, // NUXT_PUBLIC_BRANDS is what ../../brands.mjs prints
});
