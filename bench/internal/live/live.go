//go:build linux

// Package live measures the event streams of an edge: what one takes in memory, and when the last of many pages hears of a
// publish.
package live

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks. Its streams come from one process on the same machine. A page has an event once the
// kernel has received all of it for the page's socket; the rows that say so have one thread read all pages at once, on the
// processors of the edge. Quantiles of the first and the last page are over publishes, those of a page over all pages of all
// publishes.
var Part = frame.Part{
	Name: "live", Title: "Open pages that follow a Theme", Binary: true,
	Quick: []string{"-streams", "200", "-publishes", "3"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{heard: make(chan []time.Time, 1<<10)}
		flags.IntVar(&b.streams, "streams", 10000, "how many pages follow the Theme")
		flags.IntVar(&b.publishes, "publishes", 100, "how many times to publish")
		return b.run
	},
}

// bench is one run.
type bench struct {
	streams, publishes int
	edits              int              // so far
	heard              chan []time.Time // when pages have read an event
}

func (b *bench) run(ctx context.Context, r *frame.Run) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	o, err := world.StartOrigin(ctx, r.Livery, r.Dir, world.AnyCore)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Stop()) }()
	e, err := world.StartEdge(ctx, o, r.Dir, "live", world.AnyCore, 256<<20)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop()) }()
	themes, err := o.Fill(ctx, "live", 0, 1, world.Size{Tokens: 500, Versions: 1}, nil)
	if err != nil {
		return err
	}
	latest := o.Path(themes[0], 0, 0, "")
	if err := get(ctx, e.URL()+latest+"tokens.css"); err != nil {
		return err
	}
	before, heapBefore, err := memory(ctx, e)
	if err != nil {
		return err
	}
	p, err := b.follow(ctx, e.Host(), latest+"events")
	if p != nil {
		defer p.close()
	}
	if err != nil {
		return err
	}
	after, heapAfter, err := memory(ctx, e)
	if err != nil {
		return err
	}
	each := func(bytes float64) float64 { return bytes / float64(b.streams) / 1024 }
	r.Figures.AddOne(figures.Figure{Name: "the edge without streams, resident", Unit: "MiB"}, before/(1<<20))
	r.Figures.AddOne(figures.Figure{Name: "the edge with all streams, resident", Unit: "MiB"}, after/(1<<20))
	r.Figures.AddOne(figures.Figure{Name: "a stream, living heap", Unit: "KiB"}, each(heapAfter-heapBefore))
	if err := b.measure(ctx, r, o, e, themes[0], latest, ""); err != nil {
		return err
	}
	p.atOnce.Store(true)
	return b.measure(ctx, r, o, e, themes[0], latest, ", pages read at once on the same processors")
}

// measure publishes again and again. way says in rows how pages read.
func (b *bench) measure(ctx context.Context, r *frame.Run, o *world.Origin, e *world.Edge, theme *world.Theme, latest, way string) error {
	bar := frame.StartBar("publishes"+way, b.publishes)
	defer bar.End()
	var first, all, last, answered, served figures.Times
	before, err := e.Busy()
	if err != nil {
		return err
	}
	for range b.publishes {
		b.edits++
		if err := o.Edit(ctx, theme, 1000+b.edits); err != nil {
			return err
		}
		begun := time.Now()
		if err := o.PublishDraft(ctx, theme); err != nil {
			return err
		}
		acknowledged := time.Now()
		heard, err := b.await(ctx, nil)
		if err != nil {
			return fmt.Errorf("publish %d: %w", b.edits, err)
		}
		for _, at := range heard {
			all = append(all, at.Sub(begun))
		}
		slices.SortFunc(heard, time.Time.Compare)
		latestHeard := heard[len(heard)-1]
		first, last = append(first, heard[0].Sub(begun)), append(last, latestHeard.Sub(begun))
		answered = append(answered, latestHeard.Sub(acknowledged))
		asked := time.Now()
		if err := get(ctx, e.URL()+latest+"tokens.css"); err != nil {
			return err
		}
		served = append(served, time.Since(asked))
		bar.Step()
	}
	after, err := e.Busy()
	if err != nil {
		return err
	}
	r.Figures.AddOne(figures.Figure{Name: "an event, in all that the edge does from a publish on" + way, Unit: "µs of processor"}, float64((after-before).Microseconds())/float64(b.streams*b.publishes))
	r.Figures.AddTimes(figures.Figure{Name: "a publish, until the first page has its event" + way}, first, 0.5, 0.99)
	r.Figures.AddTimes(figures.Figure{Name: "a publish, until a page has its event" + way}, all, 0.5, 0.99)
	r.Figures.AddTimes(figures.Figure{Name: "a publish, until the last page has its event" + way}, last, 0.5, 0.99)
	r.Figures.AddTimes(figures.Figure{Name: "its answer, until the last page has its event" + way}, answered, 0.5, 0.99)
	r.Figures.AddTimes(figures.Figure{Name: "a request for the file right after" + way}, served, 0.99)
	return nil
}

// await returns when every page has read one more event.
func (b *bench) await(ctx context.Context, broken <-chan error) (heard []time.Time, err error) {
	for len(heard) < b.streams {
		select {
		case some := <-b.heard:
			heard = append(heard, some...)
		case err := <-broken:
			return nil, err
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d pages heard of it: %w", len(heard), b.streams, ctx.Err())
		}
	}
	return heard, nil
}

// memory returns the resident memory and the living heap of an edge.
func memory(ctx context.Context, e *world.Edge) (resident, heap float64, err error) {
	if err = e.Collect(ctx); err != nil {
		return 0, 0, err
	}
	if resident, err = e.Resident(); err != nil {
		return 0, 0, err
	}
	heap, err = e.Metric(ctx, "go_memstats_heap_inuse_bytes")
	return resident, heap, err
}

// get reads an address to its end.
func get(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err = io.Copy(io.Discard, response.Body); err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is answered %d", address, response.StatusCode)
	}
	return err
}
