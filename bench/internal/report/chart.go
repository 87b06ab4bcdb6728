package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/plot"
)

// chart is a plot and the file that it is written to.
type chart struct {
	file  string
	chart plot.Chart
}

// steep is the ratio of the largest to the smallest from which on an axis is logarithmic.
const steep = 20

// counts are units that say how much was measured, which is not drawn.
var counts = []string{"answers", "allocations"}

// chartOf draws a growth; false if there are fewer than two points, or nothing to see.
func chartOf(part string, group []figures.Figure) (chart, bool) {
	for _, unit := range counts {
		if group[0].Unit == unit {
			return chart{}, false
		}
	}
	curves := slices.DeleteFunc(plot.Curves(group), func(c plot.Curve) bool { return len(c.Points) < 2 })
	if len(curves) == 0 {
		return chart{}, false
	}
	for i, c := range curves {
		if name := group[0].Name + ", "; len(figures.Names(group)) == 1 {
			curves[i].Name = strings.TrimPrefix(c.Name, name)
		}
	}
	title := group[0].Unit + " by " + group[0].Over
	if len(figures.Names(group)) == 1 {
		title = group[0].Name + ": " + title
	}
	c := chart{
		file:  fileName(part, group[0].Over, group[0].Unit) + ".svg",
		chart: plot.Chart{Title: title, X: group[0].Over, Y: group[0].Unit, Curves: curves},
	}
	c.chart.LogX = isSteep(curves, func(p plot.Point) float64 { return p.X })
	c.chart.LogY = isSteep(curves, func(p plot.Point) float64 { return p.Y })
	return c, true
}

func isSteep(curves []plot.Curve, of func(plot.Point) float64) bool {
	least, most := 0.0, 0.0
	for _, c := range curves {
		for _, p := range c.Points {
			v := of(p)
			if v <= 0 {
				return false
			}
			if least == 0 || v < least {
				least = v
			}
			most = max(most, v)
		}
	}
	return least > 0 && most/least >= steep
}

var noName = regexp.MustCompile(`[^a-z0-9]+`)

// fileName makes a name of words.
func fileName(words ...string) string {
	text := strings.ReplaceAll(strings.ToLower(strings.Join(words, " ")), "µ", "u")
	return strings.Trim(noName.ReplaceAllString(text, "-"), "-")
}

// charts are all plots of a part.
func charts(part string, set *figures.Set) (list []chart) {
	for _, group := range figures.Groups(set.Figures, func(f figures.Figure) string { return f.Over + "\x00" + f.Unit }) {
		if group[0].Over == "" {
			continue
		}
		if c, ok := chartOf(part, group); ok {
			list = append(list, c)
		}
	}
	return list
}

// picture is the link to the plot of a growth, or "".
func picture(part string, growth []figures.Figure) string {
	c, ok := chartOf(part, growth)
	if !ok {
		return ""
	}
	return fmt.Sprintf("![%s](%s)\n\n", c.chart.Title, c.file)
}
