package management

import (
	"context"
	"errors"
	"fmt"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// edits measures a PATCH of one token in Themes that each have ten times the tokens of the one
// before, beside a read of the same tokens, which is what the PATCH answers with.
func (b *bench) edits(ctx context.Context) (rows []row, err error) {
	h, err := b.open(ctx, nil, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	var patches, reads []*frame.Arm
	for _, tokens := range b.size.tokens {
		t, err := h.newTheme(ctx, h.environments[0], fmt.Sprintf("theme-%d", tokens), tokens)
		if err != nil {
			return nil, err
		}
		patches = append(patches, &frame.Arm{Name: "edit of one token in " + figures.Grouped(tokens), Once: t.edit})
		reads = append(reads, &frame.Arm{Name: "read of " + figures.Grouped(tokens) + " tokens", Once: t.read})
	}
	if err := frame.InTurn(ctx, b.size.rounds, b.size.budget, append(patches, reads...)...); err != nil {
		return nil, err
	}
	for i, a := range patches {
		r := row{what: a.Name, took: a.Took}
		if i > 0 {
			r.of = fmt.Sprintf("time a token, to %s tokens (1: linear)", figures.Grouped(b.size.tokens[i-1]))
			r.ratio = ratio(a.Took, patches[i-1].Took) * float64(b.size.tokens[i-1]) / float64(b.size.tokens[i])
		}
		rows = append(rows, r)
	}
	for i, a := range reads {
		rows = append(rows, row{a.Name, a.Took, ratio(patches[i].Took, a.Took), "reads in the time of an edit", 0})
	}
	return rows, nil
}
