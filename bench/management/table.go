package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// row is one line of the table.
type row struct {
	what  string
	took  samples
	ratio float64 // 0 means none
	of    string  // what the ratio compares
}

// ratio returns how many times b is in a.
func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// table spells rows as an aligned Markdown table.
func table(rows []row) string {
	cells := [][]string{{"what", "requests", "median", "p99", "ratio", "of what"}}
	for _, r := range rows {
		shown := ""
		if r.ratio > 0 {
			shown = strconv.FormatFloat(r.ratio, 'f', 2, 64)
		}
		cells = append(cells, []string{r.what, grouped(len(r.took)), spell(r.took.median()), spell(r.took.at(0.99)), shown, r.of})
	}
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, line := range cells {
		appendLine(&b, line, widths)
		if i == 0 {
			appendRule(&b, widths)
		}
	}
	return b.String()
}

// toTheRight reports whether a column holds numbers.
func toTheRight(column int) bool { return column >= 1 && column <= 4 }

func appendLine(b *strings.Builder, line []string, widths []int) {
	for i, cell := range line {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if toTheRight(i) {
			cell = pad + cell
		} else {
			cell += pad
		}
		b.WriteString("| " + cell + " ")
	}
	b.WriteString("|\n")
}

func appendRule(b *strings.Builder, widths []int) {
	for i, width := range widths {
		end := "-"
		if toTheRight(i) {
			end = ":"
		}
		b.WriteString("|" + strings.Repeat("-", width+1) + end)
	}
	b.WriteString("|\n")
}

// spell gives a time in milliseconds with three digits behind the point.
func spell(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", float64(d)/float64(time.Millisecond))
}

// grouped spells n with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
