package cli

import (
	"strings"

	"example.com/livery/cli/escape"
)

// pushed is what push tells under --json.
type pushed struct {
	ThemeID    string     `json:"themeID"`
	VariantID  string     `json:"variantID,omitempty"`
	Operations int        `json:"operations"`
	Changes    []change   `json:"changes,omitempty"`
	ETag       string     `json:"etag,omitempty"` // of the draft; empty where there is none afterwards
	Version    *int       `json:"version,omitempty"`
	Skipped    []skipped  `json:"skipped,omitempty"`
	Remains    *remainder `json:"remains,omitempty"` // with --skip-refused
	Merged     []*merge   `json:"merged,omitempty"`  // token sets that became one document
	tokens     int
}

func (a *app) told(what, counted string, done pushed, next string) error {
	return a.show(done, func() {
		switch {
		case done.Operations == 0 && done.ETag == "" && done.Version == nil:
			a.say("%s holds exactly this already: %s.", what, plural(done.tokens, counted))
		case done.Version != nil:
			a.say("%s is version %d now: %s.", what, *done.Version, plural(done.tokens, counted))
		case done.ETag == "":
			a.say("%s has no draft: this is what is published.", what)
		case done.Operations == 0:
			a.say("%s: nothing to send, its draft holds exactly this: %s.", what, plural(done.tokens, counted))
			a.say("Publish it: %s", next)
		default:
			a.say("%s: %s sent, the draft has %s.", what, plural(done.Operations, "operation"), plural(done.tokens, counted))
			a.say("Publish it: %s", next)
		}
	})
}

// sayChanges shows what a push is about to do.
func (a *app) sayChanges(plan pushPlan, full bool) {
	if plan.count == 0 {
		return
	}
	a.printChanges(plan.changes, full)
	for _, line := range plan.notes {
		a.warn("Mind: %s", escape.Line(line))
	}
}

// printLeftOut lists what a push leaves out, and says how much it keeps.
func (a *app) printLeftOut(plan pushPlan, counted string, full bool) {
	a.printSkipped(plan.skipped, full)
	plan.remains.print(a, counted)
}

// printPlan shows what a push would do: the changes to a person, the operations to a program.
func (a *app) printPlan(plan pushPlan, s *sources, full bool) error {
	list := struct {
		Operations any       `json:"operations"`
		Changes    []change  `json:"changes,omitempty"`
		Skipped    []skipped `json:"skipped,omitempty"`
		Merged     []*merge  `json:"merged,omitempty"`
	}{plan.operations, plan.changes, plan.skipped, s.severalSets()}
	return a.show(list, func() {
		a.sayChanges(plan, full)
		if plan.count == 0 {
			a.say("Nothing would be sent: all is as the files say.")
			return
		}
		what := strings.ToUpper(tally(plan.changes)[:1]) + tally(plan.changes)[1:]
		a.say("%s; %s would be sent. This was a dry run.", what, plural(plan.count, "operation"))
	})
}
