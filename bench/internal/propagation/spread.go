//go:build linux

package propagation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
)

// watched is how many edges are asked at most after a publish: asking all of very many would be most of
// the machine's work. They take turns.
const watched = 10

// pause lies between two questions to one edge, for each edge that is watched: a resolution of 2 ms at most.
const pause = 200 * time.Microsecond

// spread measures one number of edges.
func (b *bench) spread(ctx context.Context, count int) (err error) {
	edges, err := b.startEdges(ctx, count, b.origin.FeedURL())
	defer func() { err = errors.Join(err, stopAll(ctx, edges)) }()
	if err != nil {
		return err
	}
	if err := b.shown(ctx, edges); err != nil {
		return err
	}
	if err := b.afterPublishes(ctx, edges); err != nil {
		return err
	}
	if count != b.edges[len(b.edges)/2] {
		return nil
	}
	return b.afterRestarts(ctx, edges)
}

func (b *bench) path() string { return b.origin.Path(b.theme, 0, 0, world.Files[0]) }

// wanted is what the newest version's stylesheet holds and no other's does.
func (b *bench) wanted() []byte { return fmt.Appendf(nil, ": %d;", b.value) }

// publish publishes a value that never was.
func (b *bench) publish(ctx context.Context) error {
	b.value = max(b.value, 1_000_000) + 1
	return b.origin.Publish(ctx, b.theme, b.value)
}

// shown publishes once, and waits until every edge shows it: all hold the file from then on.
func (b *bench) shown(ctx context.Context, edges []*liveEdge) error {
	if err := b.publish(ctx); err != nil {
		return err
	}
	for _, e := range edges {
		if _, err := e.until(ctx, b.path(), b.wanted(), pause); err != nil {
			return err
		}
	}
	return nil
}

// wait returns for how long after a moment each edge did not show the newest version.
func (b *bench) wait(ctx context.Context, edges []*liveEdge, since time.Time) (figures.Times, error) {
	waits := make(figures.Times, len(edges))
	path, text := b.path(), b.wanted()
	group, ctx := errgroup.WithContext(ctx)
	for i, e := range edges {
		group.Go(func() error {
			at, err := e.until(ctx, path, text, pause*time.Duration(len(edges)))
			waits[i] = at.Sub(since)
			return err
		})
	}
	return waits, group.Wait()
}

// afterPublishes measures publish after publish, and what they cost the origin.
func (b *bench) afterPublishes(ctx context.Context, edges []*liveEdge) error {
	var all figures.Times
	began, err := b.origin.Busy()
	if err != nil {
		return err
	}
	for n := range b.publishes {
		if err := b.publish(ctx); err != nil {
			return err
		}
		waits, err := b.wait(ctx, turn(edges, n), time.Now())
		if err != nil {
			return err
		}
		all = append(all, waits...)
		b.bar.Step()
	}
	if err := b.settle(ctx, edges); err != nil {
		return err
	}
	ended, err := b.origin.Busy()
	if err != nil {
		return err
	}
	b.report("publish answered to new bytes", len(edges), all)
	c := cost{len(edges), float64((ended - began).Microseconds()) / float64(b.publishes) / 1000}
	b.costs = append(b.costs, c)
	b.figures.AddOne(figures.Figure{Name: "origin, all of a publish", Unit: "ms of processor a publish", Over: "edges", At: float64(c.edges)}, c.perPublish)
	return nil
}

// settle waits until every edge shows the newest version.
func (b *bench) settle(ctx context.Context, edges []*liveEdge) error {
	for _, e := range edges {
		if _, err := e.until(ctx, b.path(), b.wanted(), 10*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// turn returns the edges that are watched after publish number n.
func turn(edges []*liveEdge, n int) []*liveEdge {
	if len(edges) <= watched {
		return edges
	}
	chosen := make([]*liveEdge, watched)
	for i := range chosen {
		chosen[i] = edges[(n*watched+i)%len(edges)]
	}
	return chosen
}

// report adds the quantiles of waits.
func (b *bench) report(name string, edges int, waits figures.Times) {
	b.figures.AddTimes(figures.Figure{Name: name, Over: "edges", At: float64(edges)}, waits, 0.5, 0.99, 1)
}

// afterRestarts starts the origin again, publishes, and measures from the publish's answer.
func (b *bench) afterRestarts(ctx context.Context, edges []*liveEdge) error {
	var all, starts figures.Times
	for range b.restarts {
		if err := b.origin.Stop(); err != nil {
			return err
		}
		took, err := b.origin.Restart(ctx)
		if err != nil {
			return err
		}
		starts = append(starts, took)
		if err := b.publish(ctx); err != nil {
			return err
		}
		waits, err := b.wait(ctx, turn(edges, 0), time.Now())
		if err != nil {
			return err
		}
		all = append(all, waits...)
		b.bar.Step()
	}
	b.figures.AddRounds(figures.Figure{Name: "start of the origin until it answers", Unit: "ms", Over: "edges", At: float64(len(edges))}, starts.Milliseconds())
	b.report("first publish after a restart of the origin to new bytes", len(edges), all)
	return nil
}
