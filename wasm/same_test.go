package wasm_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/renderer"
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

func read(t testing.TB, path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// golden returns the renderer's golden cases.
func golden(t testing.TB) []input {
	themes, _ := filepath.Glob(filepath.Join(root, "renderer", "testdata", "*", "theme.json"))
	if len(themes) == 0 {
		t.Skip("the renderer has no golden cases: none is compared")
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

// The same bytes come out natively and under wazero (decisions 6.5), for every file.
func TestWASMEqualsNative(t *testing.T) {
	r := newRuntime(t, wasm.Config{})
	digest := load(t, r, guest(t))
	for _, source := range []struct {
		name   string
		inputs func(testing.TB) []input
	}{{"corpus", corpus}, {"golden", golden}} {
		t.Run(source.name, func(t *testing.T) {
			for _, in := range source.inputs(t) {
				compare(t, r, digest, in)
			}
		})
	}
}

func compare(t *testing.T, r *wasm.Runtime, digest string, in input) {
	set, err := renderer.Load(string(in.theme), string(in.overrides), in.prefix)
	if err != nil {
		t.Errorf("%s: native: %v", in.name, err)
		return
	}
	for f := range abi.File(abi.FileCount) {
		want := set.Append(nil, renderer.File(f))
		got, err := r.Render(t.Context(), digest, wasm.Request{Theme: in.theme, Overrides: in.overrides, Prefix: in.prefix, File: f})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %s differs under wazero (error %v): %d bytes, native %d", in.name, f.Name(), err, len(got), len(want))
		}
	}
}

// One instance is asked for different Themes, overlays and prefixes in turn: what it holds from the
// call before must never show.
func TestHeldThemeNeverShows(t *testing.T) {
	r := newRuntime(t, wasm.Config{Instances: 1})
	digest := load(t, r, guest(t))
	themes := []string{
		`{"a":{"$type":"dimension","$value":"1px"}}`,
		`{"a":{"$type":"dimension","$value":"2px"}}`,
		`{"b":{"$type":"dimension","$value":"1px"},"c":{"$value":"{b}"}}`,
	}
	overrides := []string{"", `{"a":"9px"}`, `{"b":"8px"}`, `{}`}
	for round := range 2 {
		for _, prefix := range []string{"", "p"} {
			for _, theme := range themes {
				for _, over := range overrides {
					compare(t, r, digest, input{strings.Join([]string{"round", string(rune('0' + round)), prefix, theme, over}, " "), []byte(theme), []byte(over), prefix})
				}
			}
		}
	}
}
