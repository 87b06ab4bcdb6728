package crash

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "crash", Title: "Kills under writers", Binary: true,
	Quick: []string{"-rounds", "10", "-walk", "5"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var c crash
		flags.IntVar(&c.rounds, "rounds", 1000, "how often to kill the program")
		flags.IntVar(&c.writers, "writers", 8, "how many writers publish at once")
		flags.IntVar(&c.walk, "walk", 50, "after how many rounds the whole store is walked over")
		flags.DurationVar(&c.longest, "longest", 250*time.Millisecond, "the longest time from the first acknowledged publish of a round to its kill")
		flags.Uint64Var(&c.seed, "seed", uint64(time.Now().UnixNano()), "of the moments of the kills")
		return c.run
	},
}

// crash is one run.
type crash struct {
	binary                string
	rounds, writers, walk int
	longest               time.Duration
	seed                  uint64
	data                  string
	random                *rand.Rand
	themes                []*theme
	restarts              figures.Times // from the start of the process until it answers
}

func (c *crash) run(ctx context.Context, r *frame.Run) error {
	c.binary, c.data, c.random = r.Livery, filepath.Join(r.Dir, "data"), rand.New(rand.NewPCG(c.seed, 5))
	done, err := c.kill(ctx)
	if err != nil {
		r.Keep = true
		return fmt.Errorf("round %d of seed %d: %w (the data is in %s)", done, c.seed, err, c.data)
	}
	c.report(r)
	return nil
}

// kill goes through all rounds and returns how many were survived.
func (c *crash) kill(ctx context.Context) (done int, err error) {
	bar := frame.StartBar("kills", c.rounds)
	defer bar.End()
	for done = range c.rounds {
		if err := c.round(ctx, done); err != nil {
			return done, err
		}
		if done%c.walk == c.walk-1 {
			if err := c.walkStore(ctx); err != nil {
				return done, err
			}
		}
		bar.Step()
	}
	s, err := c.start(ctx)
	if err != nil {
		return c.rounds, err
	}
	return c.rounds, errors.Join(c.verify(ctx, s, true), s.Stop(), c.walkStore(ctx))
}

// start starts the binary on what the kills have left.
func (c *crash) start(ctx context.Context) (*world.Dev, error) {
	s, err := world.StartDev(ctx, c.binary, c.data, world.AnyCore, "--empty")
	if err == nil {
		s.API.Tries = 1 // a reply that the kill took must not be asked for again
	}
	return s, err
}

// round starts the binary, verifies what it holds, lets the writers work and kills it.
func (c *crash) round(ctx context.Context, n int) error {
	s, err := c.start(ctx)
	if err != nil {
		return err
	}
	if c.themes == nil {
		err = c.create(ctx, s)
	} else {
		c.restarts = append(c.restarts, s.Ready())
		err = c.verify(ctx, s, n%c.walk == 0)
	}
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	return c.writeAndKill(ctx, s)
}

func (c *crash) report(r *frame.Run) {
	publishes, pinned := 0, 0
	for _, t := range c.themes {
		publishes += t.acknowledged
		pinned += len(t.pinned)
	}
	count := func(name string, n int) { r.Figures.AddOne(figures.Figure{Name: name, Unit: "count"}, float64(n)) }
	count("kills", c.rounds)
	count("writers", c.writers)
	count("acknowledged publishes, none lost", publishes)
	count("pinned files with the same bytes", pinned)
	r.Figures.AddTimes(figures.Figure{Name: "restart until everything answers"}, c.restarts, 0.5, 1)
}
