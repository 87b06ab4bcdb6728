package push

import (
	"context"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
)

// confirmMerge asks whether token sets shall become one document, unless the flags say so.
func (a *app) confirmMerge(ctx context.Context, s *source.Sources, p *pushFlags) error {
	if p.confirmed || p.dryRun || len(p.sets) > 0 || p.mode != "" || len(s.SeveralSets()) == 0 {
		return nil
	}
	ok, err := a.Confirm(ctx, "Push these sets as one document?")
	if err != nil || ok {
		p.confirmed = ok
		return err
	}
	return term.Fail("Choose sets with --sets or --token-mode, or merge all with --yes.", "nothing is pushed")
}
