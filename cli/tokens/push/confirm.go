package push

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/dtcg"
)

// confirmMerge asks whether token sets shall become one document, unless the flags say so. If no user can answer, sets
// that override each other are not merged: one of their values would be lost.
func (a *app) confirmMerge(ctx context.Context, s *source.Sources, p *pushFlags) error {
	if p.confirmed || p.dryRun && a.CanAsk() || len(p.Sets) > 0 || p.Mode != "" || len(s.SeveralSets()) == 0 {
		return nil
	}
	overridden := slices.ContainsFunc(s.SeveralSets(), func(m *source.Merge) bool { return m.Overridden() > 0 })
	if !a.CanAsk() && overridden {
		return term.Fail(p.chooseSets(), "nothing is pushed: sets give one token several values, of which the last would count")
	}
	if p.dryRun {
		return nil
	}
	ok, err := a.Confirm(ctx, "Push these sets as one document?")
	if err != nil || ok {
		p.confirmed = ok
		return err
	}
	return term.Fail(p.chooseSets(), "nothing is pushed")
}

// chooseSets says how token sets can be chosen.
func (p *pushFlags) chooseSets() string {
	if p.variants == "auto" {
		return "If some are modes, call them so, as light and dark or brands/a and brands/b. Or choose sets with --sets and without --variants auto, or merge all with --yes."
	}
	return "Push them with --variants auto if some are modes, choose sets with --sets or --token-mode, or merge all with --yes."
}

// confirmFolder asks whether files of one folder shall be laid over each other in the order of their names, if they
// give more tokens several values than a push may lose. If no user can answer, or under --strict if they give any, that is a
// failure: they are likely modes.
func (a *app) confirmFolder(ctx context.Context, s *source.Sources, p *pushFlags) error {
	clashes, all := s.ClashesInFolders(), len(s.Tree.Members)
	if p.Variant == "" {
		all = len(dtcg.Read(s.Tree).Tokens)
	}
	if p.confirmed || clashes == 0 || !p.strict && (p.acceptLoss || 100*clashes <= mostLost*all) {
		return nil
	}
	what := term.Plural(clashes, "value") + " of tokens that stand in several files of a folder"
	next := "Push them with --variants auto if they are modes, name the files in the order in which they count, or lay all over each other with --yes."
	if p.variants == "auto" {
		next = "If they are modes, put those of one dimension into one folder, as themes/light.json and themes/dark.json; of brands in modes " +
			"each brand needs a file of the usual mode, as brands/acme/light.json. Or lay all over each other with --yes."
	}
	if !p.strict {
		if isDecided, err := a.confirmRest(ctx, p.dryRun, what); isDecided {
			return err
		}
	}
	return term.Fail(next, "nothing is pushed: it would lose %s, of which the last by name would count", what)
}

// confirmRest asks whether a push shall go on without what it would lose. It is not decided if no user can answer, or
// if the answer is no.
func (a *app) confirmRest(ctx context.Context, dryRun bool, lost string) (isDecided bool, err error) {
	switch {
	case !a.CanAsk():
		return false, nil
	case dryRun:
		a.Warn("Note: a push would lose %s, and ask before.", lost)
		return true, nil
	}
	ok, err := a.Confirm(ctx, "The push would lose "+lost+". Push the rest?")
	return ok || err != nil, err
}

// confirmLoss asks whether a push that loses more than it may shall go on. If no user can answer, it is a failure.
func (a *app) confirmLoss(ctx context.Context, t *pushTarget, plan pushPlan) error {
	r, unread := plan.remains, t.wanted.Unread
	var what []string
	if r.isTooMuch() {
		what = append(what, fmt.Sprintf("%d of %s", r.lost(), term.Plural(r.Of, t.counted)))
	}
	if len(unread) > 0 {
		what = append(what, "all of "+term.Plural(len(unread), "file"))
	}
	lost := strings.Join(what, " and ")
	if isDecided, err := a.confirmRest(ctx, t.p.dryRun, lost); isDecided {
		return err
	}
	return term.Fail("The lines above say why. Fix the files, or push the rest with --accept-loss.", "nothing is pushed: it would lose %s, and more than %d %% is not lost unasked", lost, mostLost)
}
