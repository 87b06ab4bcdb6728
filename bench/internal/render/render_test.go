package render

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

// A cell counts what one run costs.
func TestMeasure(t *testing.T) {
	var kept [][]byte
	c := cell{run: func() { kept = append(kept[:0], make([]byte, 100)) }}
	c.measure(time.Millisecond)
	if len(c.times) != 1 || c.times[0] <= 0 || c.allocs != 1 {
		t.Errorf("measure counts %v and %v allocations", c.times, c.allocs)
	}
}
