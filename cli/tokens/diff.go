package tokens

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	target.Target
	client.CompareOptions
	source.Flags
	format                  string
	failOnBreaking, replace bool
}

const diffText = `Lists changed tokens and custom properties; changes that can break a page come first.
With files, or those of livery.yaml, shows what a push of them would change. With --theme and no files, compares the newest version with the
draft, or the versions --from and --to.`

func (a *app) diffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff [FILE...]",
		Short: "Show what changed between two versions, since the newest, or what a push of files would change",
		Long:  diffText,
		Example: "  livery diff --env sandbox --theme acme --from 3 --to 5\n" +
			"  livery diff acme.tokens.json --env production --theme acme --replace --format markdown",
		RunE: func(cmd *cobra.Command, args []string) error { return a.diff(cmd, d, args) },
	}
	f := cmd.Flags()
	f.IntVar(&d.From, "from", 0, "version `N` to compare from (default: the newest; of files the current document)")
	f.IntVar(&d.To, "to", 0, "version `N` to compare to (default: the current document)")
	f.BoolVar(&d.failOnBreaking, "fail-on-breaking", false, "end with exit code 1 if the change can break a consumer")
	formatFlag(cmd, &d.format, "or markdown for a comment on a pull request")
	f.BoolVar(&d.replace, "replace", false, "of files: compare with push --replace, which removes what they do not have")
	d.Flags.Add(cmd)
	return a.JSONFlag(target.MaybeOfVariant(cmd, &d.Target))
}

func (a *app) diff(cmd *cobra.Command, d diffFlags, files []string) (err error) {
	if err := a.checkFormat(d.format, "markdown"); err != nil {
		return err
	}
	var list []changeset.Comparison
	if len(files) > 0 || d.Theme == "" {
		list, err = a.diffFiles(cmd.Context(), d, files)
	} else {
		list, err = a.diffVersions(cmd.Context(), d)
	}
	if err != nil {
		return err
	}
	if err := a.showComparisons(d, list); err != nil {
		return err
	}
	if d.failOnBreaking && slices.ContainsFunc(list, func(c changeset.Comparison) bool { return c.Breaking }) {
		return term.Fail("Keep the old names beside the new ones, or inform the consumers.", "the change can break a consumer")
	}
	return nil
}

// showComparisons prints comparisons. JSON has a list if there are several.
func (a *app) showComparisons(d diffFlags, list []changeset.Comparison) error {
	if d.format == "markdown" {
		var text []byte
		for _, c := range list {
			text = changeset.AppendMarkdown(text, c)
		}
		_, err := a.Out.Write(text)
		return err
	}
	var shown any = list
	if len(list) == 1 {
		shown = list[0]
	}
	return a.Show(shown, func() {
		for _, c := range list {
			if len(list) > 1 {
				a.Say("%s:", c.What)
			}
			changeset.PrintComparison(a.App, c)
		}
	})
}

// diffVersions compares two versions of a Theme or Variant, or one with the draft. The origin says which properties change and which tokens
// are renamed.
func (a *app) diffVersions(ctx context.Context, d diffFlags) ([]changeset.Comparison, error) {
	c, f, err := a.ResolveIn(ctx, d.Target)
	if err != nil {
		return nil, err
	}
	said, err := c.Scope(f.Env.ID, f.Theme.ID).Compare(ctx, f.VariantID(), d.CompareOptions)
	if err != nil {
		return nil, NoVersion(err, f, d.From, d.To)
	}
	made := changeset.Comparison{What: "Theme " + f.Theme.Slug, From: edition(said.From), To: edition(said.To), Breaking: said.Breaking, Properties: said.Properties}
	before, err := editionAt(ctx, c, f, said.From)
	if err != nil {
		return nil, err
	}
	after, err := editionAt(ctx, c, f, said.To)
	if err != nil {
		return nil, err
	}
	if f.Variant != nil {
		made.What += ", Variant " + f.Variant.Slug
		made.Changes = changeset.Overrides(before, after)
	} else {
		made.Changes = changeset.FromOrigin(said, before, after)
		made.Notes, err = modeNotes(ctx, c, f, before, after)
		if n := inferred(said.Renamed); n > 0 && d.From == 0 && said.To == nil {
			made.Notes = append(made.Notes, term.Plural(n, "rename")+" inferred from equal content. livery publish follows moves alone: it removes the "+
				"old tokens with their overrides, and adds the new ones")
		}
	}
	made.Changes = append([]changeset.Change{}, made.Changes...)
	return []changeset.Comparison{made}, err
}

