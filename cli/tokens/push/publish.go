package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/intake"
)

// modeChange is the list of modes that a push gives the Theme. Variants that the push creates are named by slug.
type modeChange struct {
	list     []client.Mode
	etag     string // of the list that it replaces; empty for a new Theme
	isChange bool
}

// planModes makes the list of modes: those of livery.yaml, then those of the Theme whose Variant livery.yaml does not name, unless
// livery.yaml gives the same mode to another Variant.
func (r *run) planModes(ctx context.Context) error {
	if !r.source.Mapped || r.p.Variant != "" {
		return nil
	}
	var list, present []client.Mode
	named := map[string]bool{}
	for _, v := range r.source.Variants {
		id := r.variantID(v.Slug)
		if named[id] = true; v.Mode == "" {
			continue
		}
		m := client.Mode{Variant: &id, When: v.Condition()}
		if m.Dimension, m.Mode = v.DimensionMode(); v.For != "" {
			m.For = r.variantID(v.For)
		}
		list = append(list, m)
	}
	if r.theme != nil {
		modes, err := r.client.Scope(r.env.ID, r.theme.ID).Modes(ctx)
		if err != nil {
			return err
		}
		present, r.modes.etag = modes.Modes, modes.ETag
	}
	for _, m := range present {
		isReplaced := slices.ContainsFunc(list, func(own client.Mode) bool {
			return own.Dimension == m.Dimension && own.Mode == m.Mode && own.For == m.For
		})
		if m.Variant != nil && named[*m.Variant] || isReplaced {
			continue
		}
		list = append(list, m)
	}
	r.modes.list, r.modes.isChange = list, !slices.EqualFunc(present, list, isSameMode)
	return nil
}

// variantID returns the id of a Variant, or its slug before it is created.
func (r *run) variantID(slug string) string {
	if v := r.present[slug]; v != nil {
		return v.ID
	}
	return slug
}

// setModes sends the list of modes if it differs. Only an admin may set it: without that role the rest of the push is done, and report
// returns a failure.
func (r *run) setModes(ctx context.Context) error {
	if !r.modes.isChange {
		return nil
	}
	ids := map[string]string{}
	for _, v := range r.done.Variants {
		ids[v.Slug] = v.VariantID
	}
	for i := range r.modes.list {
		m := &r.modes.list[i]
		if id := ids[m.For]; id != "" {
			m.For = id
		}
		if m.Variant != nil && ids[*m.Variant] != "" {
			*m.Variant = ids[*m.Variant]
		}
	}
	_, err := r.client.Scope(r.env.ID, r.theme.ID).SetModes(client.WithIfMatch(ctx, r.modes.etag), r.modes.list)
	if errors.Is(err, client.ErrForbidden) {
		r.done.modesRefused = true
		return nil
	}
	r.done.ModesChanged = err == nil
	return err
}

// String lists the modes, each once.
func (c modeChange) String() string {
	var names []string
	for _, m := range c.list {
		if name := m.Dimension + "." + m.Mode; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none")
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
		return release.AwaitServed(ctx, r.client, f, theme.ServingURLs)
	}
	v, err := r.client.Variant(ctx, r.env.ID, r.theme.ID, r.done.Variants[0].VariantID)
	if err != nil {
		return err
	}
	f.Variant = &v
	return release.AwaitServed(ctx, r.client, f, v.ServingURLs)
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
			r.Say("The modes of Theme %s are set: %s.", r.theme.Slug, r.modes)
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
		return term.Fail("Ask an admin to push once, or to set them with livery theme modes "+r.theme.Slug+".", "the modes of Theme %s are not set, which needs the role admin; the rest is done", r.theme.Slug)
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

// next returns the command that publishes the drafts; empty if there are none.
func (r *run) next() string {
	drafts := slices.DeleteFunc(slices.Clone(r.done.all()), func(one *Result) bool { return one.ETag == "" })
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
	others := slices.DeleteFunc(r.knownSlugs(), func(slug string) bool { return slices.Contains(r.mappedSlugs(), slug) })
	if len(others) > 0 {
		r.Warn("Variants not in %s are left as they are: %s.", intake.MappingName, escape.Line(term.ShortList(others)))
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
		Modes    []client.Mode `json:"modes,omitempty"` // if they change
		Files    source.Report `json:"files"`
	}{Variants: []part{}, Files: r.done.Files}
	if r.modes.isChange {
		all.Modes = r.modes.list
	}
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
			t.listLosses()
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
		if r.modes.isChange {
			r.Say("The modes of Theme %s would be set: %s.", r.p.Theme, r.modes)
		}
		r.listOthers()
		r.Say("This was a dry run.")
	})
}
