//go:build linux

package main

import (
	"fmt"
	"strings"
	"time"
)

// The sizes of a plot, in pixels.
const (
	plotWidth   = 860
	panelHeight = 170
	panelTop    = 28
	plotLeft    = 70
	plotRight   = 20
)

// The colours of curves.
const (
	red    = "#aa2222"
	blue   = "#0055aa"
	brown  = "#aa5500"
	violet = "#7722aa"
	green  = "#22884d"
	grey   = "#888888"
)

// panel is one of the plots that stand one below the other.
type panel struct {
	title  string
	curves []curve
	most   float64 // the value at the top; where 0 the highest of the curves
	label  func(float64) string
}

// curve is one line of a panel.
type curve struct {
	name, color string
	value       func(sample) float64
}

// plot draws memory, hits, times and load over time as an SVG.
func plot(samples []sample, budget, bound int64) []byte {
	mib := func(v float64) string { return fmt.Sprintf("%.0f MiB", v/(1<<20)) }
	duration := func(v float64) string {
		return time.Duration(v * float64(time.Second)).Round(10 * time.Microsecond).String()
	}
	rate := func(count func(sample) int) func(sample) float64 {
		return func(s sample) float64 { return float64(count(s)) / max(s.lasts.Seconds(), 1e-3) }
	}
	panels := []panel{
		{"memory", []curve{
			{"bound", red, func(sample) float64 { return float64(bound) }},
			{"resident", blue, residentOf},
			{"of Go", brown, func(s sample) float64 { return s.heap }},
			{"instances", violet, func(s sample) float64 { return s.guests }},
			{"cached", green, func(s sample) float64 { return s.held }},
			{"its budget", grey, func(sample) float64 { return float64(budget) }},
		}, 0, mib},
		{"hits", []curve{{"of all answers", green, func(s sample) float64 { return s.hitRatio() }}}, 1, func(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }},
		{"hits take", []curve{
			{"p50", green, func(s sample) float64 { return quantile(s.hits, 0.5).Seconds() }},
			{"p99", brown, func(s sample) float64 { return quantile(s.hits, 0.99).Seconds() }},
		}, 0, duration},
		{"others take", []curve{
			{"p50", green, func(s sample) float64 { return quantile(s.misses, 0.5).Seconds() }},
			{"p99", brown, func(s sample) float64 { return quantile(s.misses, 0.99).Seconds() }},
		}, 0, duration},
		{"a second", []curve{
			{"answers", blue, rate(func(s sample) int { return s.answers() })},
			{"503", red, rate(func(s sample) int { return s.shed })},
			{"publishes", violet, rate(func(s sample) int { return s.published })},
		}, 0, func(v float64) string { return fmt.Sprintf("%.0f", v) }},
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", plotWidth, panelHeight*len(panels)+20)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	for i, p := range panels {
		p.draw(&b, samples, float64(i*panelHeight))
	}
	if len(samples) > 0 {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%v</text>`+"\n", plotWidth-plotRight, panelHeight*len(panels)+12, samples[len(samples)-1].at.Round(time.Second))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func (p panel) draw(b *strings.Builder, samples []sample, top float64) {
	const height = panelHeight - panelTop - 12
	most := p.most
	for _, c := range p.curves {
		if p.most == 0 {
			most = max(most, highest(samples, c.value))
		}
	}
	if most == 0 {
		most = 1
	}
	low := top + panelTop + height
	fmt.Fprintf(b, `<path d="M%d %.1fV%.1fH%d" fill="none" stroke="#888"/>`+"\n", plotLeft, top+panelTop, low, plotWidth-plotRight)
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text><text x="%d" y="%.1f" text-anchor="end">0</text>`+"\n", plotLeft-6, top+panelTop+4, p.label(most), plotLeft-6, low+4)
	fmt.Fprintf(b, `<text x="%d" y="%.1f" font-weight="bold">%s</text>`+"\n", plotLeft, top+panelTop-10, p.title)
	for i, c := range p.curves {
		fmt.Fprintf(b, `<text x="%d" y="%.1f" fill="%s">%s</text>`+"\n", plotLeft+90+i*110, top+panelTop-10, c.color, c.name)
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" points="%s"/>`+"\n", c.color, points(samples, c.value, most, low, height))
	}
}

// points spells a curve: time to the right, the highest value at the top.
func points(samples []sample, value func(sample) float64, most, low, height float64) string {
	if len(samples) == 0 {
		return ""
	}
	const width = plotWidth - plotLeft - plotRight
	end := samples[len(samples)-1].at
	var b strings.Builder
	for _, s := range samples {
		x := plotLeft + width*float64(s.at)/float64(max(1, end))
		fmt.Fprintf(&b, "%.1f,%.1f ", x, low-height*min(1, value(s)/most))
	}
	return strings.TrimSuffix(b.String(), " ")
}
