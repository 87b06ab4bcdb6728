package render

import (
	"fmt"

	"example.com/livery/bench/internal/figures"
)

// addFigures adds the cells: growth with tokens at 50 overrides or none, and with overrides at 2,000 tokens.
func addFigures(set *figures.Set, cells []cell) {
	for i := range cells {
		c := &cells[i]
		var rounds []float64
		for _, d := range c.times {
			rounds = append(rounds, float64(d.Nanoseconds())/1e3)
		}
		if c.overrides == 0 || c.overrides == 50 {
			name := c.what
			if c.overrides > 0 {
				name += fmt.Sprintf(", %d overrides", c.overrides)
			}
			set.AddRounds(figures.Figure{Name: name, Unit: "µs", Over: "tokens", At: float64(c.tokens)}, rounds)
			set.AddOne(figures.Figure{Name: name, Unit: "allocations", Over: "tokens", At: float64(c.tokens)}, c.allocs)
		}
		if c.overrides > 0 && c.tokens == 2000 {
			name := c.what + ", " + figures.Grouped(c.tokens) + " tokens"
			set.AddRounds(figures.Figure{Name: name, Unit: "µs", Over: "overrides", At: float64(c.overrides)}, rounds)
		}
	}
}
