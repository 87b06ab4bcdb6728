package management

import (
	"slices"

	"example.com/livery/bench/internal/figures"
)

// row is what was measured of one thing.
type row struct {
	what  string
	took  figures.Times
	ratio float64 // 0 means none
	of    string  // what the ratio compares
	rate  float64 // a second; 0 means none
}

// addFigures adds the rows.
func addFigures(set *figures.Set, rows []row) {
	for _, r := range rows {
		set.AddTimes(figures.Figure{Name: r.what}, r.took, 0.5, 0.99)
		if r.ratio > 0 {
			set.AddOne(figures.Figure{Name: r.what, Unit: "ratio: " + r.of}, r.ratio)
		}
		if r.rate > 0 {
			set.AddOne(figures.Figure{Name: r.what, Unit: "1/s"}, r.rate)
		}
	}
}

// ratio returns how many times the median of b is in that of a.
func ratio(a, b figures.Times) float64 {
	if b.At(0.5) == 0 {
		return 0
	}
	return float64(a.At(0.5)) / float64(b.At(0.5))
}

// middle returns the median of numbers.
func middle(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[len(sorted)/2]
}
