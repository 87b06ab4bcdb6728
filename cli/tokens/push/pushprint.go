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
	Remains    *remainder         `json:"remains,omitempty"` // with --skip-refused
	Merged     []*source.Merge    `json:"merged,omitempty"`  // token sets that became one document
	tokens     int
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

// printLeftOut lists what a push leaves out, and says how much it keeps.
func (a *app) printLeftOut(plan pushPlan, counted string, full bool) {
	validate.PrintDropped(a.App, plan.skipped, full)
	plan.remains.print(a, counted)
}

// printPlan shows what a push would do: the changes to a person, the operations to a program.
func (a *app) printPlan(plan pushPlan, s *source.Sources, full bool) error {
	list := struct {
		Operations any                `json:"operations"`
		Changes    []changeset.Change `json:"changes,omitempty"`
		Skipped    []validate.Dropped `json:"skipped,omitempty"`
		Merged     []*source.Merge    `json:"merged,omitempty"`
	}{plan.operations, plan.changes, plan.skipped, s.SeveralSets()}
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
