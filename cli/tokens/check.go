package tokens

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/references"
	"example.com/livery/cli/tokens/lint"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// checkFlags are the flags of check.
type checkFlags struct {
	target.Target
	replace   bool
	full      bool
	verbose   bool
	markdown  bool
	github    bool
	overrides []string
	source.FileFlags
}

const checkText = `Lists tokens that cannot be rendered or whose custom properties collide, each with the file and line
that it came from and what to do. The exit code is 1 if there are any.

Without files it checks the current document of a Theme, draft included. With files it checks them
alone, on this machine and without a server; with --theme as a push would merge them into that Theme, or
into its --variant. --overrides lays a Variant's own file over files that are checked alone.`

func (a *app) checkCommand() *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:     "check [FILE...]",
		Short:   "List what the served files leave out, its file and line, and what to do",
		Long:    checkText,
		Example: "  livery check acme.tokens.json --overrides dark.json\n  livery check --env sandbox --theme acme --variant dark",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.check(cmd, c, args) },
	}
	cmd.Flags().StringArrayVar(&c.overrides, "overrides", nil, "`FILE` of a Variant to lay over the files; may be repeated")
	cmd.Flags().BoolVar(&c.replace, "replace", false, "with files and --theme: as push --replace, which removes what they do not have")
	cmd.Flags().BoolVar(&c.full, "full", false, "list every fault separately (default: on a terminal equal faults are listed once, with their first places)")
	cmd.Flags().BoolVar(&c.verbose, "verbose", false, "list all that is read otherwise than written, not only ten lines")
	cmd.Flags().BoolVar(&c.markdown, "markdown", false, "print Markdown, for a comment on a pull request; nothing if everything is rendered")
	cmd.Flags().BoolVar(&c.github, "github-annotations", false, "print workflow commands of GitHub, which show each fault beside its line")
	c.FileFlags.Add(cmd)
	return a.JSONFlag(target.MaybeOfVariant(cmd, &c.Target))
}

// refusedKind is the kind of a fault that the origin would refuse, and refusedNext what to know of it.
const (
	refusedKind = "refused"
	refusedNext = "The origin refuses this; a push leaves it out."
)

func (a *app) check(cmd *cobra.Command, c checkFlags, files []string) error {
	check := a.checkFiles
	what := "the files"
	switch {
	case len(files) > 0 && c.Theme != "":
		check, what = a.checkPush, "the files over Theme "+c.Theme
	case len(files) == 0:
		if err := source.OnlyForFiles(cmd); err != nil {
			return err
		}
		if err := target.NeedTheme(cmd, c.Target); err != nil {
			return err
		}
		check, what = a.checkTheme, "Theme "+c.Theme
	}
	list, read, err := check(cmd.Context(), c, files)
	if err != nil {
		return err
	}
	if err := a.showFaults(c, list, read); err != nil || len(list) == 0 {
		return err
	}
	return term.Fail("Fix them and try again.", "%s of %s", term.Plural(len(list), "fault"), what)
}

// showFaults prints the faults in the form that the flags ask for. read is what the files say; nil if none were read.
func (a *app) showFaults(c checkFlags, list []lint.Fault, read *source.Sources) (err error) {
	switch {
	case a.JSON:
		err = a.Show(list, nil)
	case c.markdown:
		_, err = a.Out.Write(lint.AppendMarkdown(nil, list))
	case c.github:
		_, err = a.Out.Write(lint.AppendAnnotations(nil, list))
	default:
		lint.Print(a.App, list, c.full, read.LeavesOut())
	}
	return err
}

// checkTheme asks the origin about what stands there.
func (a *app) checkTheme(ctx context.Context, c checkFlags, _ []string) ([]lint.Fault, *source.Sources, error) {
	api, f, err := a.ResolveIn(ctx, c.Target)
	if err != nil {
		return nil, nil, err
	}
	var list []client.Diagnostic
	if f.Variant != nil {
		list, err = api.VariantDiagnostics(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID)
	} else {
		list, err = api.ThemeDiagnostics(ctx, f.Env.ID, f.Theme.ID)
	}
	if err != nil {
		return nil, nil, err
	}
	var paths []string
	if len(list) > 0 {
		set, err := api.ThemeTokens(ctx, f.Env.ID, f.Theme.ID, client.ReadOptions{})
		if err != nil {
			return nil, nil, err
		}
		for _, t := range set.Tokens {
			paths = append(paths, t.Path)
		}
	}
	faults := []lint.Fault{}
	if f.Variant == nil {
		_, document, err := tokentree.CurrentDocument(ctx, api, f.Theme)
		if err != nil {
			return nil, nil, err
		}
		faults = storedReferences(document, nil)
	}
	said := faults
	for _, d := range list {
		if !isRefused(said, d.Path) {
			faults = append(faults, lint.Fault{Diagnostic: d})
		}
	}
	advise(faults, paths)
	return faults, nil, nil
}

// checkFiles checks files alone, and returns what they say.
func (a *app) checkFiles(_ context.Context, c checkFlags, files []string) ([]lint.Fault, *source.Sources, error) {
	o := c.Options()
	theme, overrides, err := source.ThemeAndOverrides(a.App, files, c.overrides, o)
	if err != nil {
		return nil, nil, err
	}
	source.Print(a.App, c.verbose, theme)
	return faultsOf(theme.Tree, nil, theme, overrides), theme, nil
}

