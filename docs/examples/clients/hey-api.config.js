export default {
  input: ".cache/openapi.json",
  output: { path: "src/generated/hey", module: { extension: ".js" } },
};
