package push

import (
	"context"
	"os"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
)

// pushTries is how often a push is sent if another client changes the draft each time.
const pushTries = 5

// What a push does if another client changed the draft meanwhile.
const (
	mergeConflict     = "merge"     // send again, unless they changed the same tokens
	overwriteConflict = "overwrite" // send again, whatever they changed
	failConflict      = "fail"      // end with exit code 4
)

// chooseOnConflict settles what --on-conflict asks for. In CI no user reads along, so nothing is merged.
func (p *pushFlags) chooseOnConflict() error {
	switch p.onConflict {
	case "":
		p.onConflict = mergeConflict
		if inCI() {
			p.onConflict = failConflict
		}
	case mergeConflict, overwriteConflict, failConflict:
	default:
		return term.UsageError("Valid values: merge, overwrite, fail.", "--on-conflict cannot be %q", p.onConflict)
	}
	return nil
}

// inCI reports whether a job of continuous integration runs this, as all its servers say.
func inCI() bool {
	said := strings.ToLower(os.Getenv("CI"))
	return said != "" && said != "false" && said != "0"
}

// planAgain reads the target once more after a conflict, shows what changed there, and plans anew. It
// refuses if the change of another client is not to be overwritten.
func (a *app) planAgain(ctx context.Context, t *pushTarget, p pushFlags) (pushPlan, error) {
	before := t.base
	if err := t.read(ctx); err != nil {
		return pushPlan{}, err
	}
	plan := t.plan()
	var underneath []changeset.Change
	if t.f.Variant == nil {
		underneath = changeset.Documents(before, t.base, tokendiff.Renaming{})
	} else {
		underneath = changeset.Overrides(before, t.base)
	}
	a.Say("The draft of %s changed meanwhile:", t.what)
	changeset.Print(a.App, underneath, p.full)
	both := bothChange(underneath, plan.changes)
	switch {
	case p.onConflict == failConflict:
		return plan, term.Conflict("Look at it with livery diff, and push again.", "the draft of %s was changed meanwhile by another client", t.what)
	case p.onConflict == mergeConflict && len(both) > 0:
		return plan, term.Conflict("Look at it with livery diff, and push again with --on-conflict overwrite if your files are right.",
			"another client changed meanwhile what the files change too: %s", term.ShortList(both))
	}
	a.Say("The files are sent on top of that:")
	return plan, nil
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
func located(err error, wanted *source.Sources) error {
	e, ok := err.(*client.Error) // a later part of a push says more than the answer does
	if !ok || wanted == nil {
		return err
	}
	said := *e
	said.Messages = make([]string, len(e.Messages))
	for i, message := range e.Messages {
		said.Messages[i] = validate.WithNearestType(locatedMessage(message, wanted))
	}
	return &said
}

// locatedMessage puts the file and line before a fault. The origin writes what it is about in quotes: a
// pointer after the number of an operation, or a dotted path.
func locatedMessage(message string, wanted *source.Sources) string {
	_, rest, ok := strings.Cut(message, `: "`)
	place, _, closed := strings.Cut(rest, `": `)
	if !ok || !closed {
		return message
	}
	where := wanted.TokenLocation(place)
	if strings.HasPrefix(place, "/") {
		where = wanted.Location(place)
	}
	if where == "" {
		return message
	}
	return where + `: "` + rest
}
