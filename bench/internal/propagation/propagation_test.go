//go:build linux

package propagation

import (
	"strings"
	"testing"

	"example.com/livery/bench/internal/figures"
)

func TestWatchedEdgesTakeTurns(t *testing.T) {
	edges := make([]*liveEdge, 25)
	for i := range edges {
		edges[i] = &liveEdge{}
	}
	seen := map[*liveEdge]bool{}
	for n := range 3 {
		for _, e := range turn(edges, n) {
			seen[e] = true
		}
	}
	if len(seen) != len(edges) {
		t.Errorf("%d edges were watched in three turns, want all of %d", len(seen), len(edges))
	}
	if got := turn(edges[:4], 7); len(got) != 4 {
		t.Errorf("%d of 4 edges are watched", len(got))
	}
}

// What an edge more costs is measured between the fewest and the most, and an estimate says that it is one.
func TestManyEdgesAreEstimated(t *testing.T) {
	b := bench{estimate: 10_000, figures: &figures.Set{}, costs: []cost{{1, 5}, {10, 30}, {101, 105}}}
	b.estimateMany()
	if f, ok := b.figures.Find("origin, all of a publish (an estimate)", "", "ms of processor a publish", 10_000); !ok || f.Value != 5+9999 {
		t.Errorf("estimate = %+v, %v, want 10,004", f, ok)
	}
	if len(b.figures.Notes) != 1 || !strings.Contains(b.figures.Notes[0], "estimate") {
		t.Errorf("notes = %q", b.figures.Notes)
	}
	if got := slope([]cost{{1, 5}, {10, 4}}); got != 0 {
		t.Errorf("an edge more costs %v, want nothing where many cost less", got)
	}
	if got := slope(b.costs[:1]); got != 0 {
		t.Errorf("slope of one = %v", got)
	}
}
