package wasm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/internal/test/race"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/wasm"
	"example.com/livery/wasm/abi"
)

// input is one Theme with one overlay.
type input struct {
	name             string
	theme, overrides []byte
	prefix           string
}

// corpus returns every document of the shared corpus, alone and with each of its Variants.
func corpus(t testing.TB) []input {
	dir := filepath.Join(root, "..", "shared", "corpus")
	paths, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(paths) == 0 {
		t.Skipf("the shared corpus %s is not there: documents of the wild are not compared", dir)
	}
	var inputs []input
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.Contains(name, ".variant-") {
			continue
		}
		theme := read(t, path)
		inputs = append(inputs, input{name: name, theme: theme, prefix: "lv"})
		variants, _ := filepath.Glob(strings.TrimSuffix(path, ".tokens.json") + ".variant-*.json")
		for _, v := range variants {
			inputs = append(inputs, input{name: filepath.Base(v), theme: theme, overrides: read(t, v)})
		}
	}
	return inputs
}

// golden returns the renderer's golden cases.
func golden(t testing.TB) []input {
	themes, _ := filepath.Glob(filepath.Join(root, "renderer", "testdata", "*", "theme.json"))
	if len(themes) == 0 {
		t.Fatal("the renderer has no golden cases")
	}
	var inputs []input
	for _, path := range themes {
		dir := filepath.Dir(path)
		in := input{name: filepath.Base(dir), theme: read(t, path)}
		if overrides, err := os.ReadFile(filepath.Join(dir, "variant.json")); err == nil {
			in.overrides = overrides
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// specified returns, for each page of the specification, a Theme whose tokens have the values that the
// page shows: each `code` of it, as JSON if it is and else as a string, of several types.
func specified(t testing.TB) []input {
	pages, _ := filepath.Glob(filepath.Join(root, "..", "shared", "spec", "*.md"))
	if len(pages) == 0 {
		t.Skip("the shared specification is not there: its examples are not compared")
	}
	var inputs []input
	for _, page := range pages {
		theme, overrides := []byte(`{"none":{}`), []byte(`{"none":1`)
		for i, code := range strings.Split(string(read(t, page)), "`") {
			if i%2 == 0 || code == "" {
				continue
			}
			if _, err := jsontree.Parse(code); err != nil {
				code = string(jsontree.AppendString(nil, code))
			}
			theme = fmt.Appendf(theme, `,"t%d":{"$value":%s},"u%d":{"$type":"color","$value":%s},"v%d":{"$type":"typography","$value":{"fontSize":%s}}`, i, code, i, code, i, code)
			overrides = fmt.Appendf(overrides, `,"u%d":%s,"t%d":"red"`, i-2, code, i)
		}
		inputs = append(inputs, input{name: filepath.Base(page), theme: append(theme, '}'), overrides: append(overrides, '}')})
	}
	return inputs
}

// edges returns documents at the edge of what there is.
func edges(testing.TB) []input {
	deep := strings.Repeat(`{"a":`, 60) + `{"$value":"1px","$type":"dimension"}` + strings.Repeat(`}`, 60)
	chain := `{"$type":"dimension","t0":{"$value":"1px"}`
	for i := range 300 {
		chain += `,"t` + strings.Repeat("x", i) + `y":{"$value":"{t0}"}`
	}
	texts := [][2]string{
		{`{}`, ``},
		{`{}`, `{}`},
		{`{"a":{}}`, `{"a":null}`},
		{`{"$value":1}`, `{"":2}`},
		{deep, `{"` + strings.Repeat("a.", 59) + `a":"2px"}`},
		{chain + `}`, `{"t0":"{t0}"}`},
		{chain + `}`, `{"t0":"3px"}`},
		{`{"ünï":{"$value":"\ud83d\ude00 </style>\u2028"},"` + "\u202e" + `":{"$value":true}}`, `{"ünï":"\u0000"}`},
		{`{"a":{"$type":"color","$value":"red"},"A":{"$type":"color","$value":"blue"}}`, `{"a":"lime"}`},
		{`{"n":{"$type":"number","$value":1e400},"m":{"$value":-0.0},"o":{"$value":123456789012345678901234567890}}`, `{"n":1E-400}`},
	}
	var inputs []input
	for _, text := range texts {
		inputs = append(inputs, input{name: text[0][:min(40, len(text[0]))], theme: []byte(text[0]), overrides: []byte(text[1]), prefix: "p"})
	}
	return inputs
}

// The same bytes come out natively and under wazero (decisions 6.5, S171), for every file: from plans
// and overlays compiled natively, whole and in pieces, and from those that the module compiles.
func TestWASMEqualsNative(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	for _, source := range []struct {
		name   string
		inputs func(testing.TB) []input
	}{{"corpus", corpus}, {"golden", golden}, {"specified", specified}, {"edges", edges}} {
		t.Run(source.name, func(t *testing.T) {
			inputs := source.inputs(t)
			for _, in := range inputs {
				compare(t, r, digest, in)
			}
			t.Logf("%d documents", len(inputs))
		})
	}
	if s := r.Stats(); s.FailedTrap+s.FailedBroken != 0 {
		t.Errorf("the module failed: %+v", s)
	}
}

func compare(t testing.TB, r *wasm.Runtime, digest string, in input) {
	t.Helper()
	c := compileNatively(t, in)
	compareCompiled(t, r, digest, in, c)
	source := wasm.Source{Theme: in.theme, Overrides: in.overrides, Prefix: in.prefix}
	if got, err := r.CompilePlan(t.Context(), digest, source); err != nil || !bytes.Equal(got, c.plan.Bytes) {
		t.Errorf("%s: CompilePlan gives %d bytes, %v, want the %d that are compiled natively", in.name, len(got), err, len(c.plan.Bytes))
	}
	if got, err := r.CompileOverlay(t.Context(), digest, source); err != nil || !bytes.Equal(got, c.overlay.Bytes) {
		t.Errorf("%s: CompileOverlay gives %d bytes, %v, want the %d that are compiled natively", in.name, len(got), err, len(c.overlay.Bytes))
	}
}

func compareCompiled(t testing.TB, r *wasm.Runtime, digest string, in input, c compiledInput) {
	t.Helper()
	alone := renderer.LoadTree(parse(t, in.theme), nil, in.prefix)
	for f := range abi.File(abi.FileCount) {
		want := c.set.Append(nil, renderer.File(f))
		req := wasm.Request{Plan: c.plan, Overlay: c.overlay, File: f}
		for _, whole := range []bool{true, false} {
			if got, err := r.RenderOneWay(t.Context(), digest, req, whole); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s (whole: %t) differs under wazero: %d bytes, %v, native %d", in.name, f.Name(), whole, len(got), err, len(want))
			}
		}
		if got, err := r.Render(t.Context(), digest, req); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: Render(%s) = %d bytes, %v, native %d", in.name, f.Name(), len(got), err, len(want))
		}
		req.Overlay = wasm.Blob{}
		want = alone.Append(nil, renderer.File(f))
		if got, err := r.Render(t.Context(), digest, req); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the Theme alone, %s = %d bytes, %v, native %d", in.name, f.Name(), len(got), err, len(want))
		}
	}
}

