package push

import (
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
)

// Result is what push tells under --json.
type Result struct {
	ThemeID    string             `json:"themeID"`
	VariantID  string             `json:"variantID,omitempty"`
	Operations int                `json:"operations"`
	Changes    []changeset.Change `json:"changes,omitempty"`
	ETag       string             `json:"etag,omitempty"` // of the draft; empty if there is none afterwards
	Version    *int               `json:"version,omitempty"`
	Skipped    []validate.Dropped `json:"skipped,omitempty"`
	Unread     []validate.Dropped `json:"unread,omitempty"`   // files that cannot be read
	Unserved   []validate.Dropped `json:"unserved,omitempty"` // stored, and in no served file
	Notes      []string           `json:"notes,omitempty"`    // which modes are taken, and what stands in two files
	Remains    *remainder         `json:"remains,omitempty"`  // if something is lost
	Merged     []*source.Merge    `json:"merged,omitempty"`   // token sets that became one document

	Concessions []source.Concession `json:"concessions,omitempty"` // what is read otherwise than written
	tokens      int
}

func (a *app) reportPush(what, counted string, done Result, next string) error {
	return a.Show(done, func() {
		switch {
		case done.Operations == 0 && done.ETag == "" && done.Version == nil:
			a.Say("%s holds exactly this already: %s.", what, term.Plural(done.tokens, counted))
		case done.Version != nil:
			a.Say("%s is version %d now: %s.", what, *done.Version, term.Plural(done.tokens, counted))
		case done.ETag == "":
			a.Say("%s has no draft: this is what is published.", what)
		case done.Operations == 0:
			a.Say("%s: nothing to send, its draft holds exactly this: %s.", what, term.Plural(done.tokens, counted))
			a.Say("Publish it: %s", next)
		default:
			a.Say("%s: %s sent, the draft has %s.", what, term.Plural(done.Operations, "operation"), term.Plural(done.tokens, counted))
			a.Say("Publish it: %s", next)
		}
	})
}

// sayChanges shows what a push is about to do.
func (a *app) sayChanges(plan pushPlan, full bool) {
	if plan.count == 0 {
		return
	}
	changeset.Print(a.App, plan.changes, full)
	for _, line := range plan.notes {
		a.Warn("Note: %s", escape.Line(line))
	}
}

// printLeftOut lists what a push leaves out, and says how much it keeps. If that was listed before the push, it says only
// how much.
func (a *app) printLeftOut(t *pushTarget, plan pushPlan) {
	if t.p.acceptLoss || !t.loses(plan) {
		a.listLosses(t, plan)
	}
	plan.remains.print(a, t.counted)
}

// loses reports whether a push must be asked for, since it loses more tokens than it may, or a whole file.
func (t *pushTarget) loses(plan pushPlan) bool {
	return plan.remains.isTooMuch() || len(t.wanted.Unread) > 0
}

// printUnserved lists the tokens that the draft takes and no served file has, or not tokens.css.
func (a *app) printUnserved(plan pushPlan, p pushFlags) {
	if len(plan.unserved) > 0 {
		a.Warn("Stored, and in no served file until it is mended: %s.", term.Plural(len(plan.unserved), "token"))
		validate.PrintRows(a.App, plan.unserved, p.full || p.verbose)
	}
	if len(plan.hidden) > 0 {
		a.Warn("Not in tokens.css, where another token has the name: %s.", term.Plural(len(plan.hidden), "token"))
		validate.PrintRows(a.App, plan.hidden, p.full || p.verbose)
	}
}

// listLosses lists all that a push would lose.
func (a *app) listLosses(t *pushTarget, plan pushPlan) {
	validate.PrintRows(a.App, t.wanted.Unread, true)
	validate.PrintDropped(a.App, plan.skipped, t.p.full || t.p.verbose)
	a.printUnserved(plan, t.p)
}

// printPlan shows what a push would do: the changes to a person, the operations to a program.
func (a *app) printPlan(plan pushPlan, s *source.Sources, full bool) error {
	list := struct {
		Operations any                `json:"operations"`
		Changes    []changeset.Change `json:"changes,omitempty"`
		Skipped    []validate.Dropped `json:"skipped,omitempty"`
		Unread     []validate.Dropped `json:"unread,omitempty"`
		Unserved   []validate.Dropped `json:"unserved,omitempty"`
		Notes      []string           `json:"notes,omitempty"`
		Merged     []*source.Merge    `json:"merged,omitempty"`

		Concessions []source.Concession `json:"concessions,omitempty"`
	}{plan.operations, plan.changes, plan.skipped, s.Unread, plan.unserved, s.Notes(), s.SeveralSets(), s.Concessions()}
	return a.Show(list, func() {
		a.sayChanges(plan, full)
		if plan.count == 0 {
			a.Say("Nothing would be sent: everything matches the files.")
			return
		}
		what := strings.ToUpper(changeset.Summary(plan.changes)[:1]) + changeset.Summary(plan.changes)[1:]
		a.Say("%s; %s would be sent. This was a dry run.", what, term.Plural(plan.count, "operation"))
	})
}
