package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/markdown"
)

const around = `Ratios are of the fastest rounds, to tokens.css of 2,000 tokens with 50 overrides; read them, and not the times. "growth" is how many times the fastest round is that of the row
of the same work with the next smaller number of tokens or, beside it, of overrides; what they grew by themselves stands after the slash: linear is the
same on both sides or less. A render copies the file and substitutes the edits, so its growth lies between that of the file and that of the edits.

`

// report is the whole text.
func report(cells []cell, rounds int) string {
	unit := find(cells, "render "+sheet.Name(), 2000, 50)
	rows := [][]string{{"work", "tokens", "overrides", "edits", "bytes", "fastest", "median", "ratio", "allocations", "growth with tokens", "growth with overrides"}}
	for i := range cells {
		c := &cells[i]
		rows = append(rows, []string{
			c.what, spell(c.tokens), spell(c.overrides), spell(c.edits), spell(c.bytes), took(c.fastest()), took(c.median()),
			fmt.Sprintf("%.2f", float64(c.fastest())/float64(unit.fastest())),
			fmt.Sprintf("%.0f", c.allocs), growth(c, smallerTheme(cells, c), tokensOf), growth(c, smallerVariant(cells, c), overridesOf),
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The renderer, measured\n\n%s, `make render`, %d cores, %s/%s, %s, native, one goroutine; %d rounds, all cells in turn in each.\n",
		time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), rounds)
	b.WriteString(around)
	b.WriteString(markdown.Table(rows, nil))
	return b.String()
}

func find(cells []cell, what string, tokens, overrides int) *cell {
	for i := range cells {
		if c := &cells[i]; c.what == what && c.tokens == tokens && c.overrides == overrides {
			return c
		}
	}
	return nil
}

func tokensOf(c *cell) int    { return c.tokens }
func overridesOf(c *cell) int { return c.overrides }

// smallerTheme is the same work with the next smaller number of tokens, or nil.
func smallerTheme(cells []cell, c *cell) *cell {
	at := slices.Index(tokenCounts, c.tokens)
	if at <= 0 {
		return nil
	}
	return find(cells, c.what, tokenCounts[at-1], c.overrides)
}

// smallerVariant is the same work with the next smaller number of overrides, or nil.
func smallerVariant(cells []cell, c *cell) *cell {
	at := slices.Index(overrideCounts, c.overrides)
	if at <= 0 {
		return nil
	}
	return find(cells, c.what, c.tokens, overrideCounts[at-1])
}

func growth(c, smaller *cell, size func(*cell) int) string {
	if smaller == nil {
		return ""
	}
	return fmt.Sprintf("%.2f / %.0f", float64(c.fastest())/float64(smaller.fastest()), float64(size(c))/float64(size(smaller)))
}

// spell writes a count with its thousands apart, and nothing for none.
func spell(n int) string {
	if n == 0 {
		return ""
	}
	return markdown.Grouped(n)
}

func took(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case d < time.Millisecond:
		return fmt.Sprintf("%.2f µs", float64(d)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
