// Package publish measures what an editor waits for: an edit of one token by the size of its Theme, a publish by the number
// of Variants, and the time from its response until an edge serves the change at latest.
package publish

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "publish", Title: "Edits and publishes", Binary: true,
	Quick: []string{"-rounds", "5"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		rounds := flags.Int("rounds", 100, "edits of each size, and publishes of each number of Variants")
		return func(ctx context.Context, r *frame.Run) error { return run(ctx, r, *rounds) }
	},
}

func run(ctx context.Context, r *frame.Run, rounds int) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	o, err := world.StartOrigin(ctx, r.Livery, r.Dir, world.AnyCore)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Stop()) }()
	e, err := world.StartEdge(ctx, o, r.Dir, "edge", world.AnyCore, 256<<20)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop()) }()
	for _, tokens := range []int{200, 2000, 20_000} {
		if err := edits(ctx, r, o, tokens, rounds); err != nil {
			return err
		}
	}
	for _, variants := range []int{10, 100} {
		if err := publishes(ctx, r, o, e, variants, rounds); err != nil {
			return err
		}
	}
	return nil
}

// edits measures edits of one token of a Theme.
func edits(ctx context.Context, r *frame.Run, o *world.Origin, tokens, rounds int) error {
	themes, err := o.Fill(ctx, "edit", tokens, 1, world.Size{Tokens: tokens, Versions: 1}, nil)
	if err != nil {
		return err
	}
	var took figures.Times
	for n := range rounds {
		begun := time.Now()
		if err := o.Edit(ctx, themes[0], 1_000_000+n); err != nil {
			return err
		}
		took = append(took, time.Since(begun))
	}
	r.Figures.AddTimes(figures.Figure{Name: "edit of one token", Over: "tokens", At: float64(tokens)}, took, 0.5, 0.99)
	return nil
}

// publishes measures publishes of one changed token in a Theme of 2,000 tokens.
func publishes(ctx context.Context, r *frame.Run, o *world.Origin, e *world.Edge, variants, rounds int) error {
	themes, err := o.Fill(ctx, "publish", variants, 1, world.Size{Tokens: 2000, Variants: variants, Versions: 1}, nil)
	if err != nil {
		return err
	}
	latest := e.URL() + o.Path(themes[0], 0, 0, world.Files[0])
	var took, served figures.Times
	for n := range rounds {
		value := 1_000_000 + n
		if err := o.Edit(ctx, themes[0], value); err != nil {
			return err
		}
		begun := time.Now()
		if err := o.PublishDraft(ctx, themes[0]); err != nil {
			return err
		}
		answered := time.Now()
		for body := []byte(nil); !bytes.Contains(body, fmt.Appendf(nil, ": %d;", value)); {
			if body, err = get(ctx, latest); err != nil {
				return err
			}
		}
		took, served = append(took, answered.Sub(begun)), append(served, time.Since(answered))
	}
	f := figures.Figure{Name: "publish", Over: "Variants", At: float64(variants)}
	r.Figures.AddTimes(f, took, 0.5, 0.99)
	f.Name = "publish answered, until latest is served"
	r.Figures.AddTimes(f, served, 0.5, 0.99)
	return nil
}

func get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}
