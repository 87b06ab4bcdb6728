//go:build linux

package use

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/plot"
	"example.com/livery/bench/internal/world"
	"example.com/livery/edge"
)

// Soak is the part of the benchmarks that runs for long.
var Soak = frame.Part{
	Name: "soak", Title: "A soak of the edge", Binary: true,
	About: "Zipf traffic at a constant rate in four codings over far more files than the edge's memory holds, a publish every second: 6 Themes with 21 pairs of four files each, " +
		"of which every publish makes 84 more. The run fails if an answer is wrong, or the edge takes more memory than it says, or its memory grows to the end.",
	Quick: []string{"-for", "20s"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var s soak
		flags.DurationVar(&s.lasting, "for", 30*time.Minute, "how long the edge is asked")
		flags.IntVar(&s.rate, "rate", 400, "requests a second")
		flags.Int64Var(&s.cacheBytes, "cache-bytes", 64<<20, "memory for files of the edge")
		flags.StringVar(&s.svg, "plot", "", "file for the curves over time, as SVG; empty draws none")
		return s.run
	},
}

// soak is one long run.
type soak struct {
	lasting    time.Duration
	rate       int    // requests a second
	cacheBytes int64  // the edge's memory for files and records
	svg        string // empty: none is written

	origin *world.Origin
	edge   *world.Edge
	themes []*world.Theme
	latest []atomic.Uint32 // version of each Theme
}

const (
	mib          = 1 << 20
	soakThemes   = 6
	soakVariants = 20
	soakTokens   = 640 // whose stylesheet is 20 KB long

	// maxGrowth is how much more resident memory there may be in the last third than in the second, before it counts as
	// growing; growthFrom is the length of a run from which on that is looked at: before, the cache is still filled.
	maxGrowth  = 0.04
	growthFrom = 5 * time.Minute
)

// sample is one point of the run.
type sample struct {
	traffic
	at                   time.Duration // since the beginning
	heap, guests, cached float64       // memory of Go, of renderer instances, and counted against the budget, in bytes
}

func (s *soak) run(ctx context.Context, r *frame.Run) (err error) {
	s.latest = make([]atomic.Uint32, soakThemes)
	if s.origin, err = world.StartOrigin(ctx, r.Livery, r.Dir, world.AnyCore); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.origin.Stop()) }()
	if s.themes, err = s.origin.Fill(ctx, "soak", 0, soakThemes, world.Size{Tokens: soakTokens, Variants: soakVariants, Versions: 1}, nil); err != nil {
		return err
	}
	for i := range s.latest {
		s.latest[i].Store(1)
	}
	if s.edge, err = world.StartEdge(ctx, s.origin, r.Dir, "edge", world.AnyCore, s.cacheBytes, "--disk-bytes", strconv.Itoa(1<<30)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.edge.Stop()) }()
	publishing, stop := context.WithCancel(ctx)
	published := make(chan publishes, 1)
	go func() {
		published <- publishEverySecond(publishing, s.origin, s.themes, func(i int) { s.latest[i].Store(uint32(s.themes[i].Versions)) })
	}()
	samples, err := s.soak(ctx)
	stop()
	made := <-published
	if err != nil {
		return err
	}
	s.addFigures(r, samples, made)
	if s.svg != "" {
		if err := os.WriteFile(s.svg, plot.Column(s.charts(samples)...), 0o644); err != nil {
			return err
		}
	}
	if err := s.check(samples, made); err != nil {
		return fmt.Errorf("%w\n%s%s", err, r.Text, r.Figures.Markdown(nil))
	}
	return nil
}

// soak sends the traffic, and takes a sample every second or, in a long run, 300 in all.
func (s *soak) soak(ctx context.Context) (samples []sample, err error) {
	each := max(time.Second, s.lasting/300)
	bar := frame.StartBar("samples", int(s.lasting/each))
	defer bar.End()
	next := s.popularity()
	for began := time.Now(); time.Since(began) < s.lasting; bar.Step() {
		t, err := send(ctx, s.edge, s.rate, each, next)
		if err != nil {
			return nil, err
		}
		memory, err := s.edge.Metrics(ctx, "go_memstats_sys_bytes", "go_memstats_heap_released_bytes", "livery_edge_guest_memory_bytes", "livery_edge_cache_bytes")
		if err != nil {
			return nil, err
		}
		// Of what Go gave back, only the addresses remain.
		samples = append(samples, sample{t, time.Since(began), memory[0] - memory[1], memory[2], memory[3]})
	}
	return samples, nil
}

// popularity returns what draws addresses by Zipf's law with the codings that are accepted: the most popular files are those
// of latest, and the further a version lies back the rarer it is asked for.
func (s *soak) popularity() func(int) (path, codings string) {
	const perTheme = (1 + soakVariants) * 4
	files := uint64(soakThemes * perTheme)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 1)), 1.1, 8, 40*files)
	names := []string{"tokens.css", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}
	return func(int) (string, string) {
		rank := zipf.Uint64()
		at := rank * 7919 % files // 7919 is prime: neighbours in popularity are of different Themes
		theme, file := at%soakThemes, at/soakThemes
		version := 0
		if back := rank / files; back > 0 {
			latest := uint64(s.latest[theme].Load())
			version = int(latest - (back-1)%latest)
		}
		codings := [...]string{"gzip, deflate, br, zstd", "gzip, deflate, br, zstd", "gzip", "zstd", "identity"}[rank%5]
		return s.origin.Path(s.themes[theme], int(file%(1+soakVariants)), version, names[file/(1+soakVariants)]), codings
	}
}

