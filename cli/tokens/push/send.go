package push

import (
	"context"
	"errors"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// undo deletes what this push created if the origin refused all that was to go into it.
func (t *pushTarget) undo(ctx context.Context, set client.TokenSet) {
	if set.DraftETag() != "" {
		return
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	switch {
	case t.f.CreatedTheme:
		_, err = t.client.DeleteTheme(ctx, t.f.Env.ID, t.f.Theme.ID)
	case t.f.CreatedVariant:
		_, err = t.client.DeleteVariant(ctx, t.f.Env.ID, t.f.Theme.ID, t.f.Variant.ID)
	default:
		return
	}
	if err == nil {
		t.Say("What was created is deleted again.")
	}
}

// send sends batches on top of each other, each claiming the draft that the one before it left.
func send[O any](a *app, set client.TokenSet, cut [][]O, edit func(etag string, batch []O) (client.TokenSet, error)) (client.TokenSet, error) {
	bar := a.Progress("pushing", len(cut))
	defer bar.Done()
	for i, batch := range cut {
		next, err := edit(set.DraftETag(), batch)
		if err != nil && i > 0 {
			f := term.Explain(err)
			f.Next = strings.TrimSpace(f.Next + " The parts before it are in the draft already; livery discard drops them.")
			return set, f
		}
		if err != nil {
			return set, err
		}
		set = next
		bar.Step()
	}
	return set, nil
}

// explainPush says what to do about a push that was refused.
func explainPush(err error, p pushFlags) error {
	if !errors.Is(err, client.ErrValidation) {
		return err
	}
	f := term.Explain(err)
	fix := "Fix it"
	if len(f.Faults) > 1 {
		fix = "Fix them"
	}
	if p.strict {
		fix += ", or push without --strict."
	} else {
		fix += " and push again."
	}
	f.Next = strings.TrimSpace(fix + " " + f.Next)
	return f
}
