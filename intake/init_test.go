package intake

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/intake/form"
)

func TestPropose(t *testing.T) {
	light, dark := tokens("x=#ffffff", "y=#ffffff"), tokens("x=#000000", "y=#000000")
	cases := []struct {
		rule  string
		files memory
		names []string
		want  string
	}{
		{"a file called dark", memory{"tokens.json": light, "tokens-dark.json": dark}, []string{"tokens.json", "tokens-dark.json"}, "files: tokens.json\nvariants:\n  dark: {files: tokens-dark.json, mode: scheme.dark} # guess: its name ends in \"dark\"\n"},
		{"files called light and dark", memory{"tokens-light.json": light, "tokensDark.json": dark}, []string{"tokens-light.json", "tokensDark.json"}, "files: tokens-light.json\nvariants:\n  dark: {files: tokensDark.json, mode: scheme.dark} # guess: its name ends in \"dark\"\n"},
		{"a folder excludes the files of its Variants", memory{"t/a.json": light, "t/a.dark.json": dark, "t/b_dark.json": tokens("z=#000000"), "t/b.json": tokens("z=#ffffff"), "t/a-hc.json": dark, "t/package.json": `{"scripts":{"x":"y"}}`}, []string{"t"}, "files: [t, \"!t/a-hc.json\", \"!t/a.dark.json\", \"!t/b_dark.json\"]\nvariants:\n  hc: {files: t/a-hc.json, mode: contrast.more} # guess: its name ends in \"hc\"\n  dark: {files: [t/a.dark.json, t/b_dark.json], mode: scheme.dark} # guess: its name ends in \"dark\"\n"},
		{"a light file counts after the others of its folder", memory{"t/a.json": dark, "t/a-light.json": light, "t/a-dark.json": dark}, []string{"t"}, "files: [t, t/a-light.json, \"!t/a-dark.json\"]\nvariants:\n  dark: {files: t/a-dark.json, mode: scheme.dark} # guess: its name ends in \"dark\"\n"},
		{"light files alone need no order", memory{"t/a-light.json": light, "t/a-dark.json": dark}, []string{"t"}, "files: [t, \"!t/a-dark.json\"]\nvariants:\n  dark: {files: t/a-dark.json, mode: scheme.dark} # guess: its name ends in \"dark\"\n"},
		{"two such words are no single mode", memory{"t.json": light, "t-dark-hc.json": dark, "t-light-hc.json": dark}, []string{"t.json", "t-dark-hc.json", "t-light-hc.json"}, "files: t.json\nvariants:\n  dark-hc: {files: t-dark-hc.json} # guess: its name ends in \"dark-hc\"\n  hc: {files: t-light-hc.json, mode: contrast.more} # guess: its name ends in \"hc\"\n"},
		{"a file must be left for the Theme", memory{"dark.json": dark}, []string{"dark.json"}, "files: dark.json\n"},
		{"other words say nothing", memory{"acme.json": light, "compact.json": tokens("z=#000000")}, []string{"."}, "files: .\n"},
		{"an order that decides", memory{"t/b.json": light, "t/a.json": dark, "t/package.json": `{"scripts":{"x":"y"}}`}, []string{"t"}, "# t/a.json and t/b.json give 2 tokens different values; first x (t/a.json:1, t/b.json:1): the later one in this list counts\nfiles: [t/a.json, t/b.json]\n"},
		{"files of one guess", memory{"t/a.json": light, "t/a-dark.json": dark, "t/b-dark.json": light}, []string{"t"}, "files: [t, \"!t/a-dark.json\", \"!t/b-dark.json\"]\nvariants:\n  dark: {files: [t/a-dark.json, t/b-dark.json], mode: scheme.dark} # guess: its name ends in \"dark\"; t/a-dark.json and t/b-dark.json give 2 tokens different values; first x (t/a-dark.json:1, t/b-dark.json:1): the later one in this list counts\n"},
		{"declared modes", memory{"m.json": tokens(`x={"light":"#ffffff","dark":"#000000"}`)}, []string{"m.json"}, "files: m.json\nvariants:\n  dark: {select: {value: {scheme: dark}}, mode: scheme.dark}\n"},
		{"a declared mode and a guess are one Variant", memory{"m.json": tokens(`x={"light":"#ffffff","dark":"#000000"}`, "y=#ffffff"), "m-dark.json": tokens("y=#000000")}, []string{"m.json", "m-dark.json"}, "files: m.json\nvariants:\n  dark: {files: m-dark.json, select: {value: {scheme: dark}}, mode: scheme.dark}\n"},
		{"stylesheets called dark", memory{"tokens.css": ":root{--bg:#fff}", "tokens-dark.css": ":root{--bg:#000}"}, []string{"tokens.css", "tokens-dark.css"}, "files: tokens.css\nvariants:\n  dark: {files: tokens-dark.css, mode: scheme.dark} # guess: its name ends in \"dark\"\n"},
		{"a selector that the Theme needs", memory{"a.css": ".acme{--a:4px}.globex{--a:5px}"}, []string{"a.css"}, "files: a.css\nselect: {css: .acme}\nvariants:\n  globex: {select: {css: .globex}}\n"},
		{
			"selectors and media conditions",
			memory{"a.css": `:root{--a:1px}.dark{--a:2px}@media (prefers-color-scheme:dark){:root{--a:2px}}[data-density="compact"]{--a:3px}.acme{--a:4px}.globex-hc{--a:5px}[data-theme=compact]{--a:6px}@media print{:root{--a:7px}}.btn{--b:1px}`},
			[]string{"a.css"},
			"files: a.css\nvariants:\n  dark: {select: {css: [.dark, \"@media (prefers-color-scheme: dark)\"]}, mode: scheme.dark}\n  density-compact: {select: {css: \"[data-density=compact]\"}, mode: density.compact}\n  acme: {select: {css: .acme}}\n" +
				"  hc: {select: {css: .globex-hc}, mode: contrast.more} # guess: its name ends in \"hc\"\n  theme-compact: {select: {css: \"[data-theme=compact]\"}, mode: theme.compact}\n  print: {select: {css: \"@media print\"}} # no mode: a Theme has at most 4 dimensions and 16 modes\n",
		},
	}
	for _, c := range cases {
		m, err := NewReader(c.files).Propose(c.names)
		if err != nil {
			t.Errorf("%s: Propose = %v", c.rule, err)
			continue
		}
		if got := string(m.Encode()); got != c.want {
			t.Errorf("%s: Propose =\n%s\nwant\n%s", c.rule, got, c.want)
		}
		if _, err := NewReader(c.files).Read(parseMapping(t, string(m.Encode()))); err != nil {
			t.Errorf("%s: the proposed mapping cannot be read: %v", c.rule, err)
		}
	}
}

