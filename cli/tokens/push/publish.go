package push

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
)

// setModes makes the list of the Theme's modes that of livery.yaml, then those already there whose Variant livery.yaml does not name. Only an
// admin may set them: without that role all else is done, and the push ends with a failure.
func (r *run) setModes(ctx context.Context) error {
	if !r.source.Mapped || r.p.Variant != "" {
		return nil
	}
	ids, named := map[string]string{}, map[string]bool{}
	for i, v := range r.source.Variants {
		ids[v.Slug] = r.done.Variants[i].VariantID
		named[ids[v.Slug]] = true
	}
	var list []client.Mode
	for _, v := range r.source.Variants {
		if v.Mode == "" {
			continue
		}
		id := ids[v.Slug]
		one := client.Mode{Variant: &id, When: v.Condition(), For: ids[v.For]}
		one.Dimension, one.Mode = v.DimensionMode()
		list = append(list, one)
	}
	scope := r.client.Scope(r.env.ID, r.theme.ID)
	present, err := scope.Modes(ctx)
	if err != nil {
		return err
	}
	for _, m := range present.Modes {
		if m.Variant == nil || !named[*m.Variant] {
			list = append(list, m)
		}
	}
	if slices.EqualFunc(present.Modes, list, isSameMode) {
		return nil
	}
	_, err = scope.SetModes(client.WithIfMatch(ctx, present.ETag), list)
	if errors.Is(err, client.ErrForbidden) {
		r.done.modesRefused = true
		return nil
	}
	r.done.ModesChanged = err == nil
	return err
}

func isSameMode(a, b client.Mode) bool {
	idOf := func(m client.Mode) string {
		if m.Variant == nil {
			return ""
		}
		return *m.Variant
	}
	return a.Dimension == b.Dimension && a.Mode == b.Mode && a.When == b.When && a.For == b.For && idOf(a) == idOf(b)
}

// publish publishes the Theme if it has a draft or another list of modes, then the Variants that have a draft in one request.
func (r *run) publish(ctx context.Context) error {
	if !r.p.publish {
		return nil
	}
	theme := r.done.Theme
	isChanged := theme != nil && theme.ETag != "" || r.done.ModesChanged && r.theme.LatestVersion != nil
	if isChanged {
		o := client.PublishOptions{Unchanged: theme == nil || theme.ETag == ""}
		if theme != nil {
			o.IfMatch = theme.ETag
		}
		if err := r.publishTheme(ctx, o); err != nil {
			return err
		}
	}
	var picks []client.VariantPick // all of them if the Theme was published, which makes drafts of them
	for _, v := range r.done.Variants {
		if v.ETag != "" || isChanged {
			picks = append(picks, client.VariantPick{ID: v.VariantID})
		}
	}
	again, err := r.publishVariants(ctx, picks)
	if err == nil && len(again) > 0 { // what a Variant serves at a version of its Theme never changes
		if err = r.publishTheme(ctx, client.PublishOptions{Unchanged: true, Note: "for Variants"}); err == nil {
			again, err = r.publishVariants(ctx, again)
		}
	}
	if err != nil {
		return err
	}
	if len(again) > 0 {
		return term.Fail("Push again.", "%s could not be published: their Theme was published meanwhile", term.Plural(len(again), "Variant"))
	}
	return r.await(ctx)
}

func (r *run) publishTheme(ctx context.Context, o client.PublishOptions) error {
	o.Renames = client.RenamesMoves
	t, err := r.client.PublishTheme(ctx, r.env.ID, r.theme.ID, o)
	if err != nil {
		return err
	}
	r.theme = &t
	if r.done.Theme != nil {
		r.done.Theme.ETag, r.done.Theme.Version = "", t.LatestVersion
	}
	return nil
}

// mostPicks is how many Variants one request publishes.
const mostPicks = 1000

