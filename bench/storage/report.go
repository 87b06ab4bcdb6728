package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
	"example.com/livery/bench/plot"
)

// report is what a run measured.
type report struct {
	began   time.Time
	commits []commits
	grown   []grown
}

// text spells the report.
func (r report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Storage\n\n%s, %d cores, %s/%s, %s, in %s. `go run ./bench/storage%s`\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		r.began.Format(time.DateOnly), time.Since(r.began).Round(time.Second), strings.Join(append([]string{""}, os.Args[1:]...), " "))
	if len(r.commits) > 0 {
		fmt.Fprintf(&b, "\n## Commits\n\n%s", markdown.Table(r.commitLines(), func(column int) bool { return column >= 2 }))
	}
	if len(r.grown) > 0 {
		fmt.Fprintf(&b, "\n## Growth\n\n%s\n", markdown.Table(r.sizeLines(), func(int) bool { return true }))
		fmt.Fprintf(&b, "Beside growing in the same run:\n\n%s\n", markdown.Table(r.fillLines(), func(int) bool { return true }))
		b.WriteString("![latency](storage-latency.svg)\n![size](storage-size.svg)\n![filling](storage-filling.svg)\n")
	}
	return b.String()
}

func (r report) commitLines() [][]string {
	lines := [][]string{{"engine", "sync", "writers", "commits/s", "of one writer", "p50", "p99"}}
	one := 1.0
	for _, c := range r.commits {
		if c.writers == 1 {
			one = max(1, c.perSecond)
		}
		lines = append(lines, []string{
			c.engine, c.sync, fmt.Sprint(c.writers), markdown.Grouped(int(c.perSecond)), fmt.Sprintf("%.1f×", c.perSecond/one),
			spell(at(c.took, 0.5)), spell(at(c.took, 0.99)),
		})
	}
	return lines
}

func spell(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

func megabytes(n int64) string { return markdown.Grouped(int(n>>20)) + " MB" }

// sizeLines are what a store of each size costs.
func (r report) sizeLines() [][]string {
	lines := [][]string{{"Themes", "pairs", "blobs", "on disk", "open", "memory", "first page p50", "page anywhere p50", "publish p50", "publish p99", "trace all references"}}
	for _, g := range r.grown {
		lines = append(lines, []string{
			markdown.Grouped(g.themes), markdown.Grouped(g.pairs), megabytes(g.bytes), megabytes(g.disk), spell(g.open), megabytes(g.resident),
			spell(at(g.first, 0.5)), spell(at(g.middle, 0.5)), spell(at(g.publish, 0.5)), spell(at(g.publish, 0.99)), g.traced.Round(time.Millisecond).String(),
		})
	}
	return lines
}

// fillLines are how the store was filled up to each size.
func (r report) fillLines() [][]string {
	lines := [][]string{{"blobs", "filled in", "blobs a second", fmt.Sprintf("puts over %s", stalled), "altogether", "longest"}}
	for _, g := range r.grown {
		lines = append(lines, []string{
			megabytes(g.bytes), g.fill.Round(10 * time.Millisecond).String(), fmt.Sprintf("%.0f MB", g.rate()), fmt.Sprint(g.stalls),
			g.stalledAltogether.Round(time.Millisecond).String(), g.worst.Round(time.Millisecond).String(),
		})
	}
	return lines
}

// rate returns the megabytes of blobs put each second.
func (g grown) rate() float64 { return float64(g.filled) / (1 << 20) / g.fill.Seconds() }

// curve draws a value over the size of a store.
func (r report) curve(name string, value func(grown) float64) plot.Curve {
	return r.band(name, func(g grown) (low, middle, high float64) { return value(g), value(g), value(g) })
}

func (r report) band(name string, value func(grown) (low, middle, high float64)) plot.Curve {
	c := plot.Curve{Name: name}
	for _, g := range r.grown {
		low, middle, high := value(g)
		c.Points = append(c.Points, plot.Point{X: float64(g.pairs), Y: middle, Low: low, High: high})
	}
	return c
}

// spread returns the middle of times and the quarters around it, in milliseconds.
func spread(times []time.Duration) (low, middle, high float64) {
	return milliseconds(at(times, 0.25)), milliseconds(at(times, 0.5)), milliseconds(at(times, 0.75))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (r report) charts() map[string]plot.Chart {
	last := r.grown[len(r.grown)-1]
	x := fmt.Sprintf("pairs, with %.2f Themes and %.1f kB of blobs to each", float64(last.themes)/float64(last.pairs), float64(last.bytes)/1024/float64(last.pairs))
	return map[string]plot.Chart{
		"latency": {Title: "what a store of some size answers in", X: x, Y: "milliseconds", LogY: true, Curves: []plot.Curve{
			r.curve("open", func(g grown) float64 { return milliseconds(g.open) }),
			r.band("first page of 100", func(g grown) (float64, float64, float64) { return spread(g.first) }),
			r.band("page of 100 anywhere", func(g grown) (float64, float64, float64) { return spread(g.middle) }),
			r.band("publish", func(g grown) (float64, float64, float64) { return spread(g.publish) }),
			r.curve("publish, p99", func(g grown) float64 { return milliseconds(at(g.publish, 0.99)) }),
		}},
		"size": {Title: "what it takes", X: x, Y: "MB", LogY: true, Curves: []plot.Curve{
			r.curve("on disk", func(g grown) float64 { return float64(g.disk >> 20) }),
			r.curve("blobs put", func(g grown) float64 { return float64(g.bytes >> 20) }),
			r.curve("memory after reading", func(g grown) float64 { return float64(g.resident >> 20) }),
		}},
		"filling": {Title: "how it was filled", X: x, Y: "MB a second, and milliseconds", LogY: true, Curves: []plot.Curve{
			r.curve("MB of blobs a second", grown.rate),
			r.curve("longest put, ms", func(g grown) float64 { return milliseconds(g.worst) }),
		}},
	}
}

// set returns the figures for the report of all benchmarks.
func (r report) set() *figures.Set {
	s := figures.New("storage")
	for _, c := range r.commits {
		s.AddOne(figures.Figure{Name: "commits", Subject: c.engine + ", sync " + c.sync, Unit: "1/s", Over: "writers", At: float64(c.writers)}, c.perSecond)
	}
	for _, g := range r.grown {
		at := func(name, unit string) figures.Figure {
			return figures.Figure{Name: name, Subject: "Pebble", Unit: unit, Over: "pairs", At: float64(g.pairs)}
		}
		s.AddOne(at("open a store", "ms"), milliseconds(g.open))
		s.AddOne(at("memory after reading", "MB"), float64(g.resident>>20))
		s.AddOne(at("size on disk", "MB"), float64(g.disk>>20))
		s.AddRounds(at("first page of 100", "ms"), inMilliseconds(g.first))
		s.AddRounds(at("page of 100 anywhere", "ms"), inMilliseconds(g.middle))
		s.AddRounds(at("publish into a store", "ms"), inMilliseconds(g.publish))
		s.AddOne(at("longest put while filling", "ms"), milliseconds(g.worst))
	}
	return s
}

func inMilliseconds(times []time.Duration) (ms []float64) {
	for _, t := range times {
		ms = append(ms, milliseconds(t))
	}
	return ms
}
