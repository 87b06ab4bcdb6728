package tokens

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/intake/references"
	"example.com/livery/renderer/jsontree"
)

// checkFlags are the flags of check.
type checkFlags struct {
	target.Target
	source.Flags
	format string
}

const checkText = `Lists tokens that no served file would have and custom properties that collide, each with its file, its line and what to do.
Checks files, or those of livery.yaml, without a server; with --theme as a push would lay them over that Theme. With --theme and no files,
checks the current document of a Theme. The exit code is 1 if there is a fault.`

func (a *app) checkCommand() *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:     "check [FILE...]",
		Short:   "List what the served files would leave out, its file and line, and what to do",
		Long:    checkText,
		Example: "  livery check tokens.json\n  livery check --env sandbox --theme acme --variant dark",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), c, args) },
	}
	formatFlag(cmd, &c.format, "markdown for a comment on a pull request, or github for workflow commands that show each fault beside its line")
	c.Flags.Add(cmd)
	return a.JSONFlag(target.MaybeOfVariant(cmd, &c.Target))
}

func (a *app) check(ctx context.Context, c checkFlags, files []string) (err error) {
	if err := a.checkFormat(c.format, "markdown", "github"); err != nil {
		return err
	}
	var list []source.Fault
	what := "the files"
	if len(files) == 0 && c.Theme != "" {
		what = "Theme " + c.Theme
		list, err = a.checkTheme(ctx, c)
	} else {
		list, err = a.checkFiles(ctx, c, files)
	}
	switch {
	case err != nil:
		return err
	case a.JSON:
		err = a.Show(list, nil)
	case c.format == "markdown":
		_, err = a.Out.Write(source.AppendMarkdown(nil, list))
	case c.format == "github":
		_, err = a.Out.Write(source.AppendAnnotations(nil, list))
	default:
		source.PrintFaults(a.App, list)
	}
	if err != nil || len(list) == 0 {
		return err
	}
	return term.Fail("Fix them and try again.", "%s of %s", term.Plural(len(list), "fault"), what)
}

// checkTheme checks what is stored of a Theme or Variant. Of a Theme it also lists the references, which nothing applies once they are stored.
func (a *app) checkTheme(ctx context.Context, c checkFlags) ([]source.Fault, error) {
	api, f, err := a.ResolveIn(ctx, c.Target)
	if err != nil {
		return nil, err
	}
	document, err := changeset.DocumentAt(ctx, api, f.Theme, 0)
	if err != nil {
		return nil, err
	}
	var overrides *jsontree.Node
	faults := []source.Fault{}
	if f.Variant != nil {
		_, overrides, err = changeset.CurrentOverrides(ctx, api, f.Theme, f.Variant.ID)
	} else {
		for _, r := range references.Unapplied(document) {
			faults = append(faults, source.Fault{Diagnostic: client.Diagnostic{Path: r.Path, Kind: references.NotApplied, Message: r.Message + "."}, Next: r.Next})
		}
	}
	told := pathsOf(faults)
	for _, fault := range source.Faults(document, overrides, func(string) string { return "" }) {
		if !told[fault.Path] {
			faults = append(faults, fault)
		}
	}
	return faults, err
}

func pathsOf(list []source.Fault) map[string]bool {
	paths := map[string]bool{}
	for _, f := range list {
		paths[f.Path] = true
	}
	return paths
}

// checkFiles checks what files make of a Theme and of its Variants. Files that are named are laid over the Theme that is named, if one is,
// or over its tokens as overrides of a Variant.
func (a *app) checkFiles(ctx context.Context, c checkFlags, files []string) ([]source.Fault, error) {
	s, err := source.Read(a.App, files, c.Flags)
	if err != nil {
		return nil, err
	}
	s.Print(a.App, true)
	var stored *jsontree.Node
	document, variant := s.Theme.Tree, ""
	if !s.Mapped && c.Theme != "" {
		api, f, err := a.ResolveIn(ctx, target.Target{Env: c.Env, Theme: c.Theme})
		if err != nil {
			return nil, err
		}
		if stored, err = changeset.DocumentAt(ctx, api, f.Theme, 0); err != nil {
			return nil, err
		}
		if document, variant = stored, c.Variant; variant == "" {
			document = changeset.Join(stored, s.Theme.Tree)
		}
	}
	parts, err := s.Parts(variant)
	if err != nil {
		return nil, err
	}
	list := []source.Fault{}
	refuse := func(dropped []source.Dropped, next string) {
		for _, d := range dropped {
			location := cmp.Or(d.Location, s.ThemeLocation(d.Fault), s.ThemeLocation(d.Path))
			list = append(list, source.Fault{Diagnostic: client.Diagnostic{Path: d.Path, Kind: "refused", Message: d.Reason}, Location: location, Next: next})
		}
	}
	refuse(s.Lost(), "")
	document, out := source.DropInvalid(document, stored)
	refuse(out, "The origin refuses this; a push leaves it out.")
	told := pathsOf(list) // what is left out has no part in it
	add := func(f source.Fault) {
		if !told[f.Path] {
			list = append(list, f)
		}
	}
	ofTheme := source.Faults(document, nil, s.ThemeLocation)
	for _, f := range ofTheme {
		add(f)
	}
	for _, part := range parts {
		if part.Variant == nil {
			continue
		}
		locate := func(path string) string { return cmp.Or(part.Locate(path), s.ThemeLocation(path)) }
		for _, f := range source.Faults(document, part.Tree, locate) {
			if !slices.ContainsFunc(ofTheme, func(known source.Fault) bool { return known.Diagnostic == f.Diagnostic }) {
				f.Message = "in Variant " + part.Slug + ": " + f.Message
				add(f)
			}
		}
	}
	return list, nil
}
