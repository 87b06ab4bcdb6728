package push

import (
	"context"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// What a push does about tokens that look renamed.
const (
	askRenames  = "ask"
	moveRenames = "move"
	noRenames   = "none"
)

// checkRenames refuses a value that --renames does not have.
func (p *pushFlags) checkRenames() error {
	switch p.renames {
	case askRenames, moveRenames, noRenames:
		return nil
	}
	return term.UsageError("Valid values: ask, move, none.", "--renames cannot be %q", p.renames)
}

// confirmRenames asks whether the tokens of a plan that look renamed shall be moved, and returns the plan that the answer makes. If
// nobody can be asked, it names them and leaves the plan as it is.
func (a *app) confirmRenames(ctx context.Context, t *pushTarget, plan pushPlan) (pushPlan, error) {
	a.noteGuesses(t, plan)
	if len(plan.guessed) == 0 || t.p.renames != askRenames || !a.CanAsk() {
		return plan, nil
	}
	ok, err := a.Confirm(ctx, "Move them, and the overrides of Variants with them?")
	if err != nil || !ok {
		return plan, err
	}
	t.p.renames = moveRenames
	return t.plan(), nil
}

// noteGuesses names the tokens of a plan that look renamed, and what becomes of them.
func (a *app) noteGuesses(t *pushTarget, plan pushPlan) {
	if len(plan.guessed) == 0 || t.p.renames == noRenames {
		return
	}
	what := "This is a guess"
	switch {
	case t.p.renames == moveRenames:
		what += ", and --renames move takes it for true"
	case !a.CanAsk():
		what += ", and nothing is moved: the next publish drops the overrides of the old names. --renames move moves them"
	}
	a.Warn("Likely renamed: %s. %s:", term.Plural(len(plan.guessed), "token"), what)
	for _, pair := range plan.guessed {
		a.Warn("  %s -> %s", escape.Line(pair[0]), escape.Line(pair[1]))
	}
}
