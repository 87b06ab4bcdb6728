// Style Dictionary from tokens.dtcg.json: the document as it was written, with its aliases and the values of
// the Variant, for platforms that Livery serves no file for.
export default {
  source: ["tokens.dtcg.json"],
  platforms: {
    ios: { transformGroup: "ios-swift", buildPath: "build/", files: [{ destination: "Tokens.swift", format: "ios-swift/class.swift", options: { className: "Tokens" } }] },
    kotlin: { transformGroup: "compose", buildPath: "build/", files: [{ destination: "Tokens.kt", format: "compose/object", options: { className: "Tokens", packageName: "com.example" } }] },
    flutter: { transformGroup: "flutter", buildPath: "build/", files: [{ destination: "tokens.dart", format: "flutter/class.dart", options: { className: "Tokens" } }] },
    android: { transformGroup: "android", buildPath: "build/", files: [{ destination: "colors.xml", format: "android/colors" }] },
    scss: { transformGroup: "scss", buildPath: "build/", files: [{ destination: "_tokens.scss", format: "scss/variables", options: { outputReferences: true } }] },
  },
};
