package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sync/errgroup"

	"example.com/livery/bench/markdown"
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
	fs    vfs.FS // nil means the disk as it is
	heavy bool   // Themes of heavyTokens, not of perGroup
}

var loads = []load{
	{"disk", nil, false},
	{"slow", slowDisk{vfs.Default, time.Millisecond}, false},
	{"disk", nil, true},
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
	h, err := b.open(ctx, l.fs, b.size.writers+1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	tokens := perGroup
	if l.heavy {
		tokens = b.size.heavyTokens
	}
	themes := make([][]*theme, len(crowds))
	took := make([]samples, len(crowds))
	rates := make([][]float64, len(crowds))
	ratios := make([][]float64, len(crowds))
	for i, c := range crowds {
		if themes[i], err = b.themesOf(ctx, h, c, i, tokens); err != nil {
			return nil, err
		}
	}
	for range b.size.slices {
		for i := range crowds {
			wrote, rate, err := writeAtOnce(ctx, themes[i], b.size.slice)
			if err != nil {
				return nil, err
			}
			took[i], rates[i] = append(took[i], wrote...), append(rates[i], rate)
			ratios[i] = append(ratios[i], rate/rates[0][len(rates[0])-1])
			b.bar.Step()
		}
	}
	for i, c := range crowds {
		what := c.what
		if c.many {
			what = fmt.Sprintf(c.what, b.size.writers)
		}
		r := row{what: fmt.Sprintf("%s, %s tokens, %s", what, markdown.Grouped(tokens), l.what), took: took[i]}
		r.of = markdown.Grouped(int(middle(rates[i]))) + " commits/s"
		if i > 0 {
			r.ratio, r.of = middle(ratios[i]), r.of+", to 1 writer"
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// themesOf makes one Theme for each writer of a crowd. The last Environment is the one that all
// share.
func (b *bench) themesOf(ctx context.Context, h *house, c crowd, number, tokens int) ([]*theme, error) {
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

// writeAtOnce lets one writer for each Theme edit it again and again for a while, and returns the
// times of all edits and how many there were a second.
func writeAtOnce(ctx context.Context, themes []*theme, slice time.Duration) (samples, float64, error) {
	group, ctx := errgroup.WithContext(ctx)
	each := make([]samples, len(themes))
	began := time.Now()
	for i, t := range themes {
		group.Go(func() error {
			for time.Since(began) < slice {
				took, err := t.edit(ctx)
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
	var all samples
	for _, took := range each {
		all = append(all, took...)
	}
	return all, float64(len(all)) / seconds, err
}
