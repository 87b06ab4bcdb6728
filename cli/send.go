package cli

import (
	"context"
	"errors"
	"strings"

	"example.com/livery/client"
)

// undo deletes what this push created where the origin refused all that was to go into it.
func (a *app) undo(ctx context.Context, c *client.Client, f found, set client.TokenSet) {
	if set.DraftETag() != "" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	switch {
	case f.createdTheme:
		_, err = c.DeleteTheme(ctx, f.env.ID, f.theme.ID)
	case f.createdVariant:
		_, err = c.DeleteVariant(ctx, f.env.ID, f.theme.ID, f.variant.ID)
	default:
		return
	}
	if err == nil {
		a.say("What was created is deleted again.")
	}
}

// send sends batches on top of each other, each claiming the draft that the one before it left.
func send[O any](a *app, set client.TokenSet, cut [][]O, edit func(etag string, batch []O) (client.TokenSet, error)) (client.TokenSet, error) {
	bar := a.progress("pushing", len(cut))
	defer bar.done()
	for i, batch := range cut {
		next, err := edit(set.DraftETag(), batch)
		if err != nil && i > 0 {
			f := explain(err)
			f.next = strings.TrimSpace(f.next + " The parts before it are in the draft already; livery discard drops them.")
			return set, f
		}
		if err != nil {
			return set, err
		}
		set = next
		bar.step()
	}
	return set, nil
}

// explainPush says what to do about a push that was refused; skippable tells that it holds what
// --skip-refused leaves out.
func explainPush(err error, p pushFlags, skippable bool) error {
	if !errors.Is(err, client.ErrValidation) {
		return err
	}
	f := explain(err)
	mend := "Mend it"
	if len(f.faults) > 1 {
		mend = "Mend them"
	}
	switch {
	case skippable && !p.skipRefused:
		mend += ", or push the rest with --skip-refused."
	case p.strict:
		mend += ", or push without --strict."
	default:
		mend += " and push again."
	}
	f.next = strings.TrimSpace(mend + " " + f.next)
	return f
}
