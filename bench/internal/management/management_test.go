package management

import (
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// A row is a figure for each quantile, for its ratio and its rate.
func TestRowsAreFigures(t *testing.T) {
	var set figures.Set
	addFigures(&set, []row{{what: "short", took: figures.Times{time.Millisecond}}, {what: "long", took: figures.Times{time.Second}, ratio: 1.5, of: "time, to short", rate: 7}})
	for _, want := range []figures.Figure{
		{Name: "short", Unit: "p50, ms", Value: 1}, {Name: "long", Unit: "p99, ms", Value: 1000}, {Name: "long", Unit: "ratio: time, to short", Value: 1.5}, {Name: "long", Unit: "1/s", Value: 7},
	} {
		if got, ok := set.Find(want.Name, "", want.Unit, 0); !ok || got.Value != want.Value {
			t.Errorf("%s, %s = %+v, %v", want.Name, want.Unit, got, ok)
		}
	}
	if len(set.Figures) != 6 {
		t.Errorf("%d figures, want 6", len(set.Figures))
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
			t.Errorf("the row %q has %d figures.Times", r.what, len(r.took))
		}
	}
}

func TestWhatIsNotKnownIsNotMeasured(t *testing.T) {
	b := bench{only: frame.Words{"nothing"}}
	if _, err := b.run(t.Context()); err == nil || !strings.Contains(err.Error(), "edits") {
		t.Errorf("run of %q = %v, want an error that names what there is", b.only, err)
	}
}
