package management

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"example.com/livery/bench/internal/figures"
	"golang.org/x/sync/errgroup"
)

// heavyWriters is how many edit large Themes beside a small one.
const heavyWriters = 4

// neighbours measures an edit of a small Theme alone, beside writers of large Themes of another
// Environment, and beside such writers of its own Environment.
func (b *bench) neighbours(ctx context.Context) (rows []row, err error) {
	h, err := b.open(ctx, nil, 2)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	small, err := h.newTheme(ctx, h.environments[0], "small", perGroup)
	if err != nil {
		return nil, err
	}
	beside := make([][]*theme, 3)
	for i, environment := range []string{h.environments[1], h.environments[0]} {
		for n := range heavyWriters {
			t, err := h.newTheme(ctx, environment, fmt.Sprintf("large-%d", n), b.size.tokens[len(b.size.tokens)-1])
			if err != nil {
				return nil, err
			}
			beside[i+1] = append(beside[i+1], t)
		}
	}
	took := make([]figures.Times, len(beside))
	for range b.size.slices {
		for i, heavy := range beside {
			more, err := b.editBeside(ctx, small, heavy)
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], more...)
		}
	}
	return b.neighbourRows(took), nil
}

func (b *bench) neighbourRows(took []figures.Times) []row {
	what := "edit in 20 tokens"
	beside := fmt.Sprintf("%s beside %d writers of %s tokens in ", what, heavyWriters, figures.Grouped(b.size.tokens[len(b.size.tokens)-1]))
	return []row{
		{what: what + " alone", took: took[0]},
		{beside + "another Environment", took[1], ratio(took[1], took[0]), "time, to alone", 0},
		{beside + "the same", took[2], ratio(took[2], took[1]), "time, to another Environment (1: not delayed)", 0},
	}
}

// editBeside edits small again and again for a slice while others edit heavy.
func (b *bench) editBeside(ctx context.Context, small *theme, heavy []*theme) (took figures.Times, err error) {
	group, ctx := errgroup.WithContext(ctx)
	var over atomic.Bool
	for _, t := range heavy {
		group.Go(func() error {
			for !over.Load() {
				if _, err := t.edit(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for began := time.Now(); err == nil && time.Since(began) < b.size.slice; {
		var once time.Duration
		if once, err = small.edit(ctx); err == nil {
			took = append(took, once)
		}
	}
	over.Store(true)
	return took, errors.Join(err, group.Wait())
}
