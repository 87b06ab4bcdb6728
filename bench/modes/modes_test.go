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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
)

var (
	page   = flag.String("page", "", "write the report to `FILE`")
	corpus = flag.String("corpus", "../../../shared/corpus", "the folder of github-primer.tokens.json and its maps of overrides")
)

// The modes of the measurement.
const (
	dark = "dark"
	more = "more"
	both = "dark,more"
)

// result is the stylesheets of a tool, and the processor time that it took to make them.
type result struct {
	Text         string  `json:"text"`
	Milliseconds float64 `json:"milliseconds"`
}

// TestModes measures one stylesheet for a scheme and a contrast.
func TestModes(t *testing.T) {
	if *page == "" {
		t.Skip("it runs other tools that are installed from npm (make modes)")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# One stylesheet for a scheme and a contrast\n\n%s, `make modes`, %s. GitHub Primer, light and dark, with the values that differ in its high contrast as a second dimension. ",
		time.Now().Format(time.DateOnly), runtime.Version())
	b.WriteString("Style Dictionary writes a file for each of the four combinations, Terrazzo a permutation for each; both are put under the same media conditions and attributes. ")
	b.WriteString("Livery's sheet is right for nested elements too, in whatever order they have the attributes (`make browser` proves it). ")
	b.WriteString("Time is of the processor, of a second run from the parsed document.\n\n")
	b.WriteString("| | bytes | brotli 11 | of one file of Livery | ms |\n|---|---:|---:|---:|---:|\n")
	single := primer(t, false, nil)
	one := compressed([]byte(single.Text))
	line := func(name string, r result) {
		size, took := compressed([]byte(r.Text)), ""
		if r.Milliseconds > 0 {
			took = fmt.Sprintf("%.0f", r.Milliseconds)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %.2f | %s |\n", name, len(r.Text), size, float64(size)/float64(one), took)
	}
	line("Livery, one mode", single)
	line("Livery, `?modes=scheme`", primer(t, false, dimensions[:1]))
	line("Livery, `?modes=scheme,contrast`", primer(t, false, dimensions))
	line("Livery, `?modes=scheme~light-dark`", primer(t, true, dimensions[:1]))
	line("Livery, `?modes=scheme~light-dark,contrast`", primer(t, true, dimensions))
	others := peers(t)
	line("Style Dictionary, four combinations", others["Style Dictionary"])
	line("Terrazzo, four permutations", others["Terrazzo"])
	line("The file and, behind it, once what dark and what contrast have otherwise", result{Text: single.Text + differences(t)})
	b.WriteString("\nThe last line is no stylesheet: it is what any stylesheet takes at least that leaves the file as it is and writes blocks behind it. ")
	b.WriteString("Livery takes what modes change out of the file, and writes each name once with all of its values.\n")
	b.WriteString(speed(t))
	if err := os.WriteFile(*page, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOneStylesheetIsSmall holds the stylesheet of a scheme and a contrast to less than 1.25 times one mode.
func TestOneStylesheetIsSmall(t *testing.T) {
	if _, err := os.Stat(*corpus); err != nil {
		t.Skipf("NOT PROVEN: %v", err)
	}
	one, sheet := compressed([]byte(primer(t, false, nil).Text)), compressed([]byte(primer(t, false, dimensions).Text))
	if sheet*100 >= one*125 {
		t.Errorf("the stylesheet takes %d bytes, %.2f times the %d of one mode: want less than 1.25", sheet, float64(sheet)/float64(one), one)
	}
}

var dimensions = []modesheet.Dimension{
	{Name: "scheme", Modes: []modesheet.Mode{{Name: "light", Base: true}, {Name: dark, When: "(prefers-color-scheme: dark)"}}},
	{Name: "contrast", Modes: []modesheet.Mode{{Name: more, When: "(prefers-contrast: more)"}}},
}

// forms returns the dimensions, the scheme with light-dark() or without.
func forms(lightDark bool) []modesheet.Dimension {
	dims := slices.Clone(dimensions)
	dims[0].LightDark = lightDark
	return dims
}

// primer returns the stylesheet of Primer for some of the dimensions, for none its tokens.css.
func primer(t *testing.T, lightDark bool, dims []modesheet.Dimension) (r result) {
	t.Helper()
	document, overrides := read(t)
	base := compile(t, document)
	flat := func(choice []int) ([]byte, error) {
		choice = append(slices.Clone(choice), -1, -1)
		names := []string{"", more, dark, both}
		return base.Load(tree(t, overrides[names[2*max(0, choice[0])+choice[1]+1]])).Append(nil, renderer.TokensCSS), nil
	}
	for range 2 { // the second counts, as it does for the others
		began := figures.ProcessorTime()
		single, _ := flat(nil)
		sheet, err := modesheet.Append(nil, single, forms(lightDark)[:len(dims)], flat)
		if err != nil {
			t.Fatal(err)
		}
		r = result{string(sheet), float64(figures.ProcessorTime()-began) / 1e6}
	}
	return r
}

// differences returns the lines that only the dark scheme has, and those that only the contrast has.
func differences(t *testing.T) (lines string) {
	t.Helper()
	document, overrides := read(t)
	base := compile(t, document)
	single := string(base.Load(tree(t, nil)).Append(nil, renderer.TokensCSS))
	for _, mode := range []string{dark, more} {
		for line := range bytes.Lines(base.Load(tree(t, overrides[mode])).Append(nil, renderer.TokensCSS)) {
			if !strings.Contains(single, string(line)) {
				lines += string(line)
			}
		}
	}
	return lines
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

// peers runs the other tools.
func peers(t *testing.T) (results map[string]result) {
	t.Helper()
	document, overrides := read(t)
	node(t, "../peers/modes.mjs", map[string]any{"document": json.RawMessage(document), "maps": overrides}, &results)
	return results
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