// bound returns the memory that the edge says it takes at most.
func (s *soak) bound() edge.Memory { return edge.MemoryFor(s.cacheBytes, runtime.NumCPU()) }

// measure is what is reported of a run.
type measure struct {
	name, unit string
	of         func(sample) float64
}

var measures = []measure{
	{"resident", "MiB", func(s sample) float64 { return s.resident / mib }},
	{"of Go", "MiB", func(s sample) float64 { return s.heap / mib }},
	{"of renderer instances", "MiB", func(s sample) float64 { return s.guests / mib }},
	{"cached", "MiB", func(s sample) float64 { return s.cached / mib }},
	{"hits", "% of all answers", func(s sample) float64 {
		return 100 * float64(len(s.hits)) / float64(max(1, len(s.hits)+len(s.misses)+s.shed+s.failed))
	}},
	{"p50 of hits", "ms", func(s sample) float64 { return figures.Milliseconds(s.hits.At(0.5)) }},
	{"p99 of hits", "ms", func(s sample) float64 { return figures.Milliseconds(s.hits.At(0.99)) }},
	{"p50 of others", "ms", func(s sample) float64 { return figures.Milliseconds(s.misses.At(0.5)) }},
	{"p99 of others", "ms", func(s sample) float64 { return figures.Milliseconds(s.misses.At(0.99)) }},
	{"told to come again (503)", "answers", func(s sample) float64 { return float64(s.shed) }},
}

// addFigures adds what came of each third: what grows shows in the last one.
func (s *soak) addFigures(r *frame.Run, samples []sample, made publishes) {
	for i, part := range thirds(samples) {
		for _, m := range measures {
			f := figures.Figure{Name: m.name, Subject: [...]string{"first third", "second", "last"}[i], Unit: m.unit}
			r.Figures.AddRounds(f, values(part, m.of))
		}
	}
	m := s.bound()
	r.Text = fmt.Sprintf("%d publishes. The bound of resident memory is %d MiB: %d of Go, %d of them cached, %d of renderer instances, %d of their code, %d of the program itself.\n\n",
		made.count, m.Total()/mib, m.Heap/mib, m.Cache/mib, m.Guests/mib, m.Code/mib, m.Binary/mib)
}

// charts are a chart for each unit over time.
func (s *soak) charts(samples []sample) (charts []plot.Chart) {
	var growths []figures.Figure
	add := func(m measure) {
		for _, taken := range samples {
			v := m.of(taken)
			growths = append(growths, figures.Figure{Name: m.name, Unit: m.unit, At: taken.at.Round(time.Second).Seconds(), Value: v, Low: v, High: v})
		}
	}
	for _, m := range measures {
		add(m)
	}
	add(measure{"bound", "MiB", func(sample) float64 { return float64(s.bound().Total()) / mib }})
	add(measure{"budget of what is cached", "MiB", func(sample) float64 { return float64(s.cacheBytes) / mib }})
	for _, group := range figures.Groups(growths, func(f figures.Figure) string { return f.Unit }) {
		charts = append(charts, plot.Chart{Title: "the edge", X: "seconds", Y: group[0].Unit, Curves: plot.Curves(group)})
	}
	return charts
}

// check returns an error if an answer was wrong, or the edge took more memory than it says.
func (s *soak) check(samples []sample, made publishes) error {
	var all traffic
	cached, resident := 0.0, func(s sample) float64 { return s.resident }
	for _, taken := range samples {
		all.hits, all.misses = append(all.hits, taken.hits...), append(all.misses, taken.misses...)
		all.failed, all.unanswered, cached = all.failed+taken.failed, all.unanswered+taken.unanswered, max(cached, taken.cached)
	}
	faults := []error{made.err, all.faults()}
	blame := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if cached > float64(s.cacheBytes) {
		blame("%.0f bytes were cached, the budget is %d", cached, s.cacheBytes)
	}
	parts := thirds(samples)
	if most := slices.Max(values(parts[2], resident)); most > float64(s.bound().Total()) {
		blame("%.0f MiB were resident in the last third, the bound is %d MiB", most/mib, s.bound().Total()/mib)
	}
	if before, after := mean(values(parts[1], resident)), mean(values(parts[2], resident)); s.lasting >= growthFrom && after > before*(1+maxGrowth) {
		blame("%.0f MiB were resident in the second third and %.0f MiB in the last: it grows", before/mib, after/mib)
	}
	if len(all.hits) == 0 || len(all.misses) == 0 || made.count == 0 {
		blame("%d hits, %d misses and %d publishes are not a soak", len(all.hits), len(all.misses), made.count)
	}
	return errors.Join(faults...)
}

func thirds(samples []sample) [3][]sample {
	n := len(samples)
	return [3][]sample{samples[:n/3], samples[n/3 : 2*n/3], samples[2*n/3:]}
}

func values(samples []sample, of func(sample) float64) (list []float64) {
	for _, s := range samples {
		list = append(list, of(s))
	}
	return list
}

func mean(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum / float64(cmp.Or(len(list), 1))
}