func TestNameOfCSS(t *testing.T) {
	for text, want := range map[string]string{
		"[data-density=compact]":                  "density.compact slug compact",
		`:root[theme="Acme Dark"]`:                "theme.acme-dark slug acme-dark",
		"@media (prefers-color-scheme: dark)":     "scheme.dark slug dark",
		"@media(prefers-contrast:more)":           "contrast.more slug more",
		"@media (prefers-reduced-motion: reduce)": "reduced-motion.reduce when (prefers-reduced-motion: reduce) slug reduce",
		"@media print":                            "media.print when print slug print",
		"@media (min-width: 640px)":               "slug media-min-width-640px",
		".dark":                                   "scheme.dark slug dark guess",
		".theme-dark":                             "scheme.dark slug dark guess",
		".dark-theme":                             "slug dark-theme",
		"[data-dark]":                             "scheme.dark slug dark guess",
		".acme":                                   "slug acme",
		":root.light .card":                       "slug light-.card",
		"[data-2=x]":                              "slug x",
	} {
		n := nameOfCSS(form.CSSAxis(text).Name)
		got := "slug " + n.slug
		if n.when != "" {
			got = "when " + n.when + " " + got
		}
		if n.mode != "" {
			got = n.dimension + "." + n.mode + " " + got
		}
		if n.guess != "" {
			got += " guess"
		}
		if got != want {
			t.Errorf("%s is called %s, want %s", text, got, want)
		}
	}
}

// TestPropose_Bounds: modes beyond what the API takes are Variants alone, and slugs differ.
func TestPropose_Bounds(t *testing.T) {
	var css []string
	for i := range 5 {
		for k := range 5 {
			css = append(css, fmt.Sprintf(`[data-d%d="m%d"]{--a:%dpx}`, i, k, 10*i+k))
		}
	}
	m, err := NewReader(memory{"a.css": ":root{--a:1px}" + strings.Join(css, "")}).Propose([]string{"a.css"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(m.Encode())
	if strings.Count(text, ", mode: d") != 16 || strings.Count(text, "# no mode") != 9 || !strings.Contains(text, "d4-m4: {select: {css: \"[data-d4=m4]\"}}") {
		t.Errorf("Propose =\n%s", text)
	}
	parseMapping(t, text)
}
