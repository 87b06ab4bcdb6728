package tokens

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
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

const diffText = `Lists removed, renamed, retyped, changed and added tokens with their values, and the custom properties
that change by them, what can break a page first. By default it goes from the newest version to the draft.

With files it shows what a push of them would change, and sends nothing: from the current document, or
from the version that --from names. --markdown writes it for a comment on a pull request.`

func (a *app) diffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff [FILE...]",
		Short: "Show what changed between two versions, since the newest, or by a push of files",
		Long:  diffText,
		Example: "  livery diff --env sandbox --theme acme --from 3 --to 5\n" +
			"  livery diff acme.tokens.json --env production --theme acme --replace --markdown",
		RunE: func(cmd *cobra.Command, args []string) error { return a.diff(cmd, d, args) },
	}
	f := cmd.Flags()
	f.IntVar(&d.From, "from", 0, "version `N` to compare from (default: the newest; with files the current document)")
	f.IntVar(&d.To, "to", 0, "version `N` to compare to (default: the current document)")
	f.BoolVar(&d.failOnBreaking, "fail-on-breaking", false, "end with exit code 1 if the change can break a consumer")
	f.BoolVar(&d.markdown, "markdown", false, "print Markdown, for a comment on a pull request")
	f.BoolVar(&d.replace, "replace", false, "with files: as push --replace, which removes what they do not have")
	d.Flags.Add(cmd)
	return a.JSONFlag(target.OfVariant(cmd, &d.Target))
}

func (a *app) diff(cmd *cobra.Command, d diffFlags, files []string) error {
	if len(files) > 0 && d.To != 0 {
		return term.UsageError("Leave --to out.", "a comparison with files ends with the files")
	}
	c, f, err := a.Resolve(cmd, d.Target)
	if err != nil {
		return err
	}
	var made changeset.Comparison
	if len(files) > 0 {
		made, err = a.diffFiles(cmd.Context(), c, f, d, files)
	} else {
		made, err = diffEditions(cmd.Context(), c, f, d.CompareOptions)
	}
	if err != nil {
		return release.NoVersion(err, f, d.From, d.To)
	}
	if made.What = "Theme " + f.Theme.Slug; f.Variant != nil {
		made.What += ", Variant " + f.Variant.Slug
	}
	if made.Changes == nil {
		made.Changes = []changeset.Change{}
	}
	if d.markdown && !a.JSON {
		_, err = a.Out.Write(changeset.AppendMarkdown(nil, made, d.Verbose))
	} else {
		err = a.Show(made, func() { changeset.PrintComparison(a.App, made, d.Verbose) })
	}
	if err != nil {
		return err
	}
	if d.failOnBreaking && made.Breaking {
		return term.Fail("Keep the old names beside the new ones, or inform the consumers.", "the change can break a consumer")
	}
	return nil
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

// diffFiles tells what a push of files would change.
func (a *app) diffFiles(ctx context.Context, c *client.Client, f target.Resolved, d diffFlags, files []string) (changeset.Comparison, error) {
	made := changeset.Comparison{From: edition(nil), To: "the files"}
	read, err := source.Read(a.App, files, d.Flags)
	if err != nil {
		return made, err
	}
	read.Print(a.App, d.Verbose)
	wanted := read.Theme.Tree
	if f.Variant != nil {
		wanted = source.Values(wanted)
	}
	base, err := a.pulled(ctx, c, f, d.From)
	if err != nil {
		return made, err
	}
	if d.From != 0 {
		made.From = edition(&d.From)
	}
	after := d.after(f, base, wanted)
	prefix := f.Theme.AssetSettings.Prefix
	if f.Variant != nil {
		theme, err := themeDocument(ctx, c, f)
		if err != nil {
			return made, err
		}
		made.Changes, made.Properties = changeset.Overrides(base, after), changeset.OverrideProperties(theme, base, after, prefix)
	} else {
		renamed := tokendiff.Renames(dtcg.Read(base), dtcg.Read(after))
		made.Changes, made.Properties = changeset.Documents(base, after, renamed), changeset.Properties(base, after, prefix, renamed)
		if made.Notes, err = modeNotes(ctx, c, f, base, after); err != nil {
			return made, err
		}
	}
	made.Breaking = len(made.Properties.Removed)+len(made.Properties.Taken) > 0
	for _, c := range made.Changes {
		made.Breaking = made.Breaking || c.Breaking
	}
	for _, lost := range read.Lost() {
		made.Notes = append(made.Notes, "no token can be made of "+lost.Path+": "+lost.Said())
	}
	return made, nil
}

// themeDocument returns the newest version of the Theme of a Variant, or before the first its draft.
func themeDocument(ctx context.Context, c *client.Client, f target.Resolved) (*jsontree.Node, error) {
	f.Variant = nil
	set, err := release.TokensAt(ctx, c, f, f.Theme.LatestVersion)
	if err != nil {
		return nil, err
	}
	return tokentree.Tree(set)
}

// after returns what stands at f after a push of the files.
func (d diffFlags) after(f target.Resolved, base, wanted *jsontree.Node) *jsontree.Node {
	switch {
	case d.replace:
		return wanted
	case f.Variant != nil:
		return tokentree.JoinFlat(base, wanted)
	}
	return tokentree.JoinGroups(base, wanted)
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
