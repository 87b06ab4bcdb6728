package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	place
	client.CompareOptions
	failOnBreaking, markdown, full, replace bool
	sets                                    []string
	mode                                    string
}

const diffText = `Lists removed, renamed, retyped, changed and added tokens with their values, what can break a consumer
of a custom property first. By default it goes from the newest version to the draft.

With files it tells what a push of them would change, and sends nothing: from the current document, or
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
	f.BoolVar(&d.failOnBreaking, "fail-on-breaking", false, "end with exit code 1 where the change can break a consumer")
	f.BoolVar(&d.markdown, "markdown", false, "print Markdown, for a comment on a pull request")
	f.BoolVar(&d.full, "full", false, "show every change, not only the first 20")
	f.BoolVar(&d.replace, "replace", false, "with files: as push --replace, which removes what they lack")
	sourceFlags(cmd, &d.sets, &d.mode)
	return a.printing(ofVariant(cmd, &d.place))
}

// comparison is what diff tells.
type comparison struct {
	What     string   `json:"what"` // a Theme or Variant, for a title
	From     string   `json:"from"` // edition, in words
	To       string   `json:"to"`
	Changes  []change `json:"changes"`
	Breaking bool     `json:"breaking"`
	notes    []string
}

func (a *app) diff(cmd *cobra.Command, d diffFlags, files []string) error {
	if len(files) > 0 && d.To != 0 {
		return wrongUsage("Leave --to out.", "a comparison with files ends with the files")
	}
	if len(files) == 0 {
		if err := onlyForFiles(cmd); err != nil {
			return err
		}
	}
	c, f, err := a.find(cmd, d.place)
	if err != nil {
		return err
	}
	var made comparison
	if len(files) > 0 {
		made, err = a.diffFiles(cmd.Context(), c, f, d, files)
	} else {
		made, err = diffEditions(cmd.Context(), c, f, d.CompareOptions)
	}
	if err != nil {
		return noVersion(err, f, d.From, d.To)
	}
	if made.What = "Theme " + f.theme.Slug; f.variant != nil {
		made.What += ", Variant " + f.variant.Slug
	}
	if made.Changes == nil {
		made.Changes = []change{}
	}
	if d.markdown && !a.json {
		_, err = a.out.Write(appendComparison(nil, made, d.full))
	} else {
		err = a.show(made, func() { a.printComparison(made, d.full) })
	}
	if err != nil {
		return err
	}
	if d.failOnBreaking && made.Breaking {
		return fail("Keep the old names beside the new ones, or tell the consumers.", "the change can break a consumer")
	}
	return nil
}

// diffEditions asks the origin, and reads the values beside.
func diffEditions(ctx context.Context, c *client.Client, f found, o client.CompareOptions) (comparison, error) {
	var said client.Comparison
	var err error
	if f.variant != nil {
		said, err = c.CompareVariant(ctx, f.env.ID, f.theme.ID, f.variant.ID, o)
	} else {
		said, err = c.CompareTheme(ctx, f.env.ID, f.theme.ID, o)
	}
	if err != nil {
		return comparison{}, err
	}
	made := comparison{From: edition(said.From), To: edition(said.To), Breaking: said.Breaking}
	before, err := tokensAt(ctx, c, f, said.From)
	if err != nil {
		return made, err
	}
	after, err := tokensAt(ctx, c, f, said.To)
	if err != nil {
		return made, err
	}
	if made.Changes, err = comparedByOrigin(said, before, after); err != nil {
		return made, err
	}
	if f.variant != nil {
		for i := range made.Changes {
			made.Changes[i].Breaking = false // an override has no custom property of its own
		}
		return made, nil
	}
	return made, resolveValues(made.Changes, before, after)
}

// resolveValues adds the primitives that the values of changes become.
func resolveValues(list []change, before, after client.TokenSet) error {
	old, err := tree(before)
	if err != nil {
		return err
	}
	young, err := tree(after)
	if err != nil || len(list) == 0 {
		return err
	}
	shownBefore, shownAfter := shownValues(dtcg.Read(old)), shownValues(dtcg.Read(young))
	for i := range list {
		at := list[i].Path
		if list[i].From != "" {
			at = list[i].From
		}
		list[i].shownBefore, list[i].shownAfter = shownBefore[at], shownAfter[list[i].Path]
	}
	return nil
}

// tokensAt reads an edition: nil is the current document, 0 is what is before the first version.
func tokensAt(ctx context.Context, c *client.Client, f found, version *int) (client.TokenSet, error) {
	var o client.ReadOptions
	if version != nil {
		o.Version = *version
	}
	switch {
	case version != nil && *version == 0:
		return client.TokenSet{}, nil
	case f.variant != nil:
		return c.VariantTokens(ctx, f.env.ID, f.theme.ID, f.variant.ID, o)
	}
	return c.ThemeTokens(ctx, f.env.ID, f.theme.ID, o)
}

// diffFiles tells what a push of files would change.
func (a *app) diffFiles(ctx context.Context, c *client.Client, f found, d diffFlags, files []string) (comparison, error) {
	made := comparison{From: edition(nil), To: "the files"}
	read := a.themeSource
	if f.variant != nil {
		read = a.variantSource
	}
	wanted, err := read(files, tokenfile.Options{Sets: d.sets, Mode: d.mode})
	if err != nil {
		return made, err
	}
	a.printSources(wanted)
	base, err := a.pulled(ctx, c, f, d.From)
	if err != nil {
		return made, err
	}
	if d.From != 0 {
		made.From = edition(&d.From)
	}
	made.Changes = d.changes(f, base, wanted.tree)
	for _, c := range made.Changes {
		made.Breaking = made.Breaking || c.Breaking
	}
	for _, fault := range wanted.faults {
		made.notes = append(made.notes, "no token can be made of "+fault.Path+": "+fault.Reason)
	}
	return made, nil
}

func (d diffFlags) changes(f found, base, wanted *jsontree.Node) []change {
	switch {
	case f.variant != nil && d.replace:
		return compareOverrides(base, wanted)
	case f.variant != nil:
		return compareOverrides(base, joinFlat(base, wanted))
	case !d.replace:
		wanted = joinGroups(base, wanted)
	}
	return compareDocuments(base, wanted, tokendiff.Renames(dtcg.Read(base), dtcg.Read(wanted)))
}

func (a *app) printComparison(c comparison, full bool) {
	a.say("From %s to %s:", c.From, c.To)
	a.printChanges(c.Changes, full)
	for _, note := range c.notes {
		a.say("Mind: %s", escape.Line(note))
	}
	switch {
	case c.Breaking:
		a.say("This can break a consumer of a custom property.")
	case len(c.Changes) == 0:
		a.say("  nothing changed")
	default:
		a.say("No custom property is lost.")
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
