package management

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
	"golang.org/x/sync/errgroup"
)

// crowd is who writes at once.
type crowd struct {
	what  string
	many  bool // all writers, not one
	apart bool // each in an Environment of its own
}

var crowds = []crowd{
	{"1 writer", false, false},
	{"%d writers in one Environment", true, false},
	{"%d writers in %[1]d Environments", true, true},
}

// load is what they write to.
type load struct {
	what  string
	more  time.Duration // that each sync takes
	heavy bool          // Themes of heavyTokens, not of perGroup
}

var loads = []load{
	{"disk", 0, false},
	{"slow", time.Millisecond, false},
	{"disk", 0, true},
}

// writers measures edits of many Themes at once.
func (b *bench) writers(ctx context.Context) (rows []row, err error) {
	for _, l := range loads {
		more, err := b.load(ctx, l)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// load lets every crowd write in turn, some slices each.
func (b *bench) load(ctx context.Context, l load) (rows []row, err error) {
	h, err := b.open(ctx, world.SlowDisk(l.more), b.size.writers+1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	tokens := perGroup
	if l.heavy {
		tokens = b.size.heavyTokens
	}
	themes := make([][]*theme, len(crowds))
	took := make([]figures.Times, len(crowds))
	rates := make([][]float64, len(crowds))
	ratios := make([][]float64, len(crowds))
	for i, c := range crowds {
		if themes[i], err = b.themesOf(ctx, h, c, i, tokens); err != nil {
			return nil, err
		}
	}
	for range b.size.slices {
		for i := range crowds {
			wrote, rate, err := writeAtOnce(ctx, themes[i], (*theme).edit, b.size.slice)
			if err != nil {
				return nil, err
			}
			took[i], rates[i] = append(took[i], wrote...), append(rates[i], rate)
			ratios[i] = append(ratios[i], rate/rates[0][len(rates[0])-1])
		}
	}
	for i, c := range crowds {
		what := c.what
		if c.many {
			what = fmt.Sprintf(c.what, b.size.writers)
		}
		r := row{what: fmt.Sprintf("%s, %s tokens, %s", what, figures.Grouped(tokens), l.what), took: took[i]}
		r.rate = middle(rates[i])
		if i > 0 {
			r.ratio, r.of = middle(ratios[i]), "commits, to 1 writer"
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// themesOf makes one Theme for each writer of a crowd. The last Environment is the one that all
// share.
func (b *bench) themesOf(ctx context.Context, h *server, c crowd, number, tokens int) ([]*theme, error) {
	count := 1
	if c.many {
		count = b.size.writers
	}
	themes := make([]*theme, count)
	for i := range themes {
		environment := h.environments[b.size.writers]
		if c.apart {
			environment = h.environments[i]
		}
		t, err := h.newTheme(ctx, environment, fmt.Sprintf("crowd-%d-%d", number, i), tokens)
		if err != nil {
			return nil, err
		}
		themes[i] = t
	}
	return themes, nil
}

// writeAtOnce lets one writer for each Theme do the same again and again for a while, and returns how long each took and
// how many there were a second.
func writeAtOnce(ctx context.Context, themes []*theme, once func(*theme, context.Context) (time.Duration, error), slice time.Duration) (figures.Times, float64, error) {
	group, ctx := errgroup.WithContext(ctx)
	each := make([]figures.Times, len(themes))
	began := time.Now()
	for i, t := range themes {
		group.Go(func() error {
			for time.Since(began) < slice {
				took, err := once(t, ctx)
				if err != nil {
					return err
				}
				each[i] = append(each[i], took)
			}
			return nil
		})
	}
	err := group.Wait()
	seconds := time.Since(began).Seconds()
	all := slices.Concat(each...)
	return all, float64(len(all)) / seconds, err
}
