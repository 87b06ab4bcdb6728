package tokens

import (
	"context"
	"slices"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
	"example.com/livery/intake"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// diffFiles compares a Theme, or one Variant, with what a push of files would make of it. Without files it compares the Theme and the Variants
// of livery.yaml.
func (a *app) diffFiles(ctx context.Context, d diffFlags, files []string) ([]changeset.Comparison, error) {
	if d.To != 0 {
		return nil, term.UsageError("Leave --to out.", "a comparison with files ends with the files")
	}
	read, err := source.Read(a.App, files, d.Flags)
	if err != nil {
		return nil, err
	}
	read.Print(a.App, d.Verbose)
	if err := source.Target(&d.Theme, &d.Env); err != nil {
		return nil, err
	}
	if d.Theme == "" {
		return nil, term.UsageError("See livery diff --help.", "livery diff needs --theme, or a %s that names the Theme", intake.MappingName)
	}
	place := d.Target
	if read.Mapped {
		place.Variant = ""
	}
	c, f, err := a.ResolveIn(ctx, place)
	if err != nil {
		return nil, err
	}
	var list []changeset.Comparison
	switch {
	case read.Mapped:
		list, err = a.compareMapped(ctx, c, f, d, read)
	case f.Variant != nil:
		list, err = a.compareVariant(ctx, c, f, d, source.Values(read.Theme.Tree))
	default:
		list, err = a.compareTheme(ctx, c, f, d, read.Theme.Tree)
	}
	if err != nil {
		return nil, release.NoVersion(err, f, d.From)
	}
	for _, lost := range read.Lost() {
		list[0].Notes = append(list[0].Notes, lost.Path+" is left out: "+lost.Said())
	}
	return list, nil
}

// compareMapped compares the Theme and each Variant of livery.yaml, or the Variant of --variant.
func (a *app) compareMapped(ctx context.Context, c *client.Client, f target.Resolved, d diffFlags, read *source.Source) (list []changeset.Comparison, err error) {
	if d.Variant == "" {
		if list, err = a.compareTheme(ctx, c, f, d, read.Theme.Tree); err != nil {
			return nil, err
		}
	}
	present := map[string]*client.Variant{}
	for v, err := range c.EveryVariant(ctx, f.Env.ID, f.Theme.ID) {
		if err != nil {
			return nil, err
		}
		present[v.Slug] = &v
	}
	var slugs []string
	for _, v := range read.Variants {
		slugs = append(slugs, v.Slug)
		if d.Variant != "" && d.Variant != v.Slug {
			continue
		}
		of := f
		if of.Variant = present[v.Slug]; of.Variant == nil {
			of.Variant, of.Absent = &client.Variant{Slug: v.Slug}, true
		}
		made, err := a.compareVariant(ctx, c, of, d, v.Values)
		if err != nil {
			return nil, err
		}
		list = append(list, made...)
	}
	if len(list) == 0 {
		return nil, target.NotFound("Variant", d.Variant, " in "+intake.MappingName, slugs)
	}
	return list, nil
}

// compareTheme compares the Theme with what a push of a document would make of it.
func (a *app) compareTheme(ctx context.Context, c *client.Client, f target.Resolved, d diffFlags, wanted *jsontree.Node) ([]changeset.Comparison, error) {
	base, err := a.diffBase(ctx, c, f, d.From)
	if err != nil {
		return nil, err
	}
	after := wanted
	if !d.replace {
		after = tokentree.JoinGroups(base, wanted)
	}
	renamed := tokendiff.Renames(dtcg.Read(base), dtcg.Read(after))
	made := d.comparison("Theme "+f.Theme.Slug, changeset.Documents(base, after, renamed), changeset.Properties(base, after, f.Theme.AssetSettings.Prefix, renamed))
	made.Notes, err = modeNotes(ctx, c, f, base, after)
	return []changeset.Comparison{made}, err
}

// compareVariant compares a Variant with what a push of overrides would make of it.
func (a *app) compareVariant(ctx context.Context, c *client.Client, f target.Resolved, d diffFlags, wanted *jsontree.Node) ([]changeset.Comparison, error) {
	base, err := a.diffBase(ctx, c, f, d.From)
	if err != nil {
		return nil, err
	}
	after := wanted
	if !d.replace {
		after = tokentree.JoinFlat(base, wanted)
	}
	theme := f
	theme.Variant = nil
	set, err := release.TokensAt(ctx, c, theme, f.Theme.LatestVersion)
	if err != nil {
		return nil, err
	}
	document, err := tokentree.Tree(set)
	if err != nil {
		return nil, err
	}
	what := "Theme " + f.Theme.Slug + ", Variant " + f.Variant.Slug
	properties := changeset.OverrideProperties(document, base, after, f.Theme.AssetSettings.Prefix)
	return []changeset.Comparison{d.comparison(what, changeset.Overrides(base, after), properties)}, nil
}

// diffBase returns the content that files are compared with.
func (a *app) diffBase(ctx context.Context, c *client.Client, f target.Resolved, version int) (*jsontree.Node, error) {
	if f.Absent {
		return jsontree.NewObject(), nil
	}
	return a.pulled(ctx, c, f, version)
}

func (d diffFlags) comparison(what string, changes []changeset.Change, properties client.PropertyChanges) changeset.Comparison {
	made := changeset.Comparison{What: what, From: edition(nil), To: "the files", Changes: append([]changeset.Change{}, changes...), Properties: properties}
	if d.From != 0 {
		made.From = edition(&d.From)
	}
	isBreaking := func(c changeset.Change) bool { return c.Breaking }
	made.Breaking = len(properties.Removed)+len(properties.Taken) > 0 || slices.ContainsFunc(changes, isBreaking)
	return made
}
