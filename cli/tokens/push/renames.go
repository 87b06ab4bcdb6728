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

// confirmRenames asks whether the tokens that look renamed shall be moved, and plans anew if they shall. If nobody can be asked, it names
// them and moves none.
func (t *pushTarget) confirmRenames(ctx context.Context) error {
	t.noteGuesses()
	if len(t.planned.guessed) == 0 || t.p.renames != askRenames || !t.CanAsk() {
		return nil
	}
	ok, err := t.Confirm(ctx, "Move them, and the overrides of Variants with them?")
	if err == nil && ok {
		t.p.renames = moveRenames
		t.plan()
	}
	return err
}

// noteGuesses names the tokens that look renamed, and what becomes of them.
func (t *pushTarget) noteGuesses() {
	if len(t.planned.guessed) == 0 || t.p.renames == noRenames {
		return
	}
	what := "This is a guess"
	switch {
	case t.p.renames == moveRenames:
		what += ", and --renames move takes it for true"
	case !t.CanAsk():
		what += ", and nothing is moved: the next publish drops the overrides of the old names. --renames move moves them"
	}
	t.Warn("Likely renamed: %s. %s:", term.Plural(len(t.planned.guessed), "token"), what)
	for _, pair := range t.planned.guessed {
		t.Warn("  %s -> %s", escape.Line(pair[0]), escape.Line(pair[1]))
	}
}
