package push

import (
	"context"
	"os"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
)

// pushTries is how often a push is sent if another client changes the draft each time.
const pushTries = 5

// inCI reports whether a job of continuous integration runs this, as all its servers say.
func inCI() bool {
	said := strings.ToLower(os.Getenv("CI"))
	return said != "" && said != "false" && said != "0"
}

// planAgain reads the target once more after a conflict, shows what changed there, and plans anew. It refuses if another client changed the
// same tokens, and in CI, where no person reads along, whatever it changed.
func (t *pushTarget) planAgain(ctx context.Context) error {
	before := t.base
	if err := t.read(ctx); err != nil {
		return err
	}
	t.plan()
	var underneath []changeset.Change
	if t.f.Variant == nil {
		underneath = changeset.Documents(before, t.base, tokendiff.Renaming{})
	} else {
		underneath = changeset.Overrides(before, t.base)
	}
	t.Say("The draft of %s changed meanwhile:", t.what)
	changeset.Print(t.App, underneath, t.p.Verbose)
	if both := bothChange(underneath, t.planned.changes); len(both) > 0 {
		return term.Conflict("Look at it with livery diff, and push again if your files are right.", "another client changed meanwhile what the files change too: %s", term.ShortList(both))
	}
	if inCI() {
		return term.Conflict("Look at it with livery diff, and push again.", "the draft of %s was changed meanwhile by another client", t.what)
	}
	t.Say("The files are sent on top of that:")
	return nil
}

// bothChange lists the paths that another client changed and that ours, planned on top of it, would change
// again.
func bothChange(theirs, ours []changeset.Change) []string {
	touched := map[string]bool{}
	for _, c := range ours {
		touched[c.Path], touched[c.From] = true, true
	}
	var both []string
	for _, c := range theirs {
		if touched[c.Path] {
			both = append(both, c.Path)
		}
	}
	return both
}

// located puts the file and line before each fault that the origin found in what the files brought.
func located(err error, locate func(at string) string) error {
	e, ok := err.(*client.Error) // a later part of a push says more than the answer does
	if !ok {
		return err
	}
	said := *e
	said.Messages = make([]string, len(e.Messages))
	for i, message := range e.Messages {
		said.Messages[i] = validate.WithNearestType(locatedMessage(message, locate))
	}
	return &said
}

// locatedMessage puts the file and line before a fault. The origin writes what it is about in quotes: a pointer after the number of an
// operation, or a dotted path.
func locatedMessage(message string, locate func(at string) string) string {
	_, rest, ok := strings.Cut(message, `: "`)
	place, _, closed := strings.Cut(rest, `": `)
	if !ok || !closed {
		return message
	}
	if where := locate(place); where != "" {
		return where + `: "` + rest
	}
	return message
}
