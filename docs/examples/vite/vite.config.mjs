import livery from "@livery/theme/vite";

// The parts of the address that livery open --print prints.
const { LIVERY_EDGE: base, LIVERY_ENV_ID: env, LIVERY_THEME_ID: theme } = process.env;

export default { plugins: [livery({ base, env, theme, types: "src/tokens.d.ts", every: 200 })] };
