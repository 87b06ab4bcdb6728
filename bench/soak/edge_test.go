//go:build linux

package soak

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
	"example.com/livery/edge"
)

// Soak is the part of the benchmarks that runs for long. It sends Zipf traffic at a constant rate, in four codings, over plain
// HTTP/1.1 to one edge and over TLS in HTTP/1.1 and HTTP/2 to another, for far more files than an edge holds, while a publish
// every second makes 84 more and the origin is stopped and killed in turn. Some requests ask for a range, some revalidate,
// some clients read slowly. The run compares every body with what the renderer makes natively. It fails if a response is
// wrong, is missing for 30 seconds or is 503 without Retry-After; if an edge takes more memory than it says, or grows to the
// end; and if a connection stays.
var Soak = frame.Part{
	Name: "soak", Title: "A soak of the edge", Binary: true,
	Quick: []string{"-for", "20s"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var s soak
		flags.DurationVar(&s.lasting, "for", 30*time.Minute, "how long the edge is asked")
		flags.IntVar(&s.rate, "rate", 30, "requests a second")
		flags.Int64Var(&s.cacheBytes, "cache-bytes", 64<<20, "memory for files of the edge")
		return s.run
	},
}

// soak is one long run.
type soak struct {
	lasting    time.Duration
	rate       int   // requests a second
	cacheBytes int64 // the edge's memory for files and records

	origin      *world.Origin
	edge, plain *world.Edge // with and without TLS
	themes      []*world.Theme
	latest      []atomic.Uint32 // version of each Theme
	restarts    int
	oracle      oracle
	tally       tally
}

const (
	mib          = 1 << 20
	soakThemes   = 6
	soakVariants = 20
	soakTokens   = 640  // whose stylesheet is 20 KB long
	longTokens   = 5000 // of one Theme more, which is not published again
	restartEvery = 5    // publishes of one Theme
	awayFor      = 3 * time.Second

	// maxGrowth is how much more resident memory there may be in the last third than in the second, before it counts as
	// growing; growthFrom is the length of a run from which on that is looked at: before, the cache is still filled.
	maxGrowth  = 0.04
	growthFrom = 5 * time.Minute
)

// traffic counts responses.
type traffic struct {
	hits, misses figures.Times // from when each request was due
	shed         int           // answered 503
	failed       int           // answered anything else
	unanswered   int
	resident     float64 // memory of the edge, in bytes
}

// faults returns an error if a response was wrong or missing.
func (t *traffic) faults() error {
	if t.failed > 0 || t.unanswered > 0 {
		return fmt.Errorf("%d answers were neither 200 nor 503, and %d requests got none", t.failed, t.unanswered)
	}
	return nil
}

// add adds the answers of more traffic.
func (t *traffic) add(more traffic) {
	t.hits, t.misses = append(t.hits, more.hits...), append(t.misses, more.misses...)
	t.shed, t.failed, t.unanswered = t.shed+more.shed, t.failed+more.failed, t.unanswered+more.unanswered
}

// sample is one point of the run.
type sample struct {
	traffic
	at                   time.Duration // since the beginning
	heap, guests, cached float64       // memory of Go, of renderer instances, and counted against the budget, in bytes
}

func (s *soak) run(ctx context.Context, r *frame.Run) (err error) {
	s.latest = make([]atomic.Uint32, soakThemes)
	s.oracle = oracle{sums: map[soakFile][sha256.Size]byte{}, tags: map[string]tag{}}
	s.tally.answers = map[string]int{}
	if s.origin, err = world.StartOrigin(ctx, r.Livery, r.Dir, world.AnyCore); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.origin.Stop()) }()
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := world.Certify(ctx, r.Dir); err != nil {
		return err
	}
	disk := []string{"--disk-bytes", strconv.Itoa(1 << 30)}
	if s.edge, err = world.StartEdge(ctx, s.origin, r.Dir, "edge", world.AnyCore, s.cacheBytes, append(disk, world.Secure(r.Dir)...)...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.edge.Stop()) }()
	if s.plain, err = world.StartEdge(ctx, s.origin, r.Dir, "plain", world.AnyCore, s.cacheBytes, disk...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.plain.Stop()) }()
	samples, made, err := s.soak(ctx)
	if err != nil {
		return err
	}
	s.addFigures(r, samples, made)
	s.reportAll(r.Figures, samples)
	if err := errors.Join(s.check(samples, made), s.noneStays(ctx)); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, strings.Join(s.tally.examples, "\n"), r.Figures.Table())
	}
	return nil
}

// fill publishes what is asked for.
func (s *soak) fill(ctx context.Context) (err error) {
	if s.themes, err = s.origin.Fill(ctx, "soak", 0, soakThemes, world.Size{Tokens: soakTokens, Variants: soakVariants, Versions: 1}, nil); err != nil {
		return err
	}
	for i := range s.latest {
		s.latest[i].Store(1)
	}
	long, err := s.origin.Fill(ctx, "soak", soakThemes, 1, world.Size{Tokens: longTokens, Versions: 1}, nil)
	s.themes = append(s.themes, long...)
	return err
}

func tokensOf(theme int) int {
	if theme == soakThemes {
		return longTokens
	}
	return soakTokens
}

