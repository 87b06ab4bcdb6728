package escape_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/livery/cli/escape"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
)

func TestTextSpellsWhatIsNotShown(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"plain text stays", "color.brand → größe 色 👍", "color.brand → größe 色 👍"},
		{"controls", "a\x00\x07\x1b[31m\x7fb", `a\x00\a\x1b[31m\x7fb`},
		{"line breaks", "a\r\n\tb", `a\r\n\tb`},
		{"C1 controls", "a\u0085\u009b31mb", `a\u0085\u009b31mb`},
		{"embeddings and overrides of direction", "\u202a\u202b\u202c\u202d\u202e", `\u202a\u202b\u202c\u202d\u202e`},
		{"isolates", "\u2066\u2067\u2068\u2069", `\u2066\u2067\u2068\u2069`},
		{"marks of direction", "\u200e\u200f\u061c", `\u200e\u200f\u061c`},
		{"line separators", "\u2028\u2029", `\u2028\u2029`},
		{"characters without width", "\u200b\u200c\u200d\u2060\ufeff\u00ad", `\u200b\u200c\u200d\u2060\ufeff\u00ad`},
		{"tags and private characters", "\U000e0041\ue000", `\U000e0041\ue000`},
		{"bytes that are not UTF-8", "a\xffb", `a\xffb`},
		{"the replacement character itself is shown", "\ufffd", "\ufffd"},
		{"spaces are shown", "a  b\u00a0c", "a  b\u00a0c"},
	} {
		if got := escape.Text(c.text); got != c.want {
			t.Errorf("%s: Text(%q) = %s, want %s", c.rule, c.text, got, c.want)
		}
	}
}

func TestLineIsOneLine(t *testing.T) {
	if got, want := escape.Line(" a\r\n\tb\u2028c \u202ed\n"), `a b c \u202ed`; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func TestCodeCannotBeLeft(t *testing.T) {
	for text, want := range map[string]string{
		"color.brand":                    "`color.brand`",
		"":                               "",
		"a\n\n</code></pre>![p](x) @org": "`a </code></pre>![p](x) @org`",
		"{missing\n\n# Heading @team}":   "`{missing # Heading @team}`",
		"`x` | y \\| z\\":                "`'x' ¦ y ⧵¦ z⧵`",
		"a\u202eb":                       "`a\\u202eb`",
	} {
		if got := escape.Code(text); got != want {
			t.Errorf("Code(%q) = %q, want %q", text, got, want)
		}
	}
}

// texts draws any runes, with those that matter here more often, and bytes that are not UTF-8.
func texts() *rapid.Generator[string] {
	special := rapid.SampledFrom([]rune("\x00\a\b\t\n\v\f\r\x1b\x7f\u0085\u009b\u00ad\u200e\u200f\u202a\u202e\u2028\u2066\u2069`|\\<>@#[]!:%"))
	bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	return rapid.OneOf(rapid.StringOf(rapid.OneOf(special, rapid.Rune())), bytes)
}

// TestNothingHiddenIsLeft: every function returns UTF-8 in which each rune is shown, and Text is stable.
func TestNothingHiddenIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := texts().Draw(t, "text")
		for name, got := range map[string]string{"Text": escape.Text(s), "Line": escape.Line(s), "Code": escape.Code(s)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsGraphic(r) }) {
				t.Errorf("%s(%q) = %q", name, s, got)
			}
		}
		if once := escape.Text(s); escape.Text(once) != once {
			t.Errorf("Text(%q) changes again", once)
		}
		if code := escape.Code(s); code != "" && strings.ContainsAny(code[1:len(code)-1], "`|") {
			t.Errorf("Code(%q) = %q", s, code)
		}
	})
}

// TestJSONKeepsTheValue: a program reads the same from what JSON returns.
func TestJSONKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.MarshalIndent(map[string]string{texts().Draw(t, "name"): texts().Draw(t, "value")}, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		shown := escape.JSON(text)
		var want, got map[string]string
		if err := errors.Join(json.Unmarshal(text, &want), json.Unmarshal(shown, &got)); err != nil {
			t.Fatalf("JSON(%q) = %q: %v", text, shown, err)
		}
		hidden := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }
		if !maps.Equal(got, want) || strings.ContainsFunc(string(shown), hidden) {
			t.Errorf("JSON(%q) = %q", text, shown)
		}
	})
}
