// Command crash kills the built livery binary with SIGKILL again and again while writers publish over
// HTTP, and checks after each kill that every acknowledged publish is there, that versions are
// contiguous, and that pinned files are the same bytes; and, on the store itself, that the records,
// the blobs and the change log agree.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/progress"
	"example.com/livery/bench/world"
)

func main() {
	var c crash
	flag.StringVar(&c.binary, "livery", "bin/livery", "the binary to kill")
	flag.IntVar(&c.rounds, "rounds", 1000, "how often to kill it")
	flag.IntVar(&c.writers, "writers", 8, "how many writers publish at once")
	flag.IntVar(&c.walk, "walk", 50, "after how many rounds the whole store is walked over")
	flag.DurationVar(&c.longest, "longest", 250*time.Millisecond, "the longest time from the first acknowledged publish of a round to its kill")
	flag.Uint64Var(&c.seed, "seed", uint64(time.Now().UnixNano()), "of the moments of the kills")
	flag.Parse()
	command.Run("crash", c.run)
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
	restarts              []time.Duration // from the start of the process until it answers
}

func (c *crash) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "livery-crash-")
	if err != nil {
		return err
	}
	c.data, c.random = filepath.Join(dir, "data"), rand.New(rand.NewPCG(c.seed, 5))
	began := time.Now()
	done, err := c.kill(ctx)
	if err != nil {
		return fmt.Errorf("round %d of seed %d: %w (the data is in %s)", done, c.seed, err, c.data)
	}
	c.report(time.Since(began))
	return os.RemoveAll(dir)
}

// kill goes through all rounds and returns how many were survived.
func (c *crash) kill(ctx context.Context) (done int, err error) {
	bar := progress.Start("kills", c.rounds)
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

func (c *crash) report(took time.Duration) {
	publishes, pinned := 0, 0
	for _, t := range c.themes {
		publishes += t.acknowledged
		pinned += len(t.pinned)
	}
	worst, sum := time.Duration(0), time.Duration(0)
	for _, d := range c.restarts {
		worst, sum = max(worst, d), sum+d
	}
	fmt.Printf("%s, %d cores, %s/%s\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	fmt.Printf("%d kills in %s under %d writers: %d acknowledged publishes, none lost; %d pinned files the same bytes\n",
		c.rounds, took.Round(time.Second), c.writers, publishes, pinned)
	fmt.Printf("restart until everything answers: mean %s, worst %s\n", (sum / time.Duration(max(1, len(c.restarts)))).Round(time.Millisecond), worst.Round(time.Millisecond))
}
