//go:build linux

package propagation

import (
	"slices"

	"example.com/livery/bench/internal/figures"
)

// cost is what a publish cost the origin with so many edges.
type cost struct {
	edges      int
	perPublish float64 // ms of processor, with all that the edges ask
}

// slope returns what each edge more adds to the costs, by the fewest and the most edges: never below 0.
func slope(costs []cost) float64 {
	if len(costs) < 2 {
		return 0
	}
	least := slices.MinFunc(costs, func(a, b cost) int { return a.edges - b.edges })
	most := slices.MaxFunc(costs, func(a, b cost) int { return a.edges - b.edges })
	if least.edges == most.edges {
		return 0
	}
	return max(0, (most.perPublish-least.perPublish)/float64(most.edges-least.edges))
}

// estimateMany adds what a publish would cost the origin with very many edges, and says that it is not
// measured.
func (b *bench) estimateMany() {
	if len(b.costs) < 2 {
		return
	}
	each := slope(b.costs)
	first := b.costs[0]
	b.figures.AddOne(figures.Figure{Name: "origin, each edge more", Unit: "ms of processor a publish", Over: "edges", At: float64(b.costs[len(b.costs)-1].edges)}, each)
	estimated := first.perPublish + each*float64(b.estimate-first.edges)
	b.figures.AddOne(figures.Figure{Name: "origin, all of a publish (an estimate)", Unit: "ms of processor a publish", Over: "edges", At: float64(b.estimate)}, estimated)
	b.figures.Note("The figure for %d edges is an estimate: the measured cost of an edge more, times their number; connections, memory and the network of so many are not in it. Edges behind edges divide it.", b.estimate)
}
