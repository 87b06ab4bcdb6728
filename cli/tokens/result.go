package tokens

import (
	"fmt"
	"slices"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/intake"
)

// Done is what push prints under --json.
type Done struct {
	Theme        *Result       `json:"theme,omitempty"`
	Variants     []*Result     `json:"variants"`
	Modes        []client.Mode `json:"modes,omitempty"`        // of a dry run, if they change
	ModesChanged bool          `json:"modesChanged,omitempty"` // the Theme has another list of modes than before
	Files        source.Report `json:"files"`

	modesRefused bool // for want of the role admin
}

// Result is what came of the Theme or of one Variant.
type Result struct {
	ThemeID    string             `json:"themeID,omitempty"` // except in a dry run
	VariantID  string             `json:"variantID,omitempty"`
	Slug       string             `json:"slug"`
	Operations any                `json:"operations"` // their number; in a dry run the operations themselves
	Changes    []changeset.Change `json:"changes,omitempty"`
	ETag       string             `json:"etag,omitempty"` // of the draft; empty if there is none afterwards
	Version    *int               `json:"version,omitempty"`
	Skipped    []source.Dropped   `json:"skipped,omitempty"`  // left out
	Unserved   []source.Dropped   `json:"unserved,omitempty"` // stored, and in no served file
	Remains    *remains           `json:"remains,omitempty"`  // if something is lost

	count, stored int // of operations, and of tokens or overrides afterwards
}

// add adds the result of a part.
func (d *Done) add(t *part) {
	if t.Operations == nil {
		t.Operations = t.count
		if t.remains.lost() > 0 {
			t.Remains = &t.remains
		}
	}
	if t.variant == nil {
		d.Theme = &t.Result
	} else {
		d.Variants = append(d.Variants, &t.Result)
	}
}

// all lists the results in the order in which they were sent.
func (d *Done) all() []*Result {
	var list []*Result
	if d.Theme != nil {
		list = append(list, d.Theme)
	}
	return append(list, d.Variants...)
}

func (d *Done) isPublished() bool {
	return slices.ContainsFunc(d.all(), func(one *Result) bool { return one.Version != nil })
}

// hasChanged reports whether anything was sent or published.
func (d *Done) hasChanged() bool {
	return d.ModesChanged || d.isPublished() || slices.ContainsFunc(d.all(), func(one *Result) bool { return one.count > 0 })
}

// listLosses prints what the push leaves out of a part, and what it stores though no served file has it.
func (r *run) listLosses(t *part) {
	source.PrintDropped(r.App, t.Skipped)
	if len(t.Unserved) > 0 {
		r.Warn("Stored, but in no served file until fixed: %s.", term.Plural(len(t.Unserved), "token"))
		source.PrintRows(r.App, t.Unserved)
	}
}

// report tells what came of a push, or what would come of it.
func (r *run) report() error {
	if r.p.dryRun {
		for _, t := range r.parts {
			if t.Operations = append([]client.VariantOperation{}, t.ofVariant...); t.variant == nil {
				t.Operations = append([]client.Operation{}, t.ofTheme...)
			}
			r.done.add(t)
		}
		if r.modes.isChange {
			r.done.Modes = r.modes.list
		}
	}
	err := r.Show(r.done, func() {
		for _, t := range r.parts {
			if r.p.dryRun {
				r.printPlan(t)
			} else {
				r.Say("%s", t.sentence())
			}
		}
		if r.done.Modes != nil {
			r.Say("The modes of Theme %s would be set: %s.", r.p.Theme, r.modes)
		}
		if r.done.ModesChanged {
			r.Say("The modes of Theme %s are set: %s.", r.theme.Slug, r.modes)
		}
		if next := r.next(); next != "" {
			r.Say("Publish: %s", next)
		}
		r.listOthers()
		if r.p.dryRun {
			r.Say("This was a dry run.")
		}
	})
	switch {
	case err != nil || r.p.dryRun:
		return err
	case r.done.modesRefused:
		return term.Fail("Ask an admin to push once, or to set them with livery theme modes "+r.theme.Slug+".", "the modes of Theme %s are not set, which needs the role admin; the rest is done", r.theme.Slug)
	case r.p.strict && !r.done.hasChanged():
		return term.NothingToDo("Theme %s holds exactly this already", r.theme.Slug)
	}
	return nil
}

// printPlan prints what a push would do with a part.
func (r *run) printPlan(t *part) {
	if r.theme.ID == "" || t.variant != nil && t.variant.ID == "" {
		r.Say("%s would be created.", t.what)
	}
	r.listLosses(t)
	changeset.Print(r.App, t.Changes)
	if t.count == 0 {
		r.Say("%s: nothing would be sent.", t.what)
		return
	}
	summary := changeset.Summary(t.Changes)
	r.Say("%s: %s; %s would be sent.", t.what, strings.ToLower(summary[:1])+summary[1:], term.Plural(t.count, "operation"))
}

// sentence tells what came of a part.
func (t *part) sentence() string {
	counted := term.Plural(t.stored, t.counted)
	switch {
	case t.Version != nil:
		return fmt.Sprintf("%s is version %d now: %s.", t.what, *t.Version, counted)
	case t.count == 0 && t.ETag == "":
		return fmt.Sprintf("%s holds exactly this already: %s.", t.what, counted)
	case t.count == 0:
		return fmt.Sprintf("%s: nothing to send, its draft holds exactly this: %s.", t.what, counted)
	case t.ETag == "":
		return t.what + " has no draft: this is what is published."
	}
	return fmt.Sprintf("%s: %s sent, the draft has %s.", t.what, term.Plural(t.count, "operation"), counted)
}

// next returns the command that publishes the drafts; empty if there are none.
func (r *run) next() string {
	drafts := slices.DeleteFunc(r.done.all(), func(one *Result) bool { return one.ETag == "" })
	place := "--env " + r.env.Slug + " --theme " + r.theme.Slug
	switch {
	case len(drafts) == 0:
		return ""
	case len(drafts) > 1:
		return "livery push " + place + " --publish"
	case drafts[0].VariantID != "":
		place += " --variant " + drafts[0].Slug
	}
	return "livery publish " + place
}

// listOthers names the Variants of the Theme that livery.yaml does not name.
func (r *run) listOthers() {
	if !r.source.Mapped {
		return
	}
	others := slices.DeleteFunc(term.Keys(r.present), func(slug string) bool { return slices.Contains(r.source.Slugs(), slug) })
	if len(others) > 0 {
		r.Warn("Variants not in %s are left as they are: %s.", intake.MappingName, escape.Line(term.ShortList(others)))
	}
}
