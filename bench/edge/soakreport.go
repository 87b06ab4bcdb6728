//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/plot"
	"example.com/livery/edge"
)

const mib = 1 << 20

// maxGrowth is how much more resident memory there may be in the last third than in the second, before
// it counts as growing; growthFrom is the length of a run from which on that is looked at: before, the
// cache is still filled.
const (
	maxGrowth  = 0.04
	growthFrom = 5 * time.Minute
)

// bound returns the memory that the edge says it takes at most.
func (s *soak) bound() edge.Memory { return edge.MemoryFor(s.cacheBytes, runtime.NumCPU()) }

// judge returns an error where an answer was wrong, or the edge took more memory than it says.
func (s *soak) judge(samples []sample) error {
	total := sum(samples)
	var broken []string
	blame := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	if most := highest(samples, func(s sample) float64 { return s.held }); most > float64(s.cacheBytes) {
		blame("%.0f bytes were held, the budget is %d", most, s.cacheBytes)
	}
	_, second, last := thirds(samples)
	if most := highest(last, residentOf); most > float64(s.bound().Total()) {
		blame("%.0f MiB were resident in the last third, the bound is %d MiB", most/mib, s.bound().Total()/mib)
	}
	if before, after := mean(second, residentOf), mean(last, residentOf); s.lasting >= growthFrom && after > before*(1+maxGrowth) {
		blame("%.0f MiB were resident in the second third and %.0f MiB in the last: it grows", before/mib, after/mib)
	}
	if total.failed > 0 || total.publishFailed > 0 {
		blame("%d requests and %d publishes failed; the last: %s", total.failed, total.publishFailed, total.last)
	}
	if len(total.hits) == 0 || len(total.misses) == 0 || total.published == 0 {
		blame("%d hits, %d misses and %d publishes are no soak", len(total.hits), len(total.misses), total.published)
	}
	if len(broken) > 0 {
		return fmt.Errorf("soak: %s", strings.Join(broken, "; "))
	}
	return nil
}

// thirds cuts the samples by time.
func thirds(samples []sample) (first, second, last []sample) {
	n := len(samples)
	return samples[:n/3], samples[n/3 : 2*n/3], samples[2*n/3:]
}

// sum adds the windows of samples up.
func sum(samples []sample) (total window) {
	for _, s := range samples {
		total.hits = append(total.hits, s.hits...)
		total.misses = append(total.misses, s.misses...)
		total.shed += s.shed
		total.failed += s.failed
		total.published += s.published
		total.publishFailed += s.publishFailed
		total.last = s.last
	}
	slices.Sort(total.hits)
	slices.Sort(total.misses)
	return total
}

func highest(samples []sample, of func(sample) float64) (most float64) {
	for _, s := range samples {
		most = max(most, of(s))
	}
	return most
}

func mean(samples []sample, of func(sample) float64) (all float64) {
	for _, s := range samples {
		all += of(s)
	}
	return all / float64(max(1, len(samples)))
}

func residentOf(s sample) float64 { return s.resident }

// write writes the plot and the page around it.
func (s *soak) write(samples []sample) error {
	if err := os.WriteFile(filepath.Join(s.results, "soak.svg"), plot.Column(charts(samples, s.cacheBytes, s.bound().Total())...), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.results, "soak.md"), s.page(samples), 0o644)
}

// page tells what was run and what came of it, by thirds: what grows shows in the last one.
func (s *soak) page(samples []sample) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# A soak of the edge\n\n%s, `go run ./bench/edge -soak %v -livery bin/livery`, %s, %s/%s, %d cores.\n\n",
		time.Now().UTC().Format(time.DateOnly), s.lasting, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(&b, "An origin and an edge in processes of their own, the edge cold and with `--cache-bytes` of %d MiB: at most %d requests a second by Zipf's law\n"+
		"over %d files and %d more with every publish, one publish a second, in four codings.\n\n![memory, hits, times and load](soak.svg)\n\n",
		s.cacheBytes/mib, s.rate, worldThemes*(1+worldVariants)*len(worldFiles), (1+worldVariants)*len(worldFiles))
	first, second, last := thirds(samples)
	b.WriteString("| | first third | second | last | all |\n|-|-:|-:|-:|-:|\n")
	for _, line := range lines {
		fmt.Fprintf(&b, "| %s ", line.name)
		for _, part := range [][]sample{first, second, last, samples} {
			fmt.Fprintf(&b, "| %s ", line.value(part, sum(part)))
		}
		b.WriteString("|\n")
	}
	m := s.bound()
	fmt.Fprintf(&b, "\nThe bound of resident memory is %d MiB: %d of Go, %d of them cached, %d of renderer instances, %d of their code, %d of the program itself.\n",
		m.Total()/mib, m.Heap/mib, m.Cache/mib, m.Guests/mib, m.Code/mib, m.Binary/mib)
	return []byte(b.String())
}

// lines are the rows of the page's table.
var lines = []struct {
	name  string
	value func([]sample, window) string
}{
	{"resident memory, mean and highest, MiB", spread(residentOf)},
	{"of Go, mean and highest, MiB", spread(func(s sample) float64 { return s.heap })},
	{"of renderer instances, mean and highest, MiB", spread(func(s sample) float64 { return s.guests })},
	{"cached, mean and highest, MiB", spread(func(s sample) float64 { return s.held })},
	{"answers", func(_ []sample, w window) string { return fmt.Sprint(w.answers()) }},
	{"of them hits", func(_ []sample, w window) string { return fmt.Sprintf("%.1f%%", 100*w.hitRatio()) }},
	{"p50, p99 of hits", func(_ []sample, w window) string { return times(w.hits) }},
	{"p50, p99 of others", func(_ []sample, w window) string { return times(w.misses) }},
	{"told to come again (503)", func(_ []sample, w window) string { return fmt.Sprint(w.shed) }},
	{"failed", func(_ []sample, w window) string { return fmt.Sprint(w.failed) }},
	{"publishes, of them failed", func(_ []sample, w window) string { return fmt.Sprintf("%d, %d", w.published, w.publishFailed) }},
}

func spread(of func(sample) float64) func([]sample, window) string {
	return func(part []sample, _ window) string {
		return fmt.Sprintf("%.0f, %.0f", mean(part, of)/mib, highest(part, of)/mib)
	}
}

func times(took []time.Duration) string {
	return fmt.Sprintf("%v, %v", quantile(took, 0.5).Round(10*time.Microsecond), quantile(took, 0.99).Round(10*time.Microsecond))
}
