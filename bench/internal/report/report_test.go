package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// measured are results in which livery is ahead at 2 KB and behind at 200 KB.
func measured() *results {
	set := &figures.Set{Command: "go run ./bench edge"}
	for _, row := range []struct {
		name                 string
		livery, nginx, caddy []float64
	}{
		{"2 KB, 64 connections", []float64{8, 10, 12}, []float64{15, 16, 20}, []float64{90, 100, 110}},
		{"200 KB identity", []float64{40, 40, 40}, []float64{20, 20, 20}, []float64{80, 80, 80}},
	} {
		set.AddRounds(figures.Figure{Name: row.name, Subject: "livery", Unit: cost}, row.livery)
		set.AddRounds(figures.Figure{Name: row.name, Subject: "nginx sendfile", Unit: cost}, row.nginx)
		set.AddRounds(figures.Figure{Name: row.name, Subject: "caddy", Unit: cost}, row.caddy)
	}
	for at, ms := range map[float64]float64{1000: 1, 100_000: 50} {
		set.AddOne(figures.Figure{Name: "latency", Subject: "livery", Unit: "p99 from due, ms", Over: "requests/s", At: at}, ms)
	}
	set.Note("h2o is left out")
	return &results{parts: sampleParts, Machine: machine{Processor: "a processor", Cores: 2}, Parts: map[string]*result{
		"edge": {When: "2026-01-02 03:04:05", Quick: true, Seconds: 61, Load: "0.10", Set: set},
		"use":  {When: "2026-01-02 03:05:05", LeftOut: "bin/livery is not there"},
	}}
}

var sampleParts = []frame.Part{{Name: "edge", Title: "The edge"}, {Name: "use", Title: "Use"}, {Name: "storage", Title: "The store"}}

func TestPageTellsMethodReachesAndFigures(t *testing.T) {
	page := measured().page()
	for _, want := range []string{
		"**Not to be believed yet:** edge ran only long enough",
		"Machine: a processor, 2 cores",
		`<a id="by-edge"></a>edge`, "`go run ./bench edge`", "| left out: bin/livery is not there", "| never ",
		"- h2o is left out",
		"| 10 (8 to 12) | 16 (15 to 20), 1.6× | 100 (90 to 110), 10× |",
		"![latency: p99 from due, ms by requests/s](edge-requests-s-p99-from-due-ms.svg)",
		"| 100,000 requests/s |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if method, reached := strings.Index(page, "## Method"), strings.Index(page, "## What was to be reached"); method < 0 || reached < method {
		t.Error("the method does not stand first")
	}
}

// What is behind is computed: a reach that is missed, and a server that answers for less.
func TestBehindIsComputed(t *testing.T) {
	text := measured().behindText()
	for _, want := range []string{
		"- capacity of a core beside the better nginx, 200 KB identity: 0.5 times measured, at least 0.8 times wanted.",
		"- 200 KB identity: a request costs livery 40 µs; less of nginx sendfile (0.50 of it).",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("what is behind does not hold %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "2 KB, 64") || strings.Contains(text, "caddy") {
		t.Errorf("what is ahead is told to be behind:\n%s", text)
	}
	if got := (&results{Parts: map[string]*result{}}).behindText(); got != "Nowhere, by these figures.\n" {
		t.Errorf("of nothing: %q", got)
	}
}

// The quieter rounds are compared: a capacity of 15 beside 8 is 1.9 if the middle is 1.6.
func TestCapacityIsOfTheQuietRounds(t *testing.T) {
	r := edgeReach("2 KB, 64 connections", 1.2, "")
	if got, ok := r.measured(measured()); !ok || got != 15.0/8 || !r.reached(got) {
		t.Errorf("measured = %v, %v, want %v", got, ok, 15.0/8)
	}
	if _, ok := r.measured(&results{Parts: map[string]*result{}}); ok {
		t.Error("what was never measured has a value")
	}
}

func TestUnknownPartsAreRefused(t *testing.T) {
	r := run{parts: sampleParts, only: frame.Words{"edge", "nothing"}}
	if _, err := r.choose(); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("choose of an unknown part = %v", err)
	}
	r.only = frame.Words{"storage", "edge"}
	if chosen, err := r.choose(); err != nil || len(chosen) != 2 || chosen[0].Name != "edge" {
		t.Errorf("choose = %v, %v", chosen, err)
	}
}

// The parts that did not run keep their figures, and plots of what is gone are removed.
func TestReportIsWrittenAnew(t *testing.T) {
	dir := t.TempDir()
	if err := measured().save(dir); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "gone.svg")
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := run{parts: sampleParts, dir: dir, write: true}
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a plot that belongs to nothing is still there")
	}
	drawn, err := os.ReadFile(filepath.Join(dir, "edge-requests-s-p99-from-due-ms.svg"))
	if err != nil || !strings.Contains(string(drawn), "<polyline") {
		t.Errorf("the plot: %v", err)
	}
	all, err := readResults(dir)
	if err != nil || len(all.Parts) != 2 || all.Parts["edge"].Set.Command != "go run ./bench edge" {
		t.Errorf("readResults = %+v, %v", all, err)
	}
}

// What a part needs and is not there is named.
func TestMissingIsNamed(t *testing.T) {
	if got := missing(frame.Part{Needs: []string{"no-such-program"}}, ""); got != "no-such-program" {
		t.Errorf("missing = %q", got)
	}
	if got := missing(frame.Part{Binary: true}, filepath.Join(t.TempDir(), "livery")); !strings.HasSuffix(got, "livery") {
		t.Errorf("missing = %q", got)
	}
	if got := missing(frame.Part{Needs: []string{"go", "./main.go"}}, ""); got != "" {
		t.Errorf("missing = %q, want nothing", got)
	}
}
