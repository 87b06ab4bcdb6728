package color

import (
	"fmt"
	"time"

	"example.com/livery/bench/internal/figures"
)

// Tolerances in steps of 8-bit sRGB. What sRGB shows is arithmetic, and only rounding may differ; if
// gamut mapping stops its search is up to the last digits of the same arithmetic.
const (
	insideTolerance  = 1
	outsideTolerance = 2
)

// table is the comparison of all spaces.
type table struct {
	rows     []row
	wrong    int      // colours that differ from both libraries by more than the tolerance
	examples []string // of these: space, components, ours, colorjs, culori
}

// row is one space: what sRGB shows, or what is mapped.
type row struct {
	space, kind     string
	count           int
	colorjs, culori difference
}

// difference is from one library.
type difference struct{ most, equal int }

func (d *difference) add(steps int) {
	d.most = max(d.most, steps)
	if steps == 0 {
		d.equal++
	}
}

// compare counts the differences.
func compare(colors []sample, ours []rgb, theirs answer) table {
	var t table
	at := map[[2]string]int{}
	for i, c := range colors {
		r := theirs.Colors[i]
		key, tolerance := [2]string{c.Space, "shown"}, insideTolerance
		if !r.Inside {
			key[1], tolerance = "mapped", outsideTolerance
		}
		if _, known := at[key]; !known {
			at[key] = len(t.rows)
			t.rows = append(t.rows, row{space: key[0], kind: key[1]})
		}
		fromColorjs, fromCulori := steps(ours[i], r.Colorjs), steps(ours[i], r.Culori)
		into := &t.rows[at[key]]
		into.count++
		into.colorjs.add(fromColorjs)
		into.culori.add(fromCulori)
		if min(fromColorjs, fromCulori) > tolerance {
			t.wrong++
			t.examples = append(t.examples, fmt.Sprintf("%s %v: %v, %v, %v", c.Space, c.Components, ours[i], r.Colorjs, r.Culori))
		}
	}
	return t
}

// steps is the largest difference of one component.
func steps(a, b rgb) int {
	most := 0
	for i := range a {
		most = max(most, a[i]-b[i], b[i]-a[i])
	}
	return most
}

// text is the command and the table. "equal" is the share of colours whose components are all the same, "most" the largest
// difference of a component, in steps of 255.
func (t *table) text(v versions) string {
	cells := [][]string{{"space", "in sRGB", "colours", "colorjs.io " + v.Colorjs + ", equal", "most", "culori " + v.Culori + ", equal", "most"}}
	for _, r := range t.rows {
		cells = append(cells, []string{
			r.space, r.kind, fmt.Sprint(r.count), share(r.colorjs.equal, r.count), fmt.Sprint(r.colorjs.most),
			share(r.culori.equal, r.count), fmt.Sprint(r.culori.most),
		})
	}
	return fmt.Sprintf("# Colours beside two libraries\n\n`make colors`, %s\n\n", time.Now().UTC().Format(time.DateOnly)) + figures.MarkdownTable(cells, nil)
}

func share(part, whole int) string { return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole)) }
