package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
)

// smallest is the code below which a package has no row of its own.
const smallest = 1000

// report is the whole text.
func report(guest, empty *weights, types []part) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The renderer module, weighed\n\n%s, `make size`, %s. The empty reactor exports one function that returns 0.\n\n",
		time.Now().UTC().Format("2006-01-02"), runtime.Version())
	b.WriteString(markdown.Table(wholes(guest, empty), toTheRight))
	b.WriteString("\nData is tables, texts and types, and what the runtime needs to walk stacks, which grows with the code.\n\n## Code by package\n\n")
	b.WriteString(markdown.Table(packages(packagesOf(guest.named, empty.named)), toTheRight))
	b.WriteString("\n## Code by type\n\nThe functions of `renderer/css` by the file they stand in, which is one for each type; what all types use is told apart.\n\n")
	rows := [][]string{{"type", "functions", "bytes"}}
	for _, p := range types {
		rows = append(rows, []string{p.name, fmt.Sprint(p.functions), markdown.Grouped(p.bytes)})
	}
	b.WriteString(markdown.Table(rows, toTheRight))
	return b.String()
}

// figuresOf are the figures of the wholes.
func figuresOf(guest, empty *weights) *figures.Set {
	set := figures.New("size")
	for _, of := range []struct {
		subject string
		weights *weights
	}{{"renderer", guest}, {"empty reactor", empty}} {
		set.AddOne(figures.Figure{Name: "module", Subject: of.subject, Unit: "bytes"}, float64(of.weights.shipped.bytes))
		set.AddOne(figures.Figure{Name: "module in gzip", Subject: of.subject, Unit: "bytes"}, float64(of.weights.gzip))
	}
	return set
}

// wholes compares the modules.
func wholes(guest, empty *weights) [][]string {
	rows := [][]string{{"what", "renderer", "empty reactor", "difference"}}
	add := func(what string, ours, theirs int) {
		rows = append(rows, []string{what, markdown.Grouped(ours), markdown.Grouped(theirs), markdown.Grouped(ours - theirs)})
	}
	add("module, bytes", guest.shipped.bytes, empty.shipped.bytes)
	add("in gzip", guest.gzip, empty.gzip)
	add("code", guest.shipped.code, empty.shipped.code)
	add("data", guest.shipped.data, empty.shipped.data)
	add("functions", len(guest.shipped.functions), len(empty.shipped.functions))
	return rows
}

// packages are the rows of the packages; small ones are put together.
func packages(all []part) [][]string {
	rows := [][]string{{"package", "functions", "bytes", "in the empty reactor", "difference"}}
	others, count := part{}, 0
	row := func(name string, p part) {
		rows = append(rows, []string{name, fmt.Sprint(p.functions), markdown.Grouped(p.bytes), markdown.Grouped(p.empty), markdown.Grouped(p.bytes - p.empty)})
	}
	for _, p := range all {
		if p.bytes-p.empty >= smallest {
			row(p.name, p)
			continue
		}
		count++
		others.functions += p.functions
		others.bytes += p.bytes
		others.empty += p.empty
	}
	row(fmt.Sprintf("%d others", count), others)
	return rows
}

// toTheRight reports whether a column holds numbers.
func toTheRight(column int) bool { return column > 0 }
