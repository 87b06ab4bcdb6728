//go:build linux

package soak

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
	"example.com/livery/origin"
	"example.com/livery/storage/pebble"
)

// SoakOrigin is the part of the benchmarks that watches the memory of an origin with the embedded store: 12 writers publish
// Themes of one token, then create Themes and list them. It fails if the origin ends with more than 1.25 times the memory that
// it says; the rest is garbage between two collections.
var SoakOrigin = frame.Part{
	Name: "soak-origin", Title: "A soak of the origin", Binary: true,
	Quick: []string{"-count", "200"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var s originSoak
		flags.IntVar(&s.count, "count", 20_000, "how many publishes, and how many Themes after them")
		return s.run
	},
}

// originSoak is publishes of a few Themes, then many Themes more, and what becomes of the origin's memory meanwhile.
type originSoak struct {
	count int // of publishes, and of Themes after them

	figures *figures.Set
	done    atomic.Int64 // publishes and Themes
}

const (
	originWriters = 12
	originSamples = 16
	maxOriginPart = 1.25 // times its stated budget
)

func originBudget() origin.Memory { return origin.MemoryFor(pebble.MemoryBytes) }

func (s *originSoak) run(ctx context.Context, r *frame.Run) (err error) {
	s.figures = r.Figures
	o, err := world.StartOrigin(ctx, r.Livery, r.Dir, world.AnyCore)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Stop()) }()
	if err := s.soak(ctx, o); err != nil {
		return err
	}
	s.figures.AddOne(figures.Figure{Name: "budget", Unit: "MiB"}, float64(originBudget().Total())/mib)
	last, err := o.Resident()
	return errors.Join(err, s.check(last))
}

// soak publishes, creates and lists; a share of the work is one sample.
func (s *originSoak) soak(ctx context.Context, o *world.Origin) error {
	themes, err := o.Fill(ctx, "published", 0, originWriters, world.Size{Tokens: 1, Versions: 1, OneFile: true}, nil)
	if err != nil {
		return err
	}
	publish := func(ctx context.Context, writer, i int) error { return o.Publish(ctx, themes[writer], originWriters+i) }
	create := func(ctx context.Context, writer, i int) error {
		slug := fmt.Sprintf("created-%d-%d", writer, i)
		_, err := o.API.CreateTheme(ctx, o.Environment, client.NewTheme{
			Slug: slug, DisplayName: slug, Integration: &client.Integration{Framework: "react", Library: "plainCSS"},
		})
		if err == nil && i%100 == 0 {
			_, err = o.API.Themes(ctx, o.Environment, client.ListOptions{})
		}
		return err
	}
	bar := frame.StartBar("samples", originSamples)
	defer bar.End()
	for _, do := range []func(context.Context, int, int) error{publish, create} {
		for part := range originSamples / 2 {
			if err := s.sample(ctx, o); err != nil {
				return err
			}
			if err := s.each(ctx, part*s.count*2/originSamples, (part+1)*s.count*2/originSamples, do); err != nil {
				return err
			}
			bar.Step()
		}
	}
	for _, err := range o.API.EveryTheme(ctx, o.Environment) {
		if err != nil {
			return err
		}
	}
	return s.sample(ctx, o)
}

// each has every writer do its share of the pieces from one to another, one after the other.
func (s *originSoak) each(ctx context.Context, from, to int, do func(ctx context.Context, writer, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for writer := range originWriters {
		group.Go(func() error {
			for i := from + writer; i < to; i += originWriters {
				if err := do(ctx, writer, i); err != nil {
					return err
				}
				s.done.Add(1)
			}
			return nil
		})
	}
	return group.Wait()
}

const overDone = "publishes and new Themes"

func (s *originSoak) sample(ctx context.Context, o *world.Origin) error {
	resident, err := o.Resident()
	if err != nil {
		return err
	}
	memory, err := o.Metrics(ctx, "go_memstats_sys_bytes", "go_memstats_heap_released_bytes")
	if err != nil {
		return err
	}
	for name, bytes := range map[string]float64{"resident": resident, "of Go": memory[0] - memory[1]} {
		s.figures.AddOne(figures.Figure{Name: name, Unit: "MiB", Over: overDone, At: float64(s.done.Load())}, bytes/mib)
	}
	return nil
}

// check returns an error if the origin takes more bytes than it may when all is done.
func (s *originSoak) check(last float64) error {
	if most := maxOriginPart * float64(originBudget().Total()); last > most {
		return fmt.Errorf("soak: %.0f MiB are resident after %d publishes and as many new Themes, want at most %.0f", last/mib, s.count, most/mib)
	}
	return nil
}
