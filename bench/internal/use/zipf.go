//go:build linux

package use

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
)

// zipfVariants are the Variants of each Theme of the Zipf traffic: 10 pairs with the Theme alone.
const zipfVariants = 9

// zipfTokens are the tokens of each.
const zipfTokens = 200

// popularity draws ranks by Zipf's law: rank n is drawn in proportion to 1/(n+1)^skew. It is for one
// goroutine.
type popularity struct {
	random *rand.Rand
	upTo   []float64 // the sum of the shares of all ranks up to this one
}

func newPopularity(ranks int, skew float64, seed uint64) *popularity {
	p := &popularity{random: rand.New(rand.NewPCG(seed, 1)), upTo: make([]float64, ranks)}
	sum := 0.0
	for i := range p.upTo {
		sum += math.Pow(float64(i+1), -skew)
		p.upTo[i] = sum
	}
	return p
}

func (p *popularity) next() int {
	at, _ := slices.BinarySearch(p.upTo, p.random.Float64()*p.upTo[len(p.upTo)-1])
	return min(at, len(p.upTo)-1)
}

// addresses lists every file of every version of every pair, in an order in which neighbours belong to
// different Themes, so that a rank says nothing of the Theme. Of each Theme the newest version is asked for as
// the latest.
func (b *bench) addresses(themes []*world.Theme) (paths []string) {
	for _, t := range themes {
		for pair := range t.Pairs {
			for version := range t.Versions {
				for _, file := range world.Files {
					paths = append(paths, b.origin.Path(t, pair, version, file))
				}
			}
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	return paths
}

// zipf measures the traffic over many addresses beside publishes.
func (b *bench) zipf(ctx context.Context) error {
	themes, err := b.fill(ctx, "zipf", 0, b.themes, world.Size{Tokens: zipfTokens, Variants: zipfVariants, Versions: b.versions})
	if err != nil {
		return err
	}
	paths := b.addresses(themes)
	each, err := b.sizeOf(ctx, paths)
	if err != nil {
		return err
	}
	cache := cacheFor(len(paths)/10, each)
	e, err := world.StartEdge(ctx, b.origin, b.dir, "edge-zipf", edgeCore, cache)
	if err != nil {
		return err
	}
	publishing, stop := context.WithCancel(ctx)
	published := make(chan publishes, 1)
	go func() { published <- publishEverySecond(publishing, b.origin, themes, nil) }()
	fmt.Fprintln(os.Stderr, "Zipf traffic")
	t, err := b.zipfTraffic(ctx, e, paths)
	stop()
	counts := <-published
	if err == nil {
		err = errors.Join(counts.err, t.faults())
	}
	if err == nil {
		err = b.reportZipf(ctx, e, t, len(paths), counts.count)
	}
	if ended := e.Stop(); err == nil {
		err = ended
	}
	return err
}

// zipfTraffic warms the edge up and measures. It begins as after a long time: the fifth of the addresses that is
// asked for most, twice as many as there is memory for, has been asked for once, the most popular ones last.
func (b *bench) zipfTraffic(ctx context.Context, e *world.Edge, paths []string) (t traffic, err error) {
	popular := slices.Clone(paths[:max(1, len(paths)/5)])
	slices.Reverse(popular)
	if _, err := scan(ctx, e, popular); err != nil {
		return t, err
	}
	p := newPopularity(len(paths), b.skew, 7)
	next := func(int) (string, string) { return paths[p.next()], "gzip" }
	if _, err := send(ctx, e, b.rate, b.lasting/2, next); err != nil {
		return t, err
	}
	return send(ctx, e, b.rate, b.lasting, next)
}

// sizeOf returns the mean size of a file as gzip, with what an edge counts for one beside its bytes, as
// the first edge serves it that is asked.
func (b *bench) sizeOf(ctx context.Context, paths []string) (int64, error) {
	e, err := world.StartEdge(ctx, b.origin, b.dir, "edge-size", edgeCore, 64<<20)
	if err != nil {
		return 0, err
	}
	const sampled, beside = 200, 512
	total := int64(0)
	for _, path := range paths[:min(sampled, len(paths))] {
		n, err := fetch(ctx, e.URL()+path)
		if err != nil {
			_ = e.Stop() // the error is what to tell
			return 0, err
		}
		total += n + beside
	}
	return total / int64(min(sampled, len(paths))), e.Stop()
}

// cacheFor returns the memory of an edge for so many files: a third more than they take, for records and what files
// are made from.
func cacheFor(files int, each int64) int64 { return int64(files) * each * 4 / 3 }

func fetch(ctx context.Context, url string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, response.Status)
	}
	return n, err
}

// publishes is what became of a publish every second.
type publishes struct {
	count int
	err   error
}

// firstPublished is the value of the first of publishEverySecond's publishes.
const firstPublished = 1_000_000_000

// publishEverySecond publishes one Theme after the other until ctx is done or a publish fails. done learns the number of
// the Theme after each; it may be nil.
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
		if done != nil {
			done(i)
		}
	}
}

// reportZipf adds the figures of the Zipf traffic.
func (b *bench) reportZipf(ctx context.Context, e *world.Edge, t traffic, addresses, published int) error {
	cached, err := e.Metric(ctx, "livery_edge_cache_bytes")
	if err != nil {
		return err
	}
	add := func(name, unit string, value float64) {
		b.figures.AddOne(figures.Figure{Name: "Zipf traffic, " + name, Unit: unit}, value)
	}
	add("addresses", "addresses", float64(addresses))
	add("publishes meanwhile", "publishes", float64(published))
	add("told to come again (503)", "answers", float64(t.shed))
	add("hit ratio", "%", 100*float64(len(t.hits))/float64(max(1, len(t.hits)+len(t.misses))))
	add("cached", "MiB", cached/(1<<20))
	for _, kind := range []string{"theme", "pair", "input", "file"} {
		evicted, err := e.Metric(ctx, `livery_edge_cache_evictions_total{kind="`+kind+`"}`)
		if err != nil {
			return err
		}
		add("what made place: "+kind, "evictions", evicted)
	}
	t.report(b.figures, "Zipf traffic, ", "", 0)
	return nil
}
