package main

import (
	"testing"
	"time"

	"example.com/livery/renderer"
)

// The documents are what they claim: every token is served, every override counts and changes something.
func TestDocumentsAreServedWhole(t *testing.T) {
	for _, n := range tokenCounts[:2] {
		c := renderer.Compile(tree(theme(n)), "")
		for _, count := range overrideCounts[:4] {
			if found := c.Load(tree(brand(n, count))).Diagnostics(); len(found) > 0 {
				t.Errorf("%d tokens, %d overrides: %v", n, count, found[0])
			}
		}
	}
}

func TestCellsKnowTheirNeighbours(t *testing.T) {
	cells := []cell{{what: "a", tokens: 500, overrides: 10}, {what: "a", tokens: 2000, overrides: 10}, {what: "a", tokens: 2000, overrides: 50}, {what: "b", tokens: 500}}
	if got := smallerTheme(cells, &cells[1]); got != &cells[0] {
		t.Errorf("smallerTheme = %v", got)
	}
	if got := smallerVariant(cells, &cells[2]); got != &cells[1] {
		t.Errorf("smallerVariant = %v", got)
	}
	for _, got := range []*cell{smallerTheme(cells, &cells[0]), smallerTheme(cells, &cells[3]), smallerTheme(cells, &cells[2]), smallerVariant(cells, &cells[1]), smallerVariant(cells, &cells[3])} {
		if got != nil {
			t.Errorf("a neighbour of nothing: %v", got)
		}
	}
	cells[0].times, cells[1].times = []time.Duration{9, 1, 2}, []time.Duration{8, 4, 9}
	if got := growth(&cells[1], &cells[0], tokensOf); got != "4.00 / 4" || cells[0].median() != 2 {
		t.Errorf("growth = %q, median %d", got, cells[0].median())
	}
}

// A cell counts what one run costs.
func TestMeasure(t *testing.T) {
	var kept [][]byte
	c := cell{run: func() { kept = append(kept[:0], make([]byte, 100)) }}
	c.measure(time.Millisecond)
	if len(c.times) != 1 || c.times[0] <= 0 || c.allocs != 1 {
		t.Errorf("measure counts %v and %v allocations", c.times, c.allocs)
	}
}
