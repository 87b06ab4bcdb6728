package modes

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/andybalholm/brotli"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
)

var corpus = flag.String("corpus", "../../../shared/corpus", "the folder of github-primer.tokens.json and its maps of overrides")

// The modes of Primer.
const (
	dark = "dark"
	more = "more"
	both = "dark,more"
)

// TestOneStylesheetIsSmall holds the stylesheet of a scheme and a contrast to less than 1.25 times one mode.
func TestOneStylesheetIsSmall(t *testing.T) {
	if _, err := os.Stat(*corpus); err != nil {
		t.Skipf("NOT PROVEN: %v", err)
	}
	one, sheet := compressed(primer(t, nil)), compressed(primer(t, dimensions))
	if sheet*100 >= one*125 {
		t.Errorf("the stylesheet takes %d bytes, %.2f times the %d of one mode: want less than 1.25", sheet, float64(sheet)/float64(one), one)
	}
}

var dimensions = []modesheet.Dimension{
	{Name: "scheme", Modes: []modesheet.Mode{{Name: "light"}, {Name: dark, When: "(prefers-color-scheme: dark)", Variant: dark}}},
	{Name: "contrast", Modes: []modesheet.Mode{{Name: more, When: "(prefers-contrast: more)", Variant: more}}},
}

// forms returns the dimensions, the scheme with light-dark() or without.
func forms(lightDark bool) []modesheet.Dimension {
	dims := slices.Clone(dimensions)
	dims[0].LightDark = lightDark
	return dims
}

// primer returns the stylesheet of Primer for some of the dimensions, for none its tokens.css.
func primer(t *testing.T, dims []modesheet.Dimension) []byte {
	t.Helper()
	document, overrides := read(t)
	base := compile(t, document)
	flat := func(choice []int) ([]byte, error) {
		choice = append(slices.Clone(choice), -1, -1)
		names := []string{"", more, dark, both}
		return base.Load(tree(t, overrides[names[2*max(0, choice[0])+choice[1]+1]])).Append(nil, renderer.TokensCSS), nil
	}
	single, _ := flat(nil)
	sheet, err := modesheet.Append(nil, single, dims, flat)
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

// read returns Primer, and the overrides of each combination.
func read(t *testing.T) (document []byte, overrides map[string]map[string]any) {
	t.Helper()
	file := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(*corpus, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	overridesOf := func(name string) (m map[string]any) {
		if err := json.Unmarshal(file(name), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	scheme, whole := overridesOf("github-primer.variant-dark.json"), overridesOf("github-primer.variant-dark-hc.json")
	contrast := map[string]any{}
	for path, value := range whole {
		if fmt.Sprint(value) != fmt.Sprint(scheme[path]) {
			contrast[path] = value
		}
	}
	together := maps.Clone(scheme)
	maps.Copy(together, contrast)
	return file("github-primer.tokens.json"), map[string]map[string]any{dark: scheme, more: contrast, both: together}
}

func compile(t *testing.T, document []byte) *renderer.CompiledTheme {
	t.Helper()
	root, err := jsontree.Parse(string(document))
	if err != nil {
		t.Fatal(err)
	}
	return renderer.Compile(root, "")
}

func tree(t *testing.T, overrides map[string]any) *jsontree.Node {
	t.Helper()
	if overrides == nil {
		overrides = map[string]any{}
	}
	text, err := json.Marshal(overrides)
	if err != nil {
		t.Fatal(err)
	}
	root, err := jsontree.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// node runs a script with a file of JSON, and reads the JSON that it prints.
func node(t *testing.T, script string, input, output any) {
	t.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "input.json")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "node", script, name)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err == nil {
		err = json.Unmarshal(out, output)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compressed is the length of text under brotli at level 11.
func compressed(text []byte) int {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	w.Write(text)
	w.Close()
	return b.Len()
}
