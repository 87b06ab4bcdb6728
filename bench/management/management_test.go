package main

import (
	"strings"
	"testing"
	"time"

	"example.com/livery/storage/postgres/postgrestest"
)

func TestTheTableIsAlignedMarkdown(t *testing.T) {
	got := table([]row{
		{what: "short", took: samples{time.Millisecond}},
		{what: "something longer", took: make(samples, 1234), ratio: 1.5, of: "time, to short"},
	})
	want := `
| what             | requests |   median |      p99 | ratio | of what        |
|------------------|---------:|---------:|---------:|------:|----------------|
| short            |        1 | 1.000 ms | 1.000 ms |       |                |
| something longer |    1,234 | 0.000 ms | 0.000 ms |  1.50 | time, to short |
`
	if got != want[1:] {
		t.Errorf("table() =\n%swant%s", got, want)
	}
}

func TestSamplesAreRankedAndKeepTheirOrder(t *testing.T) {
	s := samples{}
	for i := 100; i > 0; i-- {
		s = append(s, time.Duration(i))
	}
	if s.median() != 50 || s.at(0.99) != 99 || s.at(1) != 100 || s[0] != 100 {
		t.Errorf("median %d, p99 %d, worst %d, first %d, want 50, 99, 100, 100", s.median(), s.at(0.99), s.at(1), s[0])
	}
	if got := (samples{}).median(); got != 0 {
		t.Errorf("median of nothing = %d, want 0", got)
	}
}

// Every scenario runs to its end over real origins, with each check of what was answered.
func TestEveryScenarioMeasures(t *testing.T) {
	b := bench{dir: t.TempDir(), size: size{
		tokens: []int{20, 200}, variants: []int{1, 2, 3}, overrides: 20, themes: []int{1, 200}, writers: 3,
		rounds: 2, reads: 1, slices: 1, slice: time.Millisecond, publishTokens: 40, heavyTokens: 40,
	}}
	rows, err := b.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := 2*len(b.size.tokens) + 2*len(b.size.variants) + len(listings)*len(b.size.themes) + len(loads)*len(crowds) + 3
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	for _, r := range rows {
		if len(r.took) == 0 || strings.Contains(r.what, "%") {
			t.Errorf("the row %q has %d samples", r.what, len(r.took))
		}
	}
}

// Both engines do the same work, over real servers.
func TestEnginesAreMeasured(t *testing.T) {
	if why := postgrestest.Why(); why != "" {
		t.Skip(why)
	}
	b := bench{dir: t.TempDir(), only: []string{"engines"}, postgres: ownServer, size: size{tokens: []int{20}, slices: 1, slice: time.Millisecond}}
	rows, err := b.run(t.Context())
	if err != nil || len(rows) != 3*len(engineLoads) {
		t.Fatalf("%d rows, %v, want %d", len(rows), err, 3*len(engineLoads))
	}
	for _, r := range rows {
		if len(r.took) == 0 {
			t.Errorf("the row %q has no samples", r.what)
		}
	}
}

func TestWhatIsNotKnownIsNotMeasured(t *testing.T) {
	b := bench{only: []string{"nothing"}}
	if _, err := b.run(t.Context()); err == nil || !strings.Contains(err.Error(), "edits") {
		t.Errorf("run of %q = %v, want an error that names what there is", b.only, err)
	}
}
