package main

import (
	"context"
	"errors"
	"fmt"

	"example.com/livery/bench/markdown"
)

// edits measures a PATCH of one token in Themes that each have ten times the tokens of the one
// before, beside a read of the same tokens, which is what the PATCH answers with.
func (b *bench) edits(ctx context.Context) (rows []row, err error) {
	h, err := b.open(ctx, nil, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	var patches, reads []*arm
	for _, tokens := range b.size.tokens {
		t, err := h.newTheme(ctx, h.environments[0], fmt.Sprintf("theme-%d", tokens), tokens)
		if err != nil {
			return nil, err
		}
		patches = append(patches, &arm{what: "edit of one token in " + markdown.Grouped(tokens), once: t.edit})
		reads = append(reads, &arm{what: "read of " + markdown.Grouped(tokens) + " tokens", once: t.read})
	}
	if err := b.inTurn(ctx, b.size.rounds, append(patches, reads...)...); err != nil {
		return nil, err
	}
	for i, a := range patches {
		r := row{what: a.what, took: a.took}
		if i > 0 {
			r.of = fmt.Sprintf("time a token, to %s tokens (1: linear)", markdown.Grouped(b.size.tokens[i-1]))
			r.ratio = ratio(a.took.median(), patches[i-1].took.median()) * float64(b.size.tokens[i-1]) / float64(b.size.tokens[i])
		}
		rows = append(rows, r)
	}
	for i, a := range reads {
		rows = append(rows, row{a.what, a.took, ratio(patches[i].took.median(), a.took.median()), "reads in the time of an edit"})
	}
	return rows, nil
}
