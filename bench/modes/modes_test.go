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
	"syscall"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

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
	document, overrides := read(t)
	var ours result
	var single []byte
	base := compile(t, document)
	for range 2 { // the second counts, as it does for the others
		began := processorTime(t)
		single = base.Load(tree(t, nil)).Append(nil, renderer.TokensCSS)
		sheet, err := modesheet.Append(bytes.Clone(single), single, dimensions, func(choice []int) ([]byte, error) {
			return base.Load(tree(t, overrides[[]string{"", more, dark, both}[2*max(0, choice[0])+choice[1]+1]])).Append(nil, renderer.TokensCSS), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ours = result{string(sheet), float64(processorTime(t)-began) / 1e6}
	}
	others := peers(t, document, overrides)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# One stylesheet for a scheme and a contrast\n\n%s, `make modes`, %s. GitHub Primer, light and dark, with the values that differ in its high contrast as a second dimension. ",
		time.Now().Format(time.DateOnly), runtime.Version())
	b.WriteString("Style Dictionary writes a file for each of the four combinations, Terrazzo a permutation for each; both are put under the same media conditions and attributes. ")
	b.WriteString("Livery's sheet is right for nested elements too, in whatever order they have the attributes (`make browser` proves it): this is what most of its plain bytes are for. ")
	b.WriteString("Time is of the processor, of a second run from the parsed document.\n\n")
	b.WriteString("| | bytes | brotli 11 | of one file of Livery | ms |\n|---|---:|---:|---:|---:|\n")
	one := compressed(single)
	line := func(name string, r result) {
		size := compressed([]byte(r.Text))
		fmt.Fprintf(&b, "| %s | %d | %d | %.2f | %.0f |\n", name, len(r.Text), size, float64(size)/float64(one), r.Milliseconds)
	}
	fmt.Fprintf(&b, "| Livery, one mode | %d | %d | 1.00 | |\n", len(single), one)
	line("Livery, `?modes=scheme,contrast`", ours)
	line("Style Dictionary, four combinations", others["Style Dictionary"])
	line("Terrazzo, four permutations", others["Terrazzo"])
	if err := os.WriteFile(*page, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

var dimensions = []modesheet.Dimension{
	{Name: "scheme", Modes: []modesheet.Mode{{Name: "light", Base: true}, {Name: dark, When: "(prefers-color-scheme: dark)"}}},
	{Name: "contrast", Modes: []modesheet.Mode{{Name: more, When: "(prefers-contrast: more)"}}},
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
func peers(t *testing.T, document []byte, overrides map[string]map[string]any) (results map[string]result) {
	t.Helper()
	input, err := json.Marshal(map[string]any{"document": json.RawMessage(document), "maps": overrides})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "input.json")
	if err := os.WriteFile(name, input, 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "node", "../peers/modes.mjs", name)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err == nil {
		err = json.Unmarshal(out, &results)
	}
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// compressed is the length of text under brotli at level 11.
func compressed(text []byte) int {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	w.Write(text)
	w.Close()
	return b.Len()
}

// processorTime is what the process has taken of the processor.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
