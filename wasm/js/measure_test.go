//go:build browser

package js

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/renderer"
	"example.com/livery/renderer/plan"
)

var resultsPath = flag.String("results", "", "measure Node and Chromium beside native, and write the table to this file")

// rounds is how often all hosts are measured in turn.
const rounds = 5

// step is one thing that is measured: its name in the table and in what measure.mjs returns.
type step struct{ name, key string }

var steps = []step{
	{"compile the module from its bytes", "compile"},
	{"start an instance", "start"},
	{"compile the Theme's plan, first", "first"},
	{"open a plan", "plan"},
	{"render from plan and overlay", "render"},
	{"compile overrides and render: one key in a preview", "preview"},
}

// TestMeasure writes the table. Without -results it has nothing to do.
func TestMeasure(t *testing.T) {
	if *resultsPath == "" {
		t.Skip("-results names no file")
	}
	module(t)
	s := measured()
	tab := openTab(t)
	p := newParity(t, []source{s})
	var native, node, chromium []map[string]float64
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "measure: round %d of %d\n", round+1, rounds)
		native = append(native, measureNative(t, s))
		node = append(node, measureNode(t, s))
		visit(t, tab, p.server.URL+"/sources")
		chromium = append(chromium, evaluate[map[string]float64](t, tab, measureInTab))
	}
	table := report(t, tab, s, native, node, chromium)
	if err := os.WriteFile(*resultsPath, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
}

const measureInTab = `(async () => {
	const { load } = await import("/wasm/livery.mjs");
	const { measure } = await import("/wasm/js/testdata/measure.mjs");
	const [module, source] = await Promise.all(["/wasm/module/renderer.wasm", "/sources/0"].map((name) => fetch(name)));
	return measure(load, await module.arrayBuffer(), await source.json());
})()`

// measured is a Theme of 2,000 tokens and a Variant of 50 overrides, which reach 112 of them.
func measured() source {
	theme, overrides := []string{}, []string{}
	for i := range 2000 {
		value := fmt.Sprintf(`"#%06x"`, i*8191%(1<<24))
		switch {
		case i >= 1000 && i < 1062:
			value = fmt.Sprintf(`"{colour.palette-%d}"`, (i-1000)%50)
		case i >= 1062 && i < 1400:
			value = fmt.Sprintf(`"{colour.palette-%d}"`, i-1000)
		}
		theme = append(theme, fmt.Sprintf(`"palette-%d":{"$value":%s,"$description":"colour number %d"}`, i, value, i))
	}
	for i := range 50 {
		overrides = append(overrides, fmt.Sprintf(`"colour.palette-%d":"#%06x"`, i, i*4099+7))
	}
	return source{Name: "measured", Theme: `{"colour":{"$type":"color",` + strings.Join(theme, ",") + "}}", Overrides: "{" + strings.Join(overrides, ",") + "}"}
}

// measureNative does what measure.mjs does, without a module. A file is new memory, as it is there.
func measureNative(t *testing.T, s source) map[string]float64 {
	theme, overrides := parse(t, s.Theme), parse(t, s.Overrides)
	found := map[string]float64{"first": once(func() { renderer.Compile(parse(t, s.Theme), "").Plan(renderer.TokensCSS) })}
	compiled := renderer.Compile(theme, "")
	overlay := compiled.Overlay(compiled.Load(overrides), renderer.TokensCSS)
	open, err := plan.Open(compiled.Plan(renderer.TokensCSS))
	if err != nil {
		t.Fatal(err)
	}
	render := func(blob []byte) {
		o, err := plan.OpenOverlay(open, blob)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Append(nil)) == 0 {
			t.Fatal("nothing was rendered")
		}
	}
	found["plan"] = mean(func() { _, _ = plan.Open(slices.Clone(compiled.Plan(renderer.TokensCSS))) })
	found["render"] = mean(func() { render(overlay) })
	found["preview"] = mean(func() { render(compiled.Overlay(compiled.Load(parse(t, s.Overrides)), renderer.TokensCSS)) })
	return found
}

func once(f func()) float64 {
	began := time.Now()
	f()
	return milliseconds(time.Since(began))
}

func mean(f func()) float64 {
	began, calls := time.Now(), 0
	for ; time.Since(began) < 300*time.Millisecond; calls++ {
		f()
	}
	return milliseconds(time.Since(began)) / float64(calls)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func measureNode(t *testing.T, s source) (found map[string]float64) {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "source.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(runNode(t, "measure.node.mjs", *modulePath, name), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// report spells the table.
func report(t *testing.T, tab context.Context, s source, native, node, chromium []map[string]float64) string {
	version, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	agent := evaluate[string](t, tab, `navigator.userAgent.match(/Chrome\/[\d.]+/)[0]`)
	made := s.native(t)[renderer.TokensCSS]
	var b strings.Builder
	fmt.Fprintf(&b, "# The renderer in JavaScript, measured\n\n%s, `go test -tags browser -run TestMeasure -results ../../bench/results/javascript.md ./wasm/js`, %d cores, %s/%s, %s, Node %s, %s. The quickest of %d rounds, all hosts in turn\n"+
		"in one run, with the median: what the machine did beside it slows a round, and never quickens one. Read ratios. The Theme has 2,000 tokens, the Variant 50 overrides that reach 112; tokens.css has %d bytes, the overlay %d, the module %d. Every file\n"+
		"is new memory that belongs to the caller, in all hosts. \"times\" is to native, of the quickest. Node starts anew in each round; Chromium keeps the code of a module it has compiled,\n"+
		"so that after its first round the first three are those of a second visit. Load of the machine at the end of the run, on its %d cores: %s.\n\n",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), strings.TrimSpace(string(version)), agent, rounds,
		len(made.variant), len(made.overlay), len(module(t)), runtime.NumCPU(), load())
	b.WriteString("| what | native | median | Node | median | times | Chromium | median | times |\n|-|-:|-:|-:|-:|-:|-:|-:|-:|\n")
	for _, step := range steps {
		own, median := spread(native, step.key)
		fmt.Fprintf(&b, "| %s | %s | %s |", step.name, spell(own), spell(median))
		for _, host := range [][]map[string]float64{node, chromium} {
			quickest, median := spread(host, step.key)
			fmt.Fprintf(&b, " %s | %s | %s |", spell(quickest), spell(median), times(quickest, own))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// load is the mean number of processes that wanted a core in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

// spread returns the least and the median of one measure; 0 if the host has none.
func spread(host []map[string]float64, key string) (quickest, median float64) {
	var found []float64
	for _, round := range host {
		found = append(found, round[key])
	}
	slices.Sort(found)
	return found[0], found[len(found)/2]
}

func times(a, b float64) string {
	if b == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", a/b)
}

func spell(milliseconds float64) string {
	switch {
	case milliseconds == 0:
		return ""
	case milliseconds < 1:
		return fmt.Sprintf("%.1f µs", milliseconds*1000)
	}
	return fmt.Sprintf("%.1f ms", milliseconds)
}

// What is measured is what the table says.
func TestMeasuredVariantReaches112Tokens(t *testing.T) {
	made := measured().native(t)[renderer.TokensCSS]
	before, after := strings.Split(string(made.alone), "\n"), strings.Split(string(made.variant), "\n")
	changed := 0
	for i := range before {
		if before[i] != after[i] {
			changed++
		}
	}
	if changed != 112 {
		t.Errorf("%d tokens change, want 112", changed)
	}
}
