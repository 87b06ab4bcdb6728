package color

import (
	"fmt"
	"strings"
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
	rows  []row
	wrong int // colours that differ from both libraries by more than the tolerance
}

// row is one space: what sRGB shows, or what is mapped.
type row struct {
	space, kind     string
	count           int
	colorjs, culori difference
	worst           string // the colour that differs most from the nearer library
	worstBy         int
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
			t.rows = append(t.rows, row{space: key[0], kind: key[1], worstBy: -1})
		}
		fromColorjs, fromCulori := steps(ours[i], r.Colorjs), steps(ours[i], r.Culori)
		into := &t.rows[at[key]]
		into.count++
		into.colorjs.add(fromColorjs)
		into.culori.add(fromCulori)
		nearest := min(fromColorjs, fromCulori)
		if nearest > into.worstBy {
			into.worstBy = nearest
			into.worst = fmt.Sprintf("%v: %s, %s, %s", c.Components, spell(ours[i]), spell(r.Colorjs), spell(r.Culori))
		}
		if nearest > tolerance {
			t.wrong++
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

func spell(c rgb) string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// text is the whole report.
func (t *table) text(v versions) string {
	cells := [][]string{{"space", "sRGB", "colours", "colorjs: equal", "most", "culori: equal", "most", "furthest from the nearer: components, ours, colorjs, culori"}}
	total := 0
	for _, r := range t.rows {
		total += r.count
		worst := ""
		if r.worstBy > 0 {
			worst = r.worst
		}
		cells = append(cells, []string{
			r.space, r.kind, fmt.Sprint(r.count), share(r.colorjs.equal, r.count), fmt.Sprint(r.colorjs.most),
			share(r.culori.equal, r.count), fmt.Sprint(r.culori.most), worst,
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Colours beside two libraries\n\n%s, `make colors`, colorjs.io %s, culori %s: %d colours converted to 8-bit sRGB, %d of them further than the tolerance from both.\n",
		time.Now().UTC().Format("2006-01-02"), v.Colorjs, v.Culori, total, t.wrong)
	b.WriteString(`"shown" is what sRGB shows as it is, "mapped" what goes through the gamut mapping of CSS Color 4. "most" is the largest difference of one
component in steps of 255. "equal" is the share of colours of which all three components are the same. Where both differ, they differ
from each other: culori 4.0 still reads rec2020 by the camera's transfer function, which CSS Color 4 has replaced by the display's gamma of 2.4, and its
gamut mapping searches in other steps.

`)
	b.WriteString(figures.MarkdownTable(cells, nil))
	return b.String()
}

func share(part, whole int) string { return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole)) }
