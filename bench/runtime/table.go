package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// table is an aligned Markdown table.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, row)
}

// String spells the table.
func (t table) String() string {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(row []string) {
		for i, cell := range row {
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		b.WriteString("|\n")
	}
	line(t.head)
	for _, width := range widths {
		b.WriteString("|" + strings.Repeat("-", width+2))
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// samples are the times of one thing.
type samples []time.Duration

func (s samples) at(part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[int(part*float64(len(sorted)-1))]
}

func (s samples) median() time.Duration { return s.at(0.5) }

func (s samples) spread() string { return spell(s.at(0.25)) + " to " + spell(s.at(0.75)) }

// quantile returns the number that part of the numbers do not exceed.
func quantile(numbers []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[int(part*float64(len(sorted)-1))]
}

// spell gives a time in milliseconds, or in microseconds where it is short.
func spell(d time.Duration) string {
	if d < time.Millisecond {
		return micro(float64(d))
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func micro(ns float64) string { return fmt.Sprintf("%.1f µs", ns/1000) }

// grouped spells n with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
