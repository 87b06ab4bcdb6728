package main

import (
	"fmt"
	"strconv"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
)

// row is one line of the table.
type row struct {
	what  string
	took  samples
	ratio float64 // 0 means none
	of    string  // what the ratio compares
}

// figuresOf are the rows for the report.
func figuresOf(rows []row) *figures.Set {
	set := figures.New("management")
	for _, r := range rows {
		f := figures.Figure{Name: r.what, Unit: "p50, ms"}
		f.Low, f.Value, f.High = inMS(r.took.at(0.25)), inMS(r.took.median()), inMS(r.took.at(0.75))
		set.Add(f)
		set.AddOne(figures.Figure{Name: r.what, Unit: "p99, ms"}, inMS(r.took.at(0.99)))
		if r.ratio > 0 {
			set.AddOne(figures.Figure{Name: r.what, Unit: "ratio: " + r.of}, r.ratio)
		}
	}
	return set
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

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
		cells = append(cells, []string{r.what, markdown.Grouped(len(r.took)), spell(r.took.median()), spell(r.took.at(0.99)), shown, r.of})
	}
	return markdown.Table(cells, toTheRight)
}

// toTheRight reports whether a column holds numbers.
func toTheRight(column int) bool { return column >= 1 && column <= 4 }

// spell gives a time in milliseconds with three digits behind the point.
func spell(d time.Duration) string {
	return fmt.Sprintf("%.3f ms", inMS(d))
}
