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

// plot draws memory, hits and p99 over time as an SVG.
func plot(samples []sample, budget int64) []byte {
	mib := func(v float64) string { return fmt.Sprintf("%.0f MiB", v/(1<<20)) }
	panels := []panel{
		{"memory", []curve{
			{"resident", "#0055aa", func(s sample) float64 { return s.resident }},
			{"held", "#22884d", func(s sample) float64 { return s.held }},
			{"budget of what is held", "#aa2222", func(sample) float64 { return float64(budget) }},
		}, 0, mib},
		{"hits", []curve{{"of all answers", "#22884d", sample.hitRatio}}, 1, func(v float64) string { return fmt.Sprintf("%.0f%%", 100*v) }},
		{"latency", []curve{{"p99", "#aa5500", func(s sample) float64 { return s.p99().Seconds() }}}, 0, func(v float64) string {
			return time.Duration(v * float64(time.Second)).Round(10 * time.Microsecond).String()
		}},
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