// value draws a token's value: of any JSON kind, and often an alias.
func value(d *rapid.T) string {
	return rapid.SampledFrom([]string{
		`"#12345678"`, `"{g.a}"`, `"{g.b}"`, `"calc({g.a} * 2)"`, `"4px"`, `12`, `true`, `null`, `["Inter","sans"]`, `"\u00e9</style>"`,
		`{"color":"{g.a}","width":"1px","style":"solid"}`, `{"value":3,"unit":"rem"}`, `[0.1,0.2,0.3,1]`, `"250ms"`, `{"colorSpace":"oklch","components":[0.7,0.2,30]}`,
	}).Draw(d, "value")
}

// Random documents, random overrides: the same bytes.
func TestRandomDocumentsAreTheSame(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	rapid.Check(t, func(d *rapid.T) {
		theme, overrides := `{"g":{`, `{"none":1`
		for i, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d e", "É", "$root", "x"}), 1, 7, rapid.ID).Draw(d, "names") {
			if i > 0 {
				theme += ","
			}
			kind := rapid.SampledFrom([]string{"color", "dimension", "fontFamily", "border", "number", "shadow", "duration"}).Draw(d, "type")
			theme += `"` + name + `":{"$type":"` + kind + `","$value":` + value(d) + `}`
			if rapid.Bool().Draw(d, "overridden") {
				overrides += `,"g.` + name + `":` + value(d)
			}
		}
		in := input{"random", []byte(theme + "}}"), []byte(overrides + "}"), rapid.SampledFrom([]string{"", "lv"}).Draw(d, "prefix")}
		d.Logf("theme %s overrides %s", in.theme, in.overrides)
		compare(t, r, digest, in)
		if t.Failed() {
			d.FailNow()
		}
	})
}

// One instance is asked for different Themes, overlays and prefixes in turn: what it holds from the
// call before must never show.
func TestHeldPlansNeverShow(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, wasm.Config{Instances: 1, PlanBytes: 600})
	digest := load(t, r, guest(t))
	themes := []string{
		`{"a":{"$type":"dimension","$value":"1px"}}`,
		`{"a":{"$type":"dimension","$value":"2px"}}`,
		`{"b":{"$type":"dimension","$value":"1px"},"c":{"$value":"{b}"}}`,
	}
	for range 2 {
		for _, prefix := range []string{"", "p"} {
			for _, theme := range themes {
				for _, over := range []string{"", `{"a":"9px"}`, `{"b":"8px"}`, `{}`} {
					compare(t, r, digest, input{prefix + theme + over, []byte(theme), []byte(over), prefix})
				}
			}
		}
	}
	if s := r.Stats(); s.PlanBytes > 2*600 {
		t.Errorf("two instances hold plans of %d bytes, want at most 600 each", s.PlanBytes)
	}
}
