//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// row is one scenario's results, a cell for each server.
type row struct {
	scenario
	cells []cell
}

// cell is what the rounds of a server came to.
type cell struct {
	cost     []float64 // microseconds of processor a request
	p50, p99 []time.Duration
	p999     []time.Duration
	rate     []float64 // requests a second
}

func (c *cell) add(m measured) {
	if m.requests == 0 {
		return // the machine was somebody else's
	}
	c.cost = append(c.cost, float64(m.busy.Nanoseconds())/1e3/float64(m.requests))
	c.p50, c.p99 = append(c.p50, m.at(0.5)), append(c.p99, m.at(0.99))
	c.p999 = append(c.p999, m.at(0.999))
	c.rate = append(c.rate, float64(m.requests)/m.took.Seconds())
}

// at returns the value that a part of a list lies below; 0 for an empty list.
func at[T float64 | time.Duration](list []T, part float64) T {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[int(part*float64(len(list)-1)+0.5)]
}

func median[T float64 | time.Duration](list []T) T { return at(list, 0.5) }

// quiet is the cost in the quieter rounds, of which a quarter was cheaper: other work on the machine
// can only add to it.
func quiet(cost []float64) float64 { return at(cost, 0.25) }

// printTables prints what a request costs, how that compares with the better nginx, and how long it
// takes.
func printTables(w io.Writer, subjects []*subject, rows []row) {
	line(w, "processor a request, µs: quiet rounds / median", subjects, "", func(_ row, c cell) string {
		return fmt.Sprintf("%.2f / %.2f", quiet(c.cost), median(c.cost))
	}, rows, nil)
	line(w, "capacity of a core, better nginx = 1: quiet rounds / median", subjects, "reach", against(subjects), rows, func(r row) string {
		if r.reach == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f", r.reach)
	})
	line(w, "p50 / p99 / p999 of an exchange, ms", subjects, "", func(_ row, c cell) string {
		return fmt.Sprintf("%.2f / %.2f / %.2f", median(c.p50).Seconds()*1e3, median(c.p99).Seconds()*1e3, median(c.p999).Seconds()*1e3)
	}, rows, nil)
	line(w, "requests a second", subjects, "", func(_ row, c cell) string { return fmt.Sprintf("%.0f", median(c.rate)) }, rows, nil)
}

// against compares a cell with the better nginx of its row.
func against(subjects []*subject) func(row, cell) string {
	return func(r row, c cell) string {
		var best []float64
		for i, s := range subjects {
			if strings.HasPrefix(s.name, "nginx") && (best == nil || quiet(r.cells[i].cost) < quiet(best)) {
				best = r.cells[i].cost
			}
		}
		if best == nil || len(c.cost) == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f / %.2f", quiet(best)/quiet(c.cost), median(best)/median(c.cost))
	}
}

func line(w io.Writer, title string, subjects []*subject, last string, cellText func(row, cell) string, rows []row, lastText func(row) string) {
	if lastText == nil {
		last = ""
	}
	fmt.Fprintf(w, "| %s |", title)
	for _, s := range subjects {
		fmt.Fprintf(w, " %s |", s.name)
	}
	if last != "" {
		fmt.Fprintf(w, " %s |", last)
	}
	fmt.Fprintf(w, "\n|-|%s\n", strings.Repeat("-:|", len(subjects)+min(1, len(last))))
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.name)
		for _, c := range r.cells {
			fmt.Fprintf(w, " %s |", cellText(r, c))
		}
		if last != "" {
			fmt.Fprintf(w, " %s |", lastText(r))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
