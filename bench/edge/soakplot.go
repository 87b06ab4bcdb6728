//go:build linux

package main

import (
	"time"

	"example.com/livery/bench/plot"
)

// drawn is one curve over the samples.
type drawn struct {
	name  string
	value func(sample) float64
}

// minutesFrom is the length of a run from which on time is drawn in minutes.
const minutesFrom = 5 * time.Minute

// charts draw memory, hits, times and load over time.
func charts(samples []sample, budget, bound int64) []plot.Chart {
	unit, x := time.Second, "seconds"
	if len(samples) > 0 && samples[len(samples)-1].at >= minutesFrom {
		unit, x = time.Minute, "minutes"
	}
	over := func(c plot.Chart, curves ...drawn) plot.Chart {
		c.X = x
		for _, d := range curves {
			curve := plot.Curve{Name: d.name}
			for _, s := range samples {
				v, at := d.value(s), s.at.Round(time.Second) // else the axis goes on behind the end for a millisecond
				curve.Points = append(curve.Points, plot.Point{X: float64(at) / float64(unit), Y: v, Low: v, High: v})
			}
			c.Curves = append(c.Curves, curve)
		}
		return c
	}
	return []plot.Chart{
		over(
			plot.Chart{Title: "memory", Y: "MiB"},
			drawn{"resident", func(s sample) float64 { return s.resident / mib }},
			drawn{"bound", func(sample) float64 { return float64(bound) / mib }},
			drawn{"cached", func(s sample) float64 { return s.held / mib }},
			drawn{"of Go", func(s sample) float64 { return s.heap / mib }},
			drawn{"instances", func(s sample) float64 { return s.guests / mib }},
			drawn{"budget of what is cached", func(sample) float64 { return float64(budget) / mib }},
		),
		over(plot.Chart{Title: "hits", Y: "% of all answers", ReachY: 100}, drawn{"hits", func(s sample) float64 { return 100 * s.hitRatio() }}),
		over(plot.Chart{Title: "hits take", Y: "ms"}, waits(func(s sample) []time.Duration { return s.hits })...),
		over(plot.Chart{Title: "others take", Y: "ms"}, waits(func(s sample) []time.Duration { return s.misses })...),
		over(
			plot.Chart{Title: "a second", Y: "a second"},
			drawn{"answers", rate(func(s sample) int { return s.answers() })},
			drawn{"503", rate(func(s sample) int { return s.shed })},
			drawn{"publishes", rate(func(s sample) int { return s.published })},
		),
	}
}

// waits are the curves of what answers of one kind take, in milliseconds.
func waits(of func(sample) []time.Duration) []drawn {
	at := func(part float64) func(sample) float64 {
		return func(s sample) float64 { return 1000 * quantile(of(s), part).Seconds() }
	}
	return []drawn{{"p50", at(0.5)}, {"p99", at(0.99)}}
}

func rate(count func(sample) int) func(sample) float64 {
	return func(s sample) float64 { return float64(count(s)) / max(s.lasts.Seconds(), 1e-3) }
}
