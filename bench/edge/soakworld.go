//go:build linux

package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"example.com/livery/bench/world"
)

// soakWorld is what a soak asks for: Themes with Variants at an origin, and an edge of its own process.
type soakWorld struct {
	origin *world.Origin
	edge   *world.Edge
	themes []*world.Theme
	latest []atomic.Uint32 // version of each Theme
}

// The size of a world: 6 Themes with 21 pairs of four files each, of which every publish of a Theme
// makes 84 more.
const (
	worldThemes   = 6
	worldVariants = 20
	worldTokens   = 640 // whose stylesheet is 20 KB long
)

var worldFiles = []string{"tokens.css", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}

// openWorld starts an origin and an edge with so much memory for files, and publishes every Theme.
func openWorld(ctx context.Context, binary, dir string, cacheBytes int64) (*soakWorld, error) {
	w := &soakWorld{latest: make([]atomic.Uint32, worldThemes)}
	var err error
	if w.origin, err = world.StartOrigin(ctx, binary, dir, world.AnyCore); err != nil {
		return w, err
	}
	size := world.Size{Tokens: worldTokens, Variants: worldVariants, Versions: 1}
	if w.themes, err = w.origin.Fill(ctx, "soak", 0, worldThemes, size, nil); err != nil {
		return w, err
	}
	for i := range w.latest {
		w.latest[i].Store(1)
	}
	w.edge, err = world.StartEdge(ctx, w.origin, dir, "edge", world.AnyCore, cacheBytes, "--disk-bytes", strconv.Itoa(1<<30))
	return w, err
}

// close ends both servers; they must end in order.
func (w *soakWorld) close() (err error) {
	if w.edge != nil {
		err = w.edge.Stop()
	}
	if w.origin != nil {
		err = errors.Join(err, w.origin.Stop())
	}
	return err
}

// publish changes one token of a Theme for everybody, and publishes it.
func (w *soakWorld) publish(ctx context.Context, n int) error {
	i := n % len(w.themes)
	err := w.origin.Publish(ctx, w.themes[i], n)
	w.latest[i].Store(uint32(w.themes[i].Versions))
	return err
}

// popularity draws addresses by Zipf's law. Not for concurrent use.
type popularity struct {
	world *soakWorld
	zipf  *rand.Zipf
	files uint64 // of one version of every Theme
}

func (w *soakWorld) popularity(seed uint64) *popularity {
	files := uint64(len(w.themes) * (1 + worldVariants) * len(worldFiles))
	return &popularity{w, rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 8, 40*files), files}
}

// next returns a URL and the codings that are accepted: the most popular files are those of latest,
// and the further a version lies back the rarer it is asked for.
func (p *popularity) next() (url, codings string) {
	rank, themes := p.zipf.Uint64(), uint64(len(p.world.themes))
	at := rank * 7919 % p.files // 7919 is prime: neighbours in popularity are of different Themes
	theme := at % themes
	at /= themes
	version := 0
	if back := rank / p.files; back > 0 {
		latest := uint64(p.world.latest[theme].Load())
		version = int(latest - (back-1)%latest)
	}
	codings = [...]string{"gzip, deflate, br, zstd", "gzip, deflate, br, zstd", "gzip", "zstd", "identity"}[rank%5]
	pair, file := at%(1+worldVariants), worldFiles[at/(1+worldVariants)]
	return p.world.edge.URL() + p.world.origin.Path(p.world.themes[theme], int(pair), version, file), codings
}

// usage returns what the edge takes now.
func (w *soakWorld) usage(ctx context.Context) (u usage, err error) {
	if u.resident, err = w.edge.Resident(); err != nil {
		return u, err
	}
	told, err := w.edge.Metrics(ctx, "go_memstats_sys_bytes", "go_memstats_heap_released_bytes", "livery_edge_guest_memory_bytes", "livery_edge_cache_bytes")
	if err != nil {
		return u, err
	}
	u.heap = told[0] - told[1] // of what was given back, only the addresses are kept
	u.guests, u.held = told[2], told[3]
	return u, nil
}