// soak has the clients ask, and publishes, as long as the run lasts.
func (s *soak) soak(ctx context.Context) ([]sample, publishes, error) {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var clients sync.WaitGroup
	published := make(chan publishes, 1)
	clients.Go(func() { s.atRate(asking) })
	clients.Go(func() { s.slowly(asking) })
	go func() {
		var made publishes
		var restarted error
		publishing, end := context.WithCancel(asking)
		defer end()
		made = publishEverySecond(publishing, s.origin, s.themes[:soakThemes], func(i int) {
			s.latest[i].Store(uint32(s.themes[i].Versions))
			if n := s.themes[i].Versions; i == 0 && n%restartEvery == 0 {
				if restarted = s.restart(asking); restarted != nil {
					end()
				}
			}
		})
		made.err = errors.Join(made.err, restarted)
		published <- made
	}()
	samples, err := s.samples(ctx)
	stop()
	clients.Wait()
	if err == nil {
		samples[len(samples)-1].add(s.tally.take())
	}
	return samples, <-published, err
}

// publishes counts the publishes of a run.
type publishes struct {
	count int
	err   error
}

// firstPublished is the value that the first of these publishes gives a Theme.
const firstPublished = 1_000_000_000

// publishEverySecond publishes one Theme after the other until ctx is done or a publish fails. It calls done with the index
// of the Theme after each.
func publishEverySecond(ctx context.Context, o *world.Origin, themes []*world.Theme, done func(i int)) (p publishes) {
	turns := time.NewTicker(time.Second)
	defer turns.Stop()
	for {
		select {
		case <-ctx.Done():
			return p
		case <-turns.C:
		}
		i := p.count % len(themes)
		err := o.Publish(ctx, themes[i], firstPublished+p.count)
		if ctx.Err() != nil {
			return p
		}
		if err != nil {
			p.err = err
			return p
		}
		p.count++
		done(i)
	}
}

// restart stops or kills the origin, and starts it again after a while.
func (s *soak) restart(ctx context.Context) error {
	end := s.origin.Stop
	if s.restarts++; s.restarts%2 == 0 {
		end = s.origin.Kill
	}
	err := end()
	select {
	case <-time.After(awayFor):
	case <-ctx.Done():
	}
	_, started := s.origin.Restart(context.WithoutCancel(ctx))
	return errors.Join(err, started)
}

// samples takes a sample every second or, in a long run, 300 in all.
func (s *soak) samples(ctx context.Context) (samples []sample, err error) {
	each := max(time.Second, s.lasting/300)
	bar := frame.StartBar("samples", int(s.lasting/each))
	defer bar.End()
	turns := time.NewTicker(each)
	defer turns.Stop()
	for began := time.Now(); time.Since(began) < s.lasting; bar.Step() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-turns.C:
		}
		taken := sample{traffic: s.tally.take(), at: time.Since(began)}
		for _, e := range []*world.Edge{s.edge, s.plain} {
			memory, err := e.Metrics(ctx, "go_memstats_sys_bytes", "go_memstats_heap_released_bytes", "livery_edge_guest_memory_bytes", "livery_edge_cache_bytes")
			if err != nil {
				return nil, err
			}
			resident, err := e.Resident()
			if err != nil {
				return nil, err
			}
			// Of what Go gave back, only the addresses remain.
			taken.resident, taken.heap = max(taken.resident, resident), max(taken.heap, memory[0]-memory[1])
			taken.guests, taken.cached = max(taken.guests, memory[2]), max(taken.cached, memory[3])
		}
		samples = append(samples, taken)
	}
	return samples, nil
}

// noneStays returns an error if an edge goes on counting connections whose clients have closed them.
func (s *soak) noneStays(ctx context.Context) error {
	for _, e := range []*world.Edge{s.edge, s.plain} {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			open, err := e.Metric(ctx, "livery_edge_connections")
			if err != nil {
				return err
			}
			if open == 0 {
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("%.0f connections stay open at an edge without clients", open)
			}
		}
	}
	return nil
}

// soakFiles are the files that are asked for.
var soakFiles = []string{"tokens.css", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}

// popularity returns what draws addresses by Zipf's law with the codings that are accepted: the most popular files are those
// of latest, and the further a version lies back the rarer it is asked for.
func (s *soak) popularity() func(n int) soakRequest {
	const perTheme = (1 + soakVariants) * 4
	files := uint64(soakThemes * perTheme)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 1)), 1.1, 8, 40*files)
	return func(n int) soakRequest {
		rank := zipf.Uint64()
		at := rank * 7919 % files // 7919 is prime: neighbours in popularity are of different Themes
		theme, file := at%soakThemes, at/soakThemes
		version, latest := 0, s.latest[theme].Load()
		if back := rank / files; back > 0 {
			version = int(uint64(latest) - (back-1)%uint64(latest))
		}
		return soakRequest{
			soakFile: soakFile{int(theme), int(file % (1 + soakVariants)), version, soakFiles[file/(1+soakVariants)]},
			codings:  [...]string{"gzip, deflate, br, zstd", "gzip, deflate, br, zstd", "gzip", "zstd", "identity"}[rank%5],
			ranged:   n%17 == 0, current: n%5 == 0 && n%17 != 0, close: n%23 == 0,
			earliest: max(1, int(latest)-10), // published a minute ago: the Environment's cacheLifetime
		}
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
	r.Figures.AddOne(figures.Figure{Name: "publishes", Unit: "count"}, float64(made.count))
	r.Figures.AddOne(figures.Figure{Name: "restarts of the origin", Unit: "count"}, float64(s.restarts))
	r.Figures.AddOne(figures.Figure{Name: "bound of resident memory", Unit: "MiB"}, float64(s.bound().Total())/mib)
}

// check returns an error if an answer was wrong, or the edge took more memory than it says.
func (s *soak) check(samples []sample, made publishes) error {
	var all traffic
	cached, resident := 0.0, func(s sample) float64 { return s.resident }
	for _, taken := range samples {
		all.add(taken.traffic)
		cached = max(cached, taken.cached)
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