// publishVariants publishes drafts of Variants, and returns those that their Theme's version was published with already.
func (r *run) publishVariants(ctx context.Context, picks []client.VariantPick) (again []client.VariantPick, err error) {
	for part := range slices.Chunk(picks, mostPicks) {
		made, err := r.client.Scope(r.env.ID, r.theme.ID).PublishVariants(ctx, client.ManyVariants{Picks: part})
		if err != nil {
			return nil, err
		}
		for _, v := range made.Done {
			i := slices.IndexFunc(r.done.Variants, func(one *Result) bool { return one.VariantID == v.ID })
			r.done.Variants[i].ETag, r.done.Variants[i].Version = "", v.Version
		}
		for _, v := range made.Skipped {
			switch v.Reason {
			case "alreadyPublished":
				again = append(again, client.VariantPick{ID: v.ID})
			case "themeUnpublished":
				return nil, term.Fail("Publish the Theme first: livery publish --theme "+r.theme.Slug+".", "Theme %s has no version yet, and a Variant is published for one", r.theme.Slug)
			}
		}
	}
	return again, nil
}

// patience is how long a push waits for an edge beyond the cache lifetime of the Environment.
const patience = 30 * time.Second

// await waits until an edge serves what was published.
func (r *run) await(ctx context.Context) error {
	if !r.p.wait || !r.done.published() {
		return nil
	}
	f := r.resolved("")
	if r.p.Variant == "" {
		theme, err := r.client.Theme(ctx, r.env.ID, r.theme.ID)
		if err != nil {
			return err
		}
		return release.AwaitServed(ctx, r.client, f, theme.ServingURLs, patience)
	}
	v, err := r.client.Variant(ctx, r.env.ID, r.theme.ID, r.done.Variants[0].VariantID)
	if err != nil {
		return err
	}
	f.Variant = &v
	return release.AwaitServed(ctx, r.client, f, v.ServingURLs, patience)
}

// Result is what came of the Theme or of one Variant.
type Result struct {
	ThemeID    string             `json:"themeID"`
	VariantID  string             `json:"variantID,omitempty"`
	Slug       string             `json:"slug"`
	Operations int                `json:"operations"`
	Changes    []changeset.Change `json:"changes,omitempty"`
	ETag       string             `json:"etag,omitempty"` // of the draft; empty if there is none afterwards
	Version    *int               `json:"version,omitempty"`
	Skipped    []validate.Dropped `json:"skipped,omitempty"`  // left out
	Unserved   []validate.Dropped `json:"unserved,omitempty"` // stored, and in no served file
	Remains    *remainder         `json:"remains,omitempty"`  // if something is lost

	what, counted string
	tokens        int
}

func (t *pushTarget) result(set client.TokenSet) *Result {
	p := t.planned
	done := &Result{
		ThemeID: t.f.Theme.ID, Slug: t.f.Theme.Slug, Operations: p.count, Changes: p.changes, ETag: set.DraftETag(),
		Skipped: p.skipped, Unserved: p.unserved, what: t.what, counted: t.counted, tokens: len(set.Tokens),
	}
	if p.remains.lost() > 0 {
		done.Remains = p.remains
	}
	if t.f.Variant != nil {
		done.VariantID, done.Slug = t.f.Variant.ID, t.f.Variant.Slug
	}
	return done
}

// all lists the results in the order in which they were sent.
func (d *Done) all() []*Result {
	if d.Theme == nil {
		return d.Variants
	}
	return append([]*Result{d.Theme}, d.Variants...)
}

func (d *Done) published() bool {
	return slices.ContainsFunc(d.all(), func(one *Result) bool { return one.Version != nil })
}

// changed reports whether anything was sent or published.
func (d *Done) changed() bool {
	return d.ModesChanged || d.published() || slices.ContainsFunc(d.all(), func(one *Result) bool { return one.Operations > 0 })
}

