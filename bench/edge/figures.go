//go:build linux

package main

import (
	"time"

	"example.com/livery/bench/figures"
)

// tell adds what the rows hold to the figures.
func (b *bench) tell(subjects []*subject, rows []row) {
	for _, r := range rows {
		for i, s := range subjects {
			c := r.cells[i]
			add := func(unit string, rounds []float64) {
				b.figures.AddRounds(figures.Figure{Name: r.name, Subject: s.name, Unit: unit}, rounds)
			}
			add("µs of processor a request", c.cost)
			add("requests/s", c.rate)
			add("p50, ms", milliseconds(c.p50))
			add("p99, ms", milliseconds(c.p99))
			add("p999, ms", milliseconds(c.p999))
		}
	}
}

func milliseconds(list []time.Duration) (numbers []float64) {
	for _, d := range list {
		numbers = append(numbers, float64(d)/float64(time.Millisecond))
	}
	return numbers
}
