package intake

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/internal/yamlfile"
	"example.com/livery/origin/modes"
)

// whole has every member of a mapping, as Encode writes it.
const whole = `theme: acme
environment: sandbox
name: Acme
integrations: [react/plainCSS]
files: [tokens/base.json, "tokens/*.json", "!tokens/*-dark.json"]
select: {figma: {Colors: Light}, studio: {scheme: Light}, resolver: {theme: light}}
values: {density: [comfortable, compact]}
ignore: [{css: "@media print"}, {figma: {Colors: Print}}]
variants:
  dark: {files: "tokens/*-dark.json", mode: scheme.dark, when: "(prefers-color-scheme: dark)"}
  high: {select: {figma: {Colors: High contrast}}, mode: contrast.high}
  compact: {select: {css: ["[data-density=compact]", .compact]}, mode: density.compact}
  tight: {select: {value: {density: compact}}, mode: density.tight}
  globex: {files: brands/globex.json, name: Globex}
  globex-dark: {files: brands/globex-dark.json, mode: scheme.dark, for: globex} # guess: its name ends in "dark"
`

func TestMapping_Encode(t *testing.T) {
	m := parseMapping(t, whole)
	m.Variants[5].Comment = `guess: its name ends in "dark"`
	if got := string(m.Encode()); got != whole {
		t.Errorf("Encode =\n%s\nwant\n%s", got, whole)
	}
	conditions := []string{"(prefers-color-scheme: dark)", "", "", "", "", "(prefers-color-scheme: dark)"}
	for i, want := range conditions {
		if got := m.Variants[i].Condition(); got != want {
			t.Errorf("the condition of %s is %q, want %q", m.Variants[i].Slug, got, want)
		}
	}
}

// TestMapping_EncodeAnyText: whatever its texts look like, a mapping that is written is read back.
func TestMapping_EncodeAnyText(t *testing.T) {
	texts := rapid.OneOf(rapid.SampledFrom([]string{"007", "1.10", "yes", "null", "~", "<<", "- a", "a: b", "a #b", "#", "&a", "*a", "!x", "a\nb", " a ", ".inf", ".5", "{a}", "a, b", "é", "😀", "\u2028", "@media print"}), rapid.StringN(1, 20, -1))
	rapid.Check(t, func(t *rapid.T) {
		want := &Mapping{
			Theme: texts.Draw(t, "theme"), Name: texts.Draw(t, "name"), Files: rapid.SliceOfN(texts, 1, 3).Draw(t, "files"),
			Select: Select{Figma: rapid.MapOfN(texts, texts, 1, 3).Draw(t, "figma"), CSS: rapid.SliceOfN(texts, 1, 3).Draw(t, "css")},
			Ignore: []Select{{Value: map[string]string{texts.Draw(t, "dimension"): texts.Draw(t, "member")}}}, Variants: []Variant{{Slug: "a", Files: []string{texts.Draw(t, "file")}}},
		}
		got, err := ParseMapping("m.yaml", want.Encode())
		if err != nil {
			t.Fatalf("ParseMapping(%s) = %v", want.Encode(), err)
		}
		if got.document = nil; !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is read as %+v, want %+v", want.Encode(), got, want)
		}
	})
}

func TestParseMapping_Errors(t *testing.T) {
	variants := func(lines ...string) string {
		return "files: [a.json]\nvariants:\n  " + strings.Join(lines, "\n  ") + "\n"
	}
	five := variants("a: {mode: a.m}", "b: {mode: b.m}", "c: {mode: c.m}", "d: {mode: d.m}", "e: {mode: e.m}")
	cases := []struct{ text, want, next string }{
		{"files: [a.json]\nvariant: {}\n", `livery.yaml:2:1: unknown member "variant"`, "Did you mean variants?"},
		{variants("dark: {slect: {}}"), `livery.yaml:3:10: unknown member "slect"`, "Did you mean select?"},
		{variants("dark: {select: {fgma: {}}}"), `livery.yaml:3:19: unknown member "fgma"`, "Did you mean figma?"},
		{"theme: a\n", "livery.yaml:1:1: no files are named", "Name the token files of the Theme: files: [tokens.json]."},
		{variants("-x: {}"), `livery.yaml:3:7: "-x" is no slug of a Variant`, "Use letters"},
		{variants("dark: {mode: dark}"), `livery.yaml:3:16: "dark" is no mode`, "Write DIMENSION.MODE"},
		{variants("dark: {mode: scheme.dark, when: '(prefers-color-scheme:dark)'}"), `livery.yaml:3:35: "(prefers-color-scheme:dark)" is no media condition of a mode`, "Did you mean (prefers-color-scheme: dark)?"},
		{variants("dark: {when: print}"), "livery.yaml:3:9: when and for belong to a mode, and dark names none", "Add mode"},
		{variants("globex: {}", "dark: {mode: scheme.dark, for: globx}"), "livery.yaml:4:34: there is no Variant globx", "Did you mean globex?"},
		{variants("b: {}", "c: {mode: a.b, for: b}", "d: {mode: a.b, for: c}"), "livery.yaml:5:23: c is itself a mode for b", "Name the Variant of a brand."},
		{variants("a: {mode: scheme.dark}", "b: {mode: scheme.dark}"), "livery.yaml:4:13: a is scheme.dark too", "Keep one"},
		{variants("a: {mode: scheme.dark}", "b: {mode: scheme.dark, when: print, for: a}"), "livery.yaml:4:32: the Variants of scheme.dark have several conditions", "Give all"},
		{five, "livery.yaml:3:3: a Theme has at most 4 dimensions, and these are 5", "Leave mode out"},
	}
	for _, c := range cases {
		_, err := ParseMapping(MappingName, []byte(c.text))
		if e, ok := err.(*yamlfile.Error); !ok || e.Sentence != c.want || !strings.HasPrefix(e.Next, c.next) {
			t.Errorf("ParseMapping(%s) = %v, want %s %s", c.text, err, c.want, c.next)
		}
	}
}

// TestMapping_APIBounds: what a mapping may say of modes is what the API takes.
func TestMapping_APIBounds(t *testing.T) {
	if maxDimensions != modes.MaxDimensions || maxModes != modes.MaxModes || !slices.Equal(conditions, modes.Conditions) {
		t.Error("the bounds of modes differ from those of package modes")
	}
}
