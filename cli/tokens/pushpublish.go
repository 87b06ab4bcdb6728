package tokens

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// modeChange is the list of modes that a push gives the Theme. Variants that do not exist yet are named by slug.
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
	idOf := func(slug string) string { return cmp.Or(r.present[slug].ID, slug) }
	var list, present []client.Mode
	named := map[string]bool{}
	for _, v := range r.source.Variants {
		id := idOf(v.Slug)
		if named[id] = true; v.Mode == "" {
			continue
		}
		m := client.Mode{Variant: &id, When: v.Condition(), For: idOf(v.For)}
		m.Dimension, m.Mode = v.DimensionMode()
		list = append(list, m)
	}
	if r.theme.ID != "" {
		modes, err := r.client.Scope(r.env.ID, r.theme.ID).Modes(ctx)
		if err != nil {
			return err
		}
		present, r.modes.etag = modes.Modes, modes.ETag
	}
	own := slices.Clone(list)
	for _, m := range present {
		isReplaced := slices.ContainsFunc(own, func(o client.Mode) bool {
			return o.Dimension == m.Dimension && o.Mode == m.Mode && o.For == m.For
		})
		if !isReplaced && (m.Variant == nil || !named[*m.Variant]) {
			list = append(list, m)
		}
	}
	r.modes.list, r.modes.isChange = list, len(present)+len(list) > 0 && !reflect.DeepEqual(present, list)
	return nil
}

// setModes sends the list of modes if it differs. Only an admin may set it: without that role the rest of the push is done, and report
// returns a failure.
func (r *run) setModes(ctx context.Context) error {
	if err := r.planModes(ctx); err != nil || !r.modes.isChange { // all Variants have an id now
		return err
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

// mostPicks is how many Variants one request publishes.
const mostPicks = 1000

// publish publishes the Theme if it has a draft or another list of modes, then the Variants that have a draft in one request. What a Variant
// serves at a version of its Theme never changes: if one of them is published at the newest already, the Theme is published once more.
func (r *run) publish(ctx context.Context) error {
	if !r.p.publish {
		return nil
	}
	o := client.PublishOptions{Renames: client.RenamesMoves}
	isDraft := r.done.Theme != nil && r.done.Theme.ETag != ""
	newest := r.theme.LatestVersion
	isDue := isDraft || r.done.ModesChanged && newest != nil
	for _, t := range r.parts {
		if t.variant != nil && t.ETag != "" && newest != nil && t.variant.LatestVersion != nil && *t.variant.LatestVersion == *newest && !isDue {
			isDue, o.Note = true, "for Variants"
		}
	}
	if isDue {
		if o.Unchanged = !isDraft; isDraft {
			o.IfMatch = r.done.Theme.ETag
		}
		theme, err := r.client.PublishTheme(ctx, r.env.ID, r.theme.ID, o)
		if err != nil {
			return err
		}
		if r.theme = theme; r.done.Theme != nil {
			r.done.Theme.ETag, r.done.Theme.Version = "", theme.LatestVersion
		}
	}
	byID, picks := map[string]*Result{}, []client.VariantPick{}
	for _, v := range r.done.Variants {
		if byID[v.VariantID] = v; v.ETag != "" || isDue { // the publish of a Theme makes drafts of all its Variants
			picks = append(picks, client.VariantPick{ID: v.VariantID})
		}
	}
	for some := range slices.Chunk(picks, mostPicks) {
		made, err := r.client.Scope(r.env.ID, r.theme.ID).PublishVariants(ctx, client.ManyVariants{Picks: some})
		if err != nil {
			return err
		}
		for _, v := range made.Done {
			byID[v.ID].ETag, byID[v.ID].Version = "", v.Version
		}
		for _, v := range made.Skipped {
			switch v.Reason {
			case "alreadyPublished":
				return term.Fail("Push again.", "Variants could not be published: their Theme was published meanwhile")
			case "themeUnpublished":
				return term.Fail("Publish the Theme first: livery publish --theme "+r.theme.Slug+".", "Theme %s has no version yet, and a Variant is published for one", r.theme.Slug)
			}
		}
	}
	return r.await(ctx)
}

// await waits until an edge serves what was published.
func (r *run) await(ctx context.Context) error {
	if !r.p.wait || !r.done.isPublished() {
		return nil
	}
	f := target.Resolved{Env: r.env, Theme: r.theme}
	if r.p.Variant == "" {
		return AwaitServed(ctx, r.client, f, r.theme.ServingURLs)
	}
	v, err := r.client.Variant(ctx, r.env.ID, r.theme.ID, r.done.Variants[0].VariantID)
	if err != nil {
		return err
	}
	f.Variant = &v
	return AwaitServed(ctx, r.client, f, v.ServingURLs)
}
