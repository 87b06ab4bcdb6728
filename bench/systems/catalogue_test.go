package systems

// system is the published tokens of a design system.
type system struct {
	name   string
	files  []string          // or folders, in node_modules; "package#name" is an export of a module, as JSON
	css    []string          // the package's own stylesheets of the same tokens; none if it has none
	strip  string            // the prefix of the names in these
	put    string            // what the names of the tokens begin with in its place
	mapped bool              // testdata has a livery.yaml for the files
	notes  map[string]string // why a custom property differs, if no class says it
}

// all are the systems. What a package publishes as the source of its other files is taken, as it lies there; its stylesheet if the source is
// plain JSON, which Livery does not read.
var all = []system{
	{name: "Adobe Spectrum", files: []string{"@adobe/spectrum-tokens/src"}},
	{name: "Amsterdam", files: []string{"@amsterdam/design-system-tokens/dist/index.css"}, css: []string{"@amsterdam/design-system-tokens/dist/index.css"}},
	{name: "Atlassian", files: []string{"@atlaskit/tokens/figma/atlassian-light.json"}, css: []string{"@atlaskit/tokens/dist/cjs/artifacts/themes/atlassian-light.js#default"}, strip: "ds-", put: "tokens-light-color-"},
	{name: "Auro", files: []string{"@aurodesignsystem/design-tokens/src/themes/auro-classic"}, css: []string{"@aurodesignsystem/design-tokens/dist/legacy/auro-classic/CSSCustomProperties.css"}, strip: "ds-", notes: map[string]string{
		"--ds-color-base-green-200": "the file has `#d4cece4`, seven digits, which is served as it stands; the package's build makes black of it",
	}},
	{name: "Calcite", files: []string{"@esri/calcite-design-tokens/dist/docs"}, mapped: true, css: []string{"@esri/calcite-design-tokens/dist/css/core.css", "@esri/calcite-design-tokens/dist/css/global.css"}, strip: "calcite-", put: "core-", notes: map[string]string{
		"--calcite-font-weight-medium-italic": "the file has `Medium Italic`, of which the weight is served; the stylesheet has both, which is not a weight",
	}},
	{name: "Canvas", files: []string{"@workday/canvas-tokens-web/css/base/_variables.css"}, css: []string{"@workday/canvas-tokens-web/css/base/_variables.css"}},
	{name: "Carbon", files: []string{"@carbon/themes/src/dtcg/color-palette.json", "@carbon/themes/src/dtcg/themes.json"}},
	{name: "Carbon 11.78", files: []string{"carbon-themes-white/src/dtcg/color-palette.json", "carbon-themes-white/src/dtcg/white.json"}, css: []string{"@carbon/styles/css/styles.css"}, strip: "cds-"},
	{name: "Cloudscape", files: []string{"@cloudscape-design/design-tokens/index-visual-refresh.json"}, mapped: true},
	{name: "Codex", files: []string{"@wikimedia/codex-design-tokens/theme-wikimedia-ui.json"}, css: []string{"@wikimedia/codex-design-tokens/theme-wikimedia-ui.css"}},
	{name: "Designsystemet", files: []string{"@digdir/designsystemet-theme/brand/digdir.css"}, css: []string{"@digdir/designsystemet-theme/brand/digdir.css"}},
	{name: "Duet", files: []string{"@duetds/tokens/lib/tokens.raw.json"}, css: []string{"@duetds/tokens/lib/tokens.custom-properties.css"}},
	{name: "Entur", files: []string{"@entur/tokens/dist/primitive.css", "@entur/tokens/dist/base.css"}, css: []string{"@entur/tokens/dist/primitive.css", "@entur/tokens/dist/base.css"}},
	{name: "Forma 36", files: []string{"@contentful/f36-tokens/dist/css"}, css: []string{"@contentful/f36-tokens/dist/css/spacing.css", "@contentful/f36-tokens/dist/css/z-index.css", "@contentful/f36-tokens/dist/css/box-shadows/box-shadows.css", "@contentful/f36-tokens/dist/css/typography/font-stack.css", "@contentful/f36-tokens/dist/css/colors/colors-blue.css"}},
	{name: "GC Design System", files: []string{"@cdssnc/gcds-tokens/build/figma/figma.tokens.json"}, css: []string{"@cdssnc/gcds-tokens/build/web/css/tokens.css"}, strip: "gcds-", put: "tokens-", notes: map[string]string{
		"--gcds-card-box-shadow":              "the file has another colour, `#00019`",
		"--gcds-card-hover-box-shadow":        "the file has another colour",
		"--gcds-grid-columns-default-base":    "the file has it as a size, and a number of a size is in px",
		"--gcds-grid-columns-default-desktop": "the file has it as a size, and a number of a size is in px",
		"--gcds-grid-columns-default-tablet":  "the file has it as a size, and a number of a size is in px",
		"--gcds-label-required-font-weight":   "the file has it as a spacing, and a number of a spacing is in px",
	}},
	{name: "Fluent", files: []string{"@fluentui/tokens#webLightTheme"}},
	{name: "Gestalt", files: []string{"gestalt-design-tokens/tokens/classic"}, css: []string{"gestalt-design-tokens/dist/css/classic/variables.css"}, mapped: true},
	{name: "GitLab Pajamas", files: []string{"@gitlab/ui/src/tokens/constant"}, css: []string{"@gitlab/ui/src/tokens/build/css/tokens.css"}, strip: "gl-"},
	{name: "Helios", files: []string{"@hashicorp/design-system-tokens/dist/docs/products/tokens.json"}, css: []string{"@hashicorp/design-system-tokens/dist/products/css/tokens.css"}, strip: "token-"},
	{name: "HPE", files: []string{"hpe-design-tokens/dist/css/primitives.css"}, css: []string{"hpe-design-tokens/dist/css/primitives.css"}},
	{name: "Koobiq", files: []string{"@koobiq/design-tokens/web/properties", "@koobiq/design-tokens/web/components"}, css: []string{"@koobiq/design-tokens/web/css-tokens.css"}, strip: "kbq-"},
	{name: "LaunchPad", files: []string{"@launchpad-ui/tokens/dist/tokens.json"}, css: []string{"@launchpad-ui/tokens/dist/index.css"}, strip: "lp-"},
	{name: "Lyne", files: []string{"@sbb-esta/lyne-design-tokens/dist/js/sbb-tokens-raw.json"}, css: []string{"@sbb-esta/lyne-design-tokens/dist/css/sbb-variables.css"}, strip: "sbb-"},
	{name: "Momentum", files: []string{"@momentum-design/tokens/dist/json/theme/webex/light-stable.json"}, css: []string{"@momentum-design/tokens/dist/css/theme/webex/light-stable.css"}, strip: "mds-"},
	{name: "Mozilla Protocol", files: []string{"@mozilla-protocol/tokens/dist/index.json"}, css: []string{"@mozilla-protocol/tokens/dist/index.css"}},
	{name: "Aksel", files: []string{"@navikt/ds-tokens/dist/tokens.css"}, css: []string{"@navikt/ds-tokens/dist/tokens.css"}},
	{name: "Neptune", files: []string{"@transferwise/neptune-tokens/colors.json"}, css: []string{"@transferwise/neptune-tokens/tokens.css"}},
	{name: "NL Voorbeeld", files: []string{"@nl-design-system-unstable/voorbeeld-design-tokens/figma/voorbeeld.tokens.json"}, css: []string{"@nl-design-system-unstable/voorbeeld-design-tokens/dist/variables.css"}},
	{name: "Nord", files: []string{"@nordhealth/tokens/lib/tokens.raw.json"}, css: []string{"@nordhealth/tokens/lib/tokens.custom-properties.css"}},
	{name: "Open Props", files: []string{"open-props/open-props.tokens.json"}, css: []string{"open-props/open-props.min.css"}},
	{name: "Paste", files: []string{"@twilio-paste/design-tokens/dist/tokens.raw.json"}, css: []string{"@twilio-paste/design-tokens/dist/tokens.custom-properties.css"}},
	{name: "PIE", files: []string{"@justeat/pie-design-tokens/dist/jet.css"}, mapped: true, css: []string{"@justeat/pie-design-tokens/dist/jet.css"}},
	{name: "Polaris", files: []string{"@shopify/polaris-tokens/dist/css/styles.css"}, css: []string{"@shopify/polaris-tokens/dist/css/styles.css"}},
	{name: "Porsche", files: []string{"@porsche-design-system/components-js/stylesheets/variables.css"}, css: []string{"@porsche-design-system/components-js/stylesheets/variables.css"}},
	{name: "Primer", files: []string{"@primer/primitives/src/tokens/base"}, mapped: true, css: []string{"@primer/primitives/dist/css/base/typography/typography.css", "@primer/primitives/dist/css/base/size/size.css", "@primer/primitives/dist/css/base/motion/motion.css", "@primer/primitives/dist/css/functional/themes/light.css"}},
	{name: "Radix", files: []string{"@radix-ui/colors/gray.css", "@radix-ui/colors/blue.css", "@radix-ui/colors/blue-dark.css"}, css: []string{"@radix-ui/colors/gray.css", "@radix-ui/colors/blue.css", "@radix-ui/colors/blue-dark.css"}},
	{name: "Red Hat", files: []string{"@rhds/tokens/json/rhds.tokens.json"}, css: []string{"@rhds/tokens/css/global.css"}, strip: "rh-"},
	{name: "Rijkshuisstijl", files: []string{"@rijkshuisstijl-community/design-tokens/dist/root.css"}, css: []string{"@rijkshuisstijl-community/design-tokens/dist/root.css"}},
	{name: "Salesforce Lightning", files: []string{"@salesforce-ux/design-system/design-tokens/dist/bg-standard.raw.json"}},
	{name: "Skyscanner Backpack", files: []string{"@skyscanner/bpk-foundations-web/tokens/base.raw.json"}},
	{name: "SpareBank 1", files: []string{"@sb1/ffe-core/tokens"}, css: []string{"@sb1/ffe-core/css/colors-semantic.css"}, strip: "ffe-", mapped: true},
	{name: "Spectrum CSS", files: []string{"@spectrum-css/tokens/dist/json/tokens.json"}, css: []string{"@spectrum-css/tokens/dist/css/index.css"}, strip: "spectrum-", notes: map[string]string{
		"--spectrum-swatch-border-color-light": "the file has it as the mode light of swatch-border-color, and the stylesheet has another property of this name",
	}},
	{name: "Telekom Scale", files: []string{"@telekom/design-tokens/src/core", "@telekom/design-tokens/src/semantic", "@telekom/design-tokens/src/telekom"}, css: []string{"@telekom/design-tokens/dist/css/design-tokens.all.css"}, strip: "telekom-"},
	{name: "Utrecht", files: []string{"@utrecht/design-tokens/src/common", "@utrecht/design-tokens/src/brand"}, css: []string{"@utrecht/design-tokens/dist/root.css"}},
}
