// Package plot draws curves as SVG: what was measured over what it grows with, with the spread of the
// rounds around each curve; one chart alone or several in a column. Axes are linear or logarithmic. The
// same charts give the same bytes.
package plot

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"example.com/livery/bench/internal/figures"
)

// Chart is one plot.
type Chart struct {
	Title  string
	X, Y   string // what the axes count
	LogX   bool   // points at or below 0 are not drawn on a logarithmic axis
	LogY   bool
	ReachY float64 // what the axis of Y reaches to at least, such as 100 for shares; 0: to the highest point
	Curves []Curve
}

// Curve is one line of a Chart. Its points are drawn in the order of X.
type Curve struct {
	Name   string
	Points []Point
}

// Curves are growths, a curve for each name and subject.
func Curves(growths []figures.Figure) (curves []Curve) {
	for _, row := range figures.Groups(growths, figures.CurveName) {
		c := Curve{Name: figures.CurveName(row[0])}
		for _, f := range row {
			c.Points = append(c.Points, Point{X: f.At, Y: f.Value, Low: f.Low, High: f.High})
		}
		curves = append(curves, c)
	}
	return curves
}

// Point is one measured value with its spread.
type Point struct{ X, Y, Low, High float64 }

// The sizes of a chart, in pixels.
const (
	width   = 860
	left    = 80
	right   = 20
	title   = 42  // above the names of the curves
	nameRow = 14  // of one row of them
	drawing = 238 // of the axis of Y
	low     = 120 // of it in a column
	bottom  = 46
)

// manyPoints is from how many points on those of a curve are not marked one by one.
const manyPoints = 60

// colors tell curves apart; a thirteenth curve begins again with the first.
var colors = []string{
	"#0055aa", "#aa2222", "#22884d", "#aa5500", "#7733aa", "#117788", "#998800", "#555555", "#dd5599", "#55aadd", "#77bb33", "#000000",
}

// longName is the length from which on the names of the curves stand two in a row, not four.
const longName = 30

// perRow is how many names stand in a row.
func (c Chart) perRow() int {
	if slices.ContainsFunc(c.Curves, func(c Curve) bool { return len(c.Name) > longName }) {
		return 2
	}
	return 4
}

// top is the end of the axis of Y, below the names.
func (c Chart) top() int {
	return title + nameRow*max(1, (len(c.Curves)+c.perRow()-1)/c.perRow())
}

// SVG draws the chart.
func (c Chart) SVG() []byte {
	return page(c.height(drawing), func(b *strings.Builder) { c.draw(b, drawing) })
}

// Column draws charts one below the other, each lower than alone.
func Column(charts ...Chart) []byte {
	height := 0
	for _, c := range charts {
		height += c.height(low)
	}
	return page(height, func(b *strings.Builder) {
		top := 0
		for _, c := range charts {
			fmt.Fprintf(b, `<g transform="translate(0 %d)">`+"\n", top)
			c.draw(b, low)
			b.WriteString("</g>\n")
			top += c.height(low)
		}
	})
}

// page is an SVG of a height with what draw draws.
func page(height int, draw func(*strings.Builder)) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	draw(&b)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// height is that of the chart whose axis of Y has the given one.
func (c Chart) height(drawing int) int { return c.top() + drawing + bottom }

// draw draws the chart with an axis of Y of a height.
func (c Chart) draw(b *strings.Builder, drawing int) {
	x, y := c.axes(drawing)
	top, height := c.top(), c.height(drawing)
	fmt.Fprintf(b, `<text x="%d" y="18" font-weight="bold">%s</text>`+"\n", left, html.EscapeString(c.Title))
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+width-right)/2, height-8, html.EscapeString(c.X))
	fmt.Fprintf(b, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+height-bottom)/2, html.EscapeString(c.Y))
	for _, v := range x.marks() {
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="#eee"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x.at(v), top, height-bottom, x.at(v), height-bottom+16, spell(v))
	}
	for _, v := range y.marks() {
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#eee"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, y.at(v), width-right, left-6, y.at(v)+4, spell(v))
	}
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="#888"/>`+"\n", left, top, height-bottom, width-right)
	for i, curve := range c.Curves {
		curve.draw(b, x, y, i, c.perRow())
	}
}

// draw draws the spread, the line, its points and its name.
func (c Curve) draw(b *strings.Builder, x, y axis, number, perRow int) {
	color := colors[number%len(colors)]
	nameX, nameY := left+float64(number%perRow)*(width-left-right)/float64(perRow), title-8+nameRow*(number/perRow)
	fmt.Fprintf(b, `<path d="M%.1f %dh12" stroke="%s" stroke-width="2"/><text x="%.1f" y="%d">%s</text>`+"\n", nameX, nameY-4, color, nameX+16, nameY, html.EscapeString(c.Name))
	points := slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool { return !x.holds(p.X) || !y.holds(p.Y) })
	if len(points) == 0 {
		return
	}
	slices.SortStableFunc(points, func(a, b Point) int { return int(math.Copysign(1, a.X-b.X)) })
	var line, upper, lower []string
	spread := false
	for _, p := range points {
		px := x.at(p.X)
		spread = spread || p.Low < p.Y || p.High > p.Y
		line = append(line, fmt.Sprintf("%.1f,%.1f", px, y.at(p.Y)))
		upper = append(upper, fmt.Sprintf("%.1f,%.1f", px, y.at(max(p.Y, p.High))))
		lower = append(lower, fmt.Sprintf("%.1f,%.1f", px, y.at(y.within(min(p.Y, p.Low)))))
	}
	slices.Reverse(lower)
	if spread {
		fmt.Fprintf(b, `<polygon fill="%s" fill-opacity="0.15" points="%s"/>`+"\n", color, strings.Join(append(upper, lower...), " "))
	}
	fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>`+"\n", color, strings.Join(line, " "))
	if len(line) > manyPoints {
		return
	}
	for _, at := range line {
		px, py, _ := strings.Cut(at, ",")
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="2.5" fill="%s"/>`+"\n", px, py, color)
	}
}

// axes returns the axes that hold every point.
func (c Chart) axes(drawing int) (x, y axis) {
	x = axis{log: c.LogX, from: left, to: width - right}
	y = axis{log: c.LogY, from: float64(c.top() + drawing), to: float64(c.top())}
	for _, curve := range c.Curves {
		for _, p := range curve.Points {
			x.widen(p.X)
			for _, v := range []float64{p.Y, p.Low, p.High} {
				y.widen(v)
			}
		}
	}
	if c.ReachY != 0 {
		y.widen(c.ReachY)
	}
	x.end()
	y.end()
	return x, y
}