// editionAt reads a document of a Theme, or the overrides of a Variant: the current ones, a version, or nothing for version 0.
func editionAt(ctx context.Context, c *client.Client, f target.Resolved, version *int) (*jsontree.Node, error) {
	switch {
	case version == nil:
		return pulled(ctx, c, f, 0)
	case *version == 0:
		return jsontree.NewObject(), nil
	}
	return pulled(ctx, c, f, *version)
}

func inferred(list []client.Rename) (n int) {
	for _, r := range list {
		if r.Inferred {
			n++
		}
	}
	return n
}

func edition(n *int) string {
	switch {
	case n == nil:
		return "the current document"
	case *n == 0:
		return "nothing"
	}
	return "version " + strconv.Itoa(*n)
}

// diffFiles compares each part of the files with what is stored.
func (a *app) diffFiles(ctx context.Context, d diffFlags, files []string) (list []changeset.Comparison, err error) {
	if d.To != 0 {
		return nil, term.UsageError("Leave --to out.", "a comparison with files ends with the files")
	}
	s, err := source.Read(a.App, files, d.Flags)
	if err != nil {
		return nil, err
	}
	s.Print(a.App, false)
	if err := source.Target("diff", &d.Target); err != nil {
		return nil, err
	}
	place := d.Target
	if s.Mapped {
		place.Variant = ""
	}
	c, f, err := a.ResolveIn(ctx, place)
	if err != nil {
		return nil, err
	}
	parts, err := s.Parts(d.Variant)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		of := f
		if part.Variant != nil && s.Mapped {
			v, err := target.FindVariant(ctx, c, f.Theme, part.Slug)
			if _, isMissing := errors.AsType[*target.Missing](err); err != nil && !isMissing {
				return nil, err
			}
			v.Slug, of.Variant = part.Slug, &v
		}
		made, err := diffPart(ctx, c, of, d, part.Tree)
		if err != nil {
			return nil, NoVersion(err, f, d.From)
		}
		for _, lost := range part.Lost {
			made.Notes = append(made.Notes, lost.Path+" is left out: "+lost.String())
		}
		list = append(list, made)
	}
	return list, nil
}

// diffPart compares a Theme or Variant with what a push would make of it. The id of a Variant that does not exist yet is empty. The properties
// of a Variant are compared over the newest version of its Theme.
func diffPart(ctx context.Context, c *client.Client, f target.Resolved, d diffFlags, wanted *jsontree.Node) (made changeset.Comparison, err error) {
	base, from := jsontree.NewObject(), edition(nil)
	if d.From != 0 {
		from = edition(&d.From)
	}
	if f.Variant == nil || f.Variant.ID != "" {
		if base, err = pulled(ctx, c, f, d.From); err != nil {
			return made, err
		}
	}
	what, prefix := "Theme "+f.Theme.Slug, f.Theme.AssetSettings.Prefix
	if f.Variant != nil {
		if !d.replace {
			wanted = changeset.JoinFlat(base, wanted)
		}
		theme, err := editionAt(ctx, c, target.Resolved{Env: f.Env, Theme: f.Theme}, f.Theme.LatestVersion)
		if err != nil {
			return made, err
		}
		return changeset.WithFiles(what+", Variant "+f.Variant.Slug, from, base, wanted, theme, prefix), nil
	}
	if !d.replace {
		wanted = changeset.Join(base, wanted)
	}
	made = changeset.WithFiles(what, from, base, wanted, nil, prefix)
	made.Notes, err = modeNotes(ctx, c, f, base, wanted)
	return made, err
}

// modeNotes says for each mode of a Theme how many custom properties a change of its document changes there, if these
// are others than in the Theme's own files: an override hides a change. The overrides are those that are served.
func modeNotes(ctx context.Context, c *client.Client, f target.Resolved, before, after *jsontree.Node) (notes []string, err error) {
	modes, err := c.Scope(f.Env.ID, f.Theme.ID).Modes(ctx)
	if err != nil || len(modes.Modes) == 0 {
		return nil, err
	}
	plain := changeset.CountProperties(before, after, nil)
	for _, m := range modes.Modes {
		if m.Variant == nil {
			continue
		}
		_, overrides, err := changeset.CurrentOverrides(ctx, c, f.Theme, *m.Variant)
		if err != nil {
			return nil, err
		}
		if here := changeset.CountProperties(before, after, overrides); here != plain {
			notes = append(notes, fmt.Sprintf("in mode %s.%s %s, %d without modes", m.Dimension, m.Mode, changeset.PropertyCount(here), plain))
		}
	}
	return notes, nil
}
