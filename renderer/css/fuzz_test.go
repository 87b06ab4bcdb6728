package css_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// fuzzKind holds values of one kind to the rules of every output; seeds are JSON texts. A text that
// is no JSON is taken as a string.
func fuzzKind(f *testing.F, k css.Kind, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Add(`"red;} body{--pwned:1} x{"`)
	f.Add(`"url(\"http://canary.test/\")"`)
	f.Add(`"calc((((1px"`)
	f.Add(`"1e400"`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsontree.Parse(text)
		if err != nil {
			v = jsontree.NewString(text)
		}
		css.InferType(v)
		checkCSS(t, k, v)
		checkDeclarations(t, k, v)
		checkPrimitive(t, k, v)
	})
}

// checkCSS wants a misfit that leaves nothing, or one safe value that reads as itself.
func checkCSS(t *testing.T, k css.Kind, v *jsontree.Node) {
	got, failed := css.Append([]byte("x"), k, v)
	if failed != nil {
		if string(got) != "x" || failed.What == "" {
			t.Fatalf("misfit %+v left %q", failed, got)
		}
		return
	}
	if !css.FitsKind(k, v) {
		t.Fatalf("%q of a value that does not fit the kind", got)
	}
	text := string(got[1:])
	if !utf8.ValidString(text) && utf8.ValidString(v.Text) {
		t.Fatalf("%q is no UTF-8", text)
	}
	if why := oneSafeValue(text); why != "" {
		t.Fatalf("%q: %s", text, why)
	}
	if again := rereads(k); again && len(text) < 1000 {
		twice, failed := css.Append(nil, k, jsontree.NewString(text))
		if failed != nil || string(twice) != text {
			t.Fatalf("%q reads again as %q, %v", text, twice, failed)
		}
	}
}

// rereads reports whether the text of a kind is a string value of that kind with the same text: what
// an embedded alias puts into another value.
func rereads(k css.Kind) bool {
	switch k {
	case css.FontFamily, css.Typography, css.String, css.Unknown, css.Boolean:
		return false
	}
	return true
}

// checkDeclarations wants whole lines, each one safe value of a name that begins with the token's.
func checkDeclarations(t *testing.T, k css.Kind, v *jsontree.Node) {
	got, failed := css.AppendDeclarations(nil, "--t", k, v)
	if failed == nil && len(got) == 0 {
		t.Fatal("neither a declaration nor a misfit")
	}
	for line := range bytes.Lines(got) {
		name, value, ok := strings.Cut(strings.TrimSuffix(string(line), ";\n"), ": ")
		if !ok || !strings.HasPrefix(name, "  --t") || !bytes.HasSuffix(line, []byte(";\n")) {
			t.Fatalf("line %q", line)
		}
		if why := oneSafeValue(value); why != "" {
			t.Fatalf("line %q: %s", line, why)
		}
	}
}

// checkPrimitive wants nothing, or JSON that is neither null nor an array.
func checkPrimitive(t *testing.T, k css.Kind, v *jsontree.Node) {
	got, failed := css.AppendPrimitive([]byte("x"), k, v)
	if failed != nil {
		if string(got) != "x" {
			t.Fatalf("misfit %+v left %q", failed, got)
		}
		return
	}
	checkOneText(t, k, v)
	n, err := jsontree.Parse(string(got[1:]))
	if err != nil && utf8.Valid(got) {
		t.Fatalf("primitive %q: %v", got, err)
	}
	if err == nil && (n.Kind == jsontree.Null || n.Kind == jsontree.Array) {
		t.Fatalf("primitive %q", got)
	}
}

func FuzzColor(f *testing.F) {
	fuzzKind(f, css.Color, `{"colorSpace":"oklch","components":[0.5,"none",250],"alpha":0.5,"hex":"#abc"}`, `"#3366e680"`, `"rgba(#f00, 50%)"`,
		`"rgb(from red r g b / 50%)"`, `"hsl(0.5turn, 100%, 50%)"`, `"color(display-p3 1 0 1)"`, `"color-mix(in srgb, red, blue)"`)
}