// report tells what came of a push.
func (r *run) report() error {
	err := r.Show(r.done, func() {
		for _, one := range r.done.all() {
			r.Say("%s", one.String())
		}
		if r.done.ModesChanged {
			r.Say("The modes of Theme %s are those of livery.yaml.", r.theme.Slug)
		}
		if next := r.next(); next != "" {
			r.Say("Publish: %s", next)
		}
		r.listOthers()
	})
	switch {
	case err != nil:
		return err
	case r.done.modesRefused:
		return term.Fail("Ask an admin to push, or to set them with livery theme modes "+r.theme.Slug+".", "all is sent but the modes of the Theme, which needs the role admin")
	case r.p.strict && !r.done.changed():
		return term.NothingToDo("Theme %s holds exactly this already", r.theme.Slug)
	}
	return nil
}

// String tells what came of one part.
func (d *Result) String() string {
	counted := term.Plural(d.tokens, d.counted)
	switch {
	case d.Version != nil:
		return fmt.Sprintf("%s is version %d now: %s.", d.what, *d.Version, counted)
	case d.Operations == 0 && d.ETag == "":
		return fmt.Sprintf("%s holds exactly this already: %s.", d.what, counted)
	case d.Operations == 0:
		return fmt.Sprintf("%s: nothing to send, its draft holds exactly this: %s.", d.what, counted)
	case d.ETag == "":
		return d.what + " has no draft: this is what is published."
	}
	return fmt.Sprintf("%s: %s sent, the draft has %s.", d.what, term.Plural(d.Operations, "operation"), counted)
}

// next returns the command that publishes what has a draft; empty if nothing has one.
func (r *run) next() string {
	drafts := slices.DeleteFunc(slices.Clone(r.done.all()), func(one *Result) bool { return one.ETag == "" })
	switch {
	case len(drafts) == 0:
		return ""
	case len(drafts) > 1:
		return "livery push --publish"
	}
	command := "livery publish --env " + r.env.Slug + " --theme " + r.theme.Slug
	if drafts[0].VariantID != "" {
		command += " --variant " + drafts[0].Slug
	}
	return command
}

// listOthers names the Variants of the Theme that livery.yaml does not.
func (r *run) listOthers() {
	if !r.source.Mapped {
		return
	}
	others := slices.DeleteFunc(r.knownSlugs(), func(slug string) bool { return slices.Contains(r.slugs(), slug) })
	if len(others) > 0 {
		r.Warn("Variants of Theme %s that livery.yaml does not name stay as they are: %s.", r.theme.Slug, escape.Line(term.ShortList(others)))
	}
}

// printPlan shows what a push would do.
func (r *run) printPlan() error {
	type part struct {
		Slug       string             `json:"slug"`
		Operations any                `json:"operations"`
		Changes    []changeset.Change `json:"changes,omitempty"`
		Skipped    []validate.Dropped `json:"skipped,omitempty"`
		Unserved   []validate.Dropped `json:"unserved,omitempty"`
	}
	all := struct {
		Theme    *part         `json:"theme,omitempty"`
		Variants []part        `json:"variants"`
		Files    source.Report `json:"files"`
	}{Variants: []part{}, Files: r.done.Files}
	for _, t := range r.parts {
		one := part{t.f.Theme.Slug, append([]client.Operation{}, t.planned.theme...), t.planned.changes, t.planned.skipped, t.planned.unserved}
		if t.f.Variant == nil {
			all.Theme = &one
			continue
		}
		one.Slug, one.Operations = t.f.Variant.Slug, append([]client.VariantOperation{}, t.planned.variant...)
		all.Variants = append(all.Variants, one)
	}
	return r.Show(all, func() {
		for _, t := range r.parts {
			if t.f.Absent {
				r.Say("%s would be created.", t.what)
			}
			r.listLosses(t)
			if t.f.Variant == nil {
				t.noteGuesses()
			}
			changeset.Print(r.App, t.planned.changes, r.p.Verbose)
			if t.planned.count == 0 {
				r.Say("%s: nothing would be sent.", t.what)
				continue
			}
			summary := changeset.Summary(t.planned.changes)
			r.Say("%s: %s; %s would be sent.", t.what, strings.ToLower(summary[:1])+summary[1:], term.Plural(t.planned.count, "operation"))
		}
		r.Say("This was a dry run.")
	})
}
