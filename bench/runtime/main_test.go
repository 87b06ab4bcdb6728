package main

import (
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
)

// A short run measures everything and reaches its end.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the module and measures for seconds")
	}
	b := bench{dir: t.TempDir(), told: &figures.Set{}, size: size{
		starts: 1, instances: 4, rounds: 2, slice: time.Millisecond, loads: 1, load: 10 * time.Millisecond, tokens: []int{100}, overrides: []int{1, 60},
	}}
	report, err := b.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range b.parts() {
		if !strings.Contains(report, "## "+part.title) {
			t.Errorf("the report has no part %q", part.title)
		}
	}
	for _, row := range []string{"| 100    | 1 ", "| livery: renderer/css ", "| runtime "} {
		if !strings.Contains(report, row) {
			t.Errorf("the report has no row that begins with %q:\n%s", row, report)
		}
	}
	if strings.Contains(report, "| 100    | 60 ") {
		t.Error("more overrides than there are colours are measured")
	}
}

func TestTableIsAligned(t *testing.T) {
	table := table{head: []string{"what", "µs"}}
	table.add("a", 1)
	table.add("longer", "2 µs")
	want := "| what   | µs   |\n|--------|------|\n| a      | 1    |\n| longer | 2 µs |\n"
	if got := table.String(); got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
}

func TestQuantiles(t *testing.T) {
	numbers := []float64{5, 1, 4, 2, 3}
	for part, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 3, 1: 5} {
		if got := quantile(numbers, part); got != want {
			t.Errorf("quantile(%v) = %v, want %v", part, got, want)
		}
	}
	if got := markdown.Grouped(1234567); got != "1,234,567" {
		t.Errorf("grouped = %q", got)
	}
}

func TestPackagesOfFunctions(t *testing.T) {
	for name, want := range map[string]string{
		"example.com_livery_renderer_css.Append":       "livery: renderer/css",
		"example.com_livery_renderer.__Set_.Append":    "livery: renderer",
		"runtime.mallocgc":                             "runtime",
		"internal_runtime_maps.__Map_.getWithKeySmall": "internal/runtime/maps",
	} {
		if got := packageOf(name); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// What is no module is weighed without a panic.
func TestDamagedModules(t *testing.T) {
	for _, module := range []string{"", "\x00asm", "\x00asm\x01\x00\x00\x00\x0a", "\x00asm\x01\x00\x00\x00\x00\x05\x04name\x01", "\x00asm\x01\x00\x00\x00\x02\x02\x01\x00"} {
		_, _, _ = weighModule([]byte(module))
	}
}