// checkPush checks files as a push would lay them over what stands at the origin, and returns what they say.
func (a *app) checkPush(ctx context.Context, c checkFlags, files []string) ([]lint.Fault, *source.Sources, error) {
	api, f, err := a.ResolveIn(ctx, c.Target)
	if err != nil {
		return nil, nil, err
	}
	_, document, err := tokentree.CurrentDocument(ctx, api, f.Theme)
	if err != nil {
		return nil, nil, err
	}
	o := c.Options()
	if f.Variant == nil {
		theme, err := source.Theme(a.App, files, o)
		if err != nil {
			return nil, nil, err
		}
		source.Print(a.App, c.verbose, theme)
		wanted := theme.Tree
		if !c.replace {
			wanted = tokentree.JoinGroups(document, theme.Tree)
		}
		return faultsOf(wanted, document, theme, nil), theme, nil
	}
	set, err := api.VariantTokens(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, client.ReadOptions{})
	if err != nil {
		return nil, nil, err
	}
	stored, err := tokentree.FlatMap(set)
	if err != nil {
		return nil, nil, err
	}
	overrides, err := source.Variant(a.App, files, o)
	if err != nil {
		return nil, nil, err
	}
	source.Print(a.App, c.verbose, overrides)
	if !c.replace {
		overrides.Tree = tokentree.JoinFlat(stored, overrides.Tree)
	}
	return faultsOf(document, document, nil, overrides), overrides, nil
}

// faultsOf lists the faults of a document with overrides. stored is the document at the origin; it, and theme and
// overrides, which know the lines, may be nil.
func faultsOf(document, stored *jsontree.Node, theme, overrides *source.Sources) []lint.Fault {
	list := []lint.Fault{}
	for _, s := range []*source.Sources{theme, overrides} {
		if s == nil {
			continue
		}
		for _, u := range s.Unapplied {
			d := client.Diagnostic{Path: u.Path, Kind: u.Kind, Message: u.Message + "."}
			list = append(list, lint.Fault{Diagnostic: d, Location: u.Location, Next: u.Next})
		}
		for _, f := range slices.Concat(s.Unread, s.Faults) {
			if f.Kind != "" {
				continue // a reference, which stands in the list already
			}
			where, reason := f.Place()
			list = append(list, lint.Fault{Diagnostic: client.Diagnostic{Path: f.Path, Kind: refusedKind, Message: reason}, Location: where})
		}
	}
	list = append(list, storedReferences(document, list)...)
	for _, f := range validate.Check(document) {
		p, _ := jsontree.ParsePointer(f.Pointer)
		d := client.Diagnostic{Path: strings.Join(p, "."), Kind: refusedKind, Message: validate.WithHint(f.Message, document.Lookup(p))}
		next := refusedNext
		if near := validate.NearestType(f.Message); near != "" {
			next = "Did you mean " + near + "? " + next
		}
		list = append(list, lint.Fault{Diagnostic: d, Location: theme.Location(f.Pointer), Next: next})
	}
	if overrides != nil {
		_, invalid := validate.DropInvalidOverrides(overrides.Tree)
		for _, o := range invalid {
			d := client.Diagnostic{Path: o.Path, Kind: refusedKind, Message: o.Reason}
			list = append(list, lint.Fault{Diagnostic: d, Location: overrides.TokenLocation(o.Path), Next: refusedNext})
		}
	}
	valid, _ := validate.DropInvalid(document, stored)
	said := list
	for _, f := range diagnosed(valid, theme, overrides) { // what is left out has no part in it
		if !isRefused(said, f.Path) {
			list = append(list, f)
		}
	}
	advise(list, tokentree.Paths(document))
	return list
}

// diagnosed lists what the served files of a document with overrides would leave out. A fault that the document has
// without the overrides too is one of its own files.
func diagnosed(document *jsontree.Node, theme, overrides *source.Sources) (list []lint.Fault) {
	var laid *jsontree.Node
	if overrides != nil {
		laid = overrides.Tree
	}
	read, alone := dtcg.Read(document), renderer.LoadTree(document, nil, "").Diagnostics()
	for _, d := range renderer.LoadTree(document, laid, "").Diagnostics() {
		of, value := theme, laid.Find(d.Path)
		if value != nil && !slices.Contains(alone, d) {
			of = overrides
		} else if t := read.Token(d.Path); t != nil {
			value = t.Value
		}
		fault := lint.Fault{Diagnostic: client.Diagnostic{Path: d.Path, Kind: d.Kind, Message: validate.Message(d, document)}, Location: of.TokenLocation(d.Path)}
		if d.Kind == dtcg.AliasMissing {
			fault.Message = validate.WithPlaceholder(d, document)
		}
		if value != nil && (d.Kind == dtcg.ValueMisfit || d.Kind == dtcg.ValueUnsafe) {
			fault.Value = tokenfile.Spelled(value)
			if !value.IsString() {
				fault.Message = validate.WithHint(fault.Message, value)
			}
		}
		list = append(list, fault)
	}
	return list
}

// storedReferences lists the references of a document that are not in a list of its faults: they are stored, and
// nothing applies them.
func storedReferences(document *jsontree.Node, known []lint.Fault) (list []lint.Fault) {
	for _, f := range references.Unapplied(document) {
		if !slices.ContainsFunc(known, func(k lint.Fault) bool { return k.Kind == f.Kind && k.Path == f.Path }) {
			d := client.Diagnostic{Path: f.Path, Kind: f.Kind, Message: f.Message + "."}
			list = append(list, lint.Fault{Diagnostic: d, Next: f.Next})
		}
	}
	return list
}

// isRefused reports whether one of the faults is about a token, or a part of it.
func isRefused(list []lint.Fault, path string) bool {
	return slices.ContainsFunc(list, func(f lint.Fault) bool { return f.Path == path || strings.HasPrefix(f.Path, path+".$") })
}
