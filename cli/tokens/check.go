package tokens

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/lint"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/intake"
	"example.com/livery/intake/references"
	"example.com/livery/intake/value"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// checkFlags are the flags of check.
type checkFlags struct {
	target.Target
	source.Flags
	markdown bool
	github   bool
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
	cmd.Flags().BoolVar(&c.markdown, "markdown", false, "print Markdown, for a comment on a pull request; nothing if everything is rendered")
	cmd.Flags().BoolVar(&c.github, "github-annotations", false, "print workflow commands of GitHub, which show each fault beside its line")
	c.Flags.Add(cmd)
	return a.JSONFlag(target.MaybeOfVariant(cmd, &c.Target))
}

// refusedKind is the kind of a fault that the origin would refuse, and refusedNext what to know of it.
const (
	refusedKind = "refused"
	refusedNext = "The origin refuses this; a push leaves it out."
)

func (a *app) check(ctx context.Context, c checkFlags, files []string) (err error) {
	var list []lint.Fault
	what := "the files"
	if len(files) == 0 && c.Theme != "" {
		what = "Theme " + c.Theme
		list, err = a.checkTheme(ctx, c)
	} else {
		list, err = a.checkFiles(ctx, c, files)
	}
	if err == nil {
		err = a.showFaults(c, list)
	}
	if err != nil || len(list) == 0 {
		return err
	}
	return term.Fail("Fix them and try again.", "%s of %s", term.Plural(len(list), "fault"), what)
}

// showFaults prints the faults in the form that the flags ask for.
func (a *app) showFaults(c checkFlags, list []lint.Fault) (err error) {
	switch {
	case a.JSON:
		err = a.Show(list, nil)
	case c.markdown:
		_, err = a.Out.Write(lint.AppendMarkdown(nil, list))
	case c.github:
		_, err = a.Out.Write(lint.AppendAnnotations(nil, list))
	default:
		lint.Print(a.App, list, c.Verbose)
	}
	return err
}

// checkTheme asks the origin about what stands there.
func (a *app) checkTheme(ctx context.Context, c checkFlags) ([]lint.Fault, error) {
	api, f, err := a.ResolveIn(ctx, c.Target)
	if err != nil {
		return nil, err
	}
	_, document, err := tokentree.CurrentDocument(ctx, api, f.Theme)
	if err != nil {
		return nil, err
	}
	var list []client.Diagnostic
	faults := []lint.Fault{}
	if f.Variant != nil {
		list, err = api.VariantDiagnostics(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID)
	} else {
		faults = storedReferences(document)
		list, err = api.ThemeDiagnostics(ctx, f.Env.ID, f.Theme.ID)
	}
	if err != nil {
		return nil, err
	}
	said := faults
	for _, d := range list {
		if !isRefused(said, d.Path) {
			faults = append(faults, lint.Fault{Diagnostic: d})
		}
	}
	advise(faults, tokentree.Paths(document))
	return faults, nil
}

// checkFiles checks what files make of a Theme and of its Variants. Files that are named are laid over the Theme that is named, if one is,
// or over its tokens as overrides of a Variant.
func (a *app) checkFiles(ctx context.Context, c checkFlags, files []string) ([]lint.Fault, error) {
	s, err := source.Read(a.App, files, c.Flags)
	if err != nil {
		return nil, err
	}
	s.Print(a.App, c.Verbose)
	list := []lint.Fault{}
	for _, lost := range s.Lost() {
		d := client.Diagnostic{Path: lost.Path, Kind: refusedKind, Message: lost.Reason}
		list = append(list, lint.Fault{Diagnostic: d, Location: lost.Location})
	}
	document, variants := s.Theme.Tree, s.Variants
	if !s.Mapped && c.Theme != "" {
		stored, err := a.currentDocument(ctx, c.Target)
		if err != nil {
			return nil, err
		}
		if document = stored; c.Variant == "" {
			document = tokentree.JoinGroups(stored, s.Theme.Tree)
		} else {
			variants = []intake.Overrides{{Variant: intake.Variant{Slug: c.Variant}, Values: source.Values(s.Theme.Tree)}}
		}
	}
	for _, f := range validate.Check(document) {
		p, _ := jsontree.ParsePointer(f.Pointer)
		d := client.Diagnostic{Path: strings.Join(p, "."), Kind: refusedKind, Message: validate.WithHint(f.Message, document.Lookup(p))}
		next := refusedNext
		if near := validate.NearestType(f.Message); near != "" {
			next = "Did you mean " + near + "? " + next
		}
		list = append(list, lint.Fault{Diagnostic: d, Location: s.ThemeLocation(f.Pointer), Next: next})
	}
	valid, _ := validate.DropInvalid(document, nil)
	ofTheme := diagnosed(valid, nil, s.ThemeLocation)
	faults := ofTheme
	for _, v := range variants {
		locate := func(path string) string { return cmp.Or(v.Places[path].String(), s.ThemeLocation(path)) }
		for _, f := range diagnosed(valid, v.Values, locate) {
			if !slices.ContainsFunc(ofTheme, func(known lint.Fault) bool { return known.Diagnostic == f.Diagnostic }) {
				f.Message = "in Variant " + v.Slug + ": " + f.Message
				faults = append(faults, f)
			}
		}
	}
	said := list
	for _, f := range faults { // what is left out has no part in it
		if !isRefused(said, f.Path) {
			list = append(list, f)
		}
	}
	advise(list, tokentree.Paths(document))
	return list, nil
}

// currentDocument returns the document of a Theme, draft included.
func (a *app) currentDocument(ctx context.Context, t target.Target) (*jsontree.Node, error) {
	api, f, err := a.ResolveIn(ctx, target.Target{Env: t.Env, Theme: t.Theme})
	if err != nil {
		return nil, err
	}
	_, document, err := tokentree.CurrentDocument(ctx, api, f.Theme)
	return document, err
}

// diagnosed lists what the served files of a document with overrides, which may be nil, would leave out.
func diagnosed(document, overrides *jsontree.Node, locate func(path string) string) (list []lint.Fault) {
	read := dtcg.Read(document)
	for _, d := range renderer.LoadTree(document, overrides, "").Diagnostics() {
		v := overrides.Find(d.Path)
		if t := read.Token(d.Path); v == nil && t != nil {
			v = t.Value
		}
		fault := lint.Fault{Diagnostic: client.Diagnostic{Path: d.Path, Kind: d.Kind, Message: validate.Message(d, document)}, Location: locate(d.Path)}
		if d.Kind == dtcg.AliasMissing {
			fault.Message = validate.WithPlaceholder(d, document)
		}
		if v != nil && (d.Kind == dtcg.ValueMisfit || d.Kind == dtcg.ValueUnsafe) {
			fault.Value = value.Spell(v)
			if !v.IsString() {
				fault.Message = validate.WithHint(fault.Message, v)
			}
		}
		list = append(list, fault)
	}
	return list
}

// storedReferences lists the references of a stored document: nothing applies them.
func storedReferences(document *jsontree.Node) []lint.Fault {
	list := []lint.Fault{}
	for _, f := range references.Unapplied(document) {
		list = append(list, lint.Fault{Diagnostic: client.Diagnostic{Path: f.Path, Kind: references.NotApplied, Message: f.Message + "."}, Next: f.Next})
	}
	return list
}

// isRefused reports whether one of the faults is about a token, or a part of it.
func isRefused(list []lint.Fault, path string) bool {
	return slices.ContainsFunc(list, func(f lint.Fault) bool { return f.Path == path || strings.HasPrefix(f.Path, path+".$") })
}