func FuzzDimension(f *testing.F) {
	fuzzKind(f, css.Dimension, `{"value":1e-7,"unit":"rem"}`, `"4px*2 - (1 + 2px)"`, `"-calc(1px + 2%)"`, `"0 auto -4px 1rem"`, `"var(--x) / 2"`, `"4 + 2px"`)
}

func FuzzNumberOrDimension(f *testing.F) {
	fuzzKind(f, css.NumberOrDimension, `0.5`, `"150%"`, `"1.2 * 2"`, `{"value":24,"unit":"px"}`)
}

func FuzzNumber(f *testing.F) { fuzzKind(f, css.Number, `1e-300`, `"12"`, `"4 * -2"`, `-0.0`) }

func FuzzDuration(f *testing.F) {
	fuzzKind(f, css.Duration, `{"value":200,"unit":"ms"}`, `"1.5s"`, `200`)
}

func FuzzFontFamily(f *testing.F) {
	fuzzKind(f, css.FontFamily, `["O'Reilly \"Sans\"","serif"]`, `"'Mona Sans', var(--f, Inter), serif"`, `"a(b,c"`)
}

func FuzzFontWeight(f *testing.F) {
	fuzzKind(f, css.FontWeight, `"Semi Bold Italic"`, `350`, `"var(--w)"`)
}

func FuzzCubicBezier(f *testing.F) {
	fuzzKind(f, css.CubicBezier, `[0.17,-0.5,0.3,1.8]`, `"cubic-bezier(.5,0,1,1)"`, `"steps(4, end)"`, `"easeInOut"`)
}

func FuzzStrokeStyle(f *testing.F) { fuzzKind(f, css.StrokeStyle, `"dashed"`, `{"dashArray":["1px"]}`) }

func FuzzBorder(f *testing.F) {
	fuzzKind(f, css.Border, `{"color":"red","width":"1px","style":"solid"}`, `"1px solid rgb(0 0 0 / 0.5)"`, `"var(--w) solid var(--c)"`)
}

func FuzzTransition(f *testing.F) {
	fuzzKind(f, css.Transition, `{"duration":"1s","delay":"-1s","timingFunction":[0,0,1,1]}`, `"opacity 200ms ease-in 0.1s, all 1s"`)
}

func FuzzShadow(f *testing.F) {
	fuzzKind(f, css.Shadow, `[{"color":"red","offsetX":0,"offsetY":"-calc(1px)","inset":true}]`, `{"x":0,"y":1,"color":"#0008","type":"innerShadow"}`,
		`"0 1px 2px rgb(0 0 0 / 50%), inset 0 0 red"`)
}

func FuzzGradient(f *testing.F) {
	fuzzKind(f, css.Gradient, `[{"color":"red","position":0.07},"blue"]`, `"linear-gradient(90deg, red, blue 50%)"`)
}

func FuzzTypography(f *testing.F) {
	fuzzKind(f, css.Typography, `{"fontFamily":"Inter, serif","fontSize":"16px","fontWeight":"bold","letterSpacing":0,"lineHeight":"AUTO"}`,
		`"italic 700 16px/1.5 Open Sans, serif"`)
}

func FuzzString(f *testing.F) {
	fuzzKind(f, css.String, `"Inter, \"Segoe UI\", sans-serif"`, `"calc(100% - 2 * var(--gap, 4px))"`, `"a\u202eb"`)
}

func FuzzUnknown(f *testing.F) { fuzzKind(f, css.Unknown, `"x"`, `1`, `true`, `{}`) }

// FuzzName wants one identifier that begins with two hyphens, whatever the path.
func FuzzName(f *testing.F) {
	f.Add("acme", "color", "a:red;} body{")
	f.Add("", "$root", "\u202e\xff")
	f.Fuzz(func(t *testing.T, prefix, first, second string) {
		got := css.AppendName(nil, prefix, []string{first, second})
		if !bytes.HasPrefix(got, []byte("--")) || len(got) < 3 || !utf8.Valid(got) {
			t.Fatalf("AppendName(%q, %q, %q) = %q", prefix, first, second, got)
		}
		for _, c := range got {
			if c < utf8.RuneSelf && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", rune(c)) {
				t.Fatalf("AppendName(%q, %q, %q) = %q holds %q", prefix, first, second, got, c)
			}
		}
	})
}
