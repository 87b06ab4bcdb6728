package tokens

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	target.Target
	client.CompareOptions
	source.Flags
	failOnBreaking, markdown, replace bool
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
			"  livery diff acme.tokens.json --env production --theme acme --replace --markdown",
		RunE: func(cmd *cobra.Command, args []string) error { return a.diff(cmd, d, args) },
	}
	f := cmd.Flags()
	f.IntVar(&d.From, "from", 0, "version `N` to compare from (default: the newest; of files the current document)")
	f.IntVar(&d.To, "to", 0, "version `N` to compare to (default: the current document)")
	f.BoolVar(&d.failOnBreaking, "fail-on-breaking", false, "end with exit code 1 if the change can break a consumer")
	f.BoolVar(&d.markdown, "markdown", false, "print Markdown, for a comment on a pull request")
	f.BoolVar(&d.replace, "replace", false, "of files: compare with push --replace, which removes what they do not have")
	d.Flags.Add(cmd)
	return a.JSONFlag(target.MaybeOfVariant(cmd, &d.Target))
}

func (a *app) diff(cmd *cobra.Command, d diffFlags, files []string) (err error) {
	var list []changeset.Comparison
	if len(files) > 0 || d.Theme == "" {
		list, err = a.diffFiles(cmd.Context(), d, files)
	} else {
		list, err = a.diffVersions(cmd, d)
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
	if d.markdown && !a.JSON {
		var text []byte
		for _, c := range list {
			text = changeset.AppendMarkdown(text, c, d.Verbose)
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
			changeset.PrintComparison(a.App, c, d.Verbose)
		}
	})
}

// diffVersions compares two versions of a Theme or Variant, or one with the draft.
func (a *app) diffVersions(cmd *cobra.Command, d diffFlags) ([]changeset.Comparison, error) {
	c, f, err := a.Resolve(cmd, d.Target)
	if err != nil {
		return nil, err
	}
	made, err := diffEditions(cmd.Context(), c, f, d.CompareOptions)
	if err != nil {
		return nil, release.NoVersion(err, f, d.From, d.To)
	}
	if made.What = "Theme " + f.Theme.Slug; f.Variant != nil {
		made.What += ", Variant " + f.Variant.Slug
	}
	if made.Changes == nil {
		made.Changes = []changeset.Change{}
	}
	return []changeset.Comparison{made}, nil
}

// diffEditions asks the origin, and reads the values beside.
func diffEditions(ctx context.Context, c *client.Client, f target.Resolved, o client.CompareOptions) (changeset.Comparison, error) {
	var said client.Comparison
	var err error
	if f.Variant != nil {
		said, err = c.CompareVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, o)
	} else {
		said, err = c.CompareTheme(ctx, f.Env.ID, f.Theme.ID, o)
	}
	if err != nil {
		return changeset.Comparison{}, err
	}
	made := changeset.Comparison{From: edition(said.From), To: edition(said.To), Breaking: said.Breaking, Properties: said.Properties}
	before, err := release.TokensAt(ctx, c, f, said.From)
	if err != nil {
		return made, err
	}
	after, err := release.TokensAt(ctx, c, f, said.To)
	if err != nil {
		return made, err
	}
	if made.Changes, err = changeset.FromOrigin(said, before, after); err != nil {
		return made, err
	}
	if f.Variant != nil {
		for i := range made.Changes {
			made.Changes[i].Breaking = false // an override has no custom property of its own
		}
		return made, nil
	}
	old, err := tokentree.Tree(before)
	if err != nil {
		return made, err
	}
	young, err := tokentree.Tree(after)
	if err != nil || len(made.Changes) == 0 {
		return made, err
	}
	resolveValues(made.Changes, old, young)
	made.Notes, err = modeNotes(ctx, c, f, old, young)
	if n := inferred(said.Renamed); n > 0 && o.From == 0 && said.To == nil {
		made.Notes = append(made.Notes, term.Plural(n, "rename")+" inferred from equal content. livery publish follows moves alone: it removes the "+
			"old tokens with their overrides, and adds the new ones")
	}
	return made, err
}

func inferred(list []client.Rename) (n int) {
	for _, r := range list {
		if r.Inferred {
			n++
		}
	}
	return n
}

// resolveValues adds the primitives that the values of changes become.
func resolveValues(list []changeset.Change, old, young *jsontree.Node) {
	shownBefore, shownAfter := changeset.ShownValues(dtcg.Read(old)), changeset.ShownValues(dtcg.Read(young))
	for i := range list {
		at := list[i].Path
		if list[i].From != "" {
			at = list[i].From
		}
		list[i].ShownBefore, list[i].ShownAfter = shownBefore[at], shownAfter[list[i].Path]
	}
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
