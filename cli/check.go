package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/client"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// checkFlags are the flags of check.
type checkFlags struct {
	place
	replace   bool
	full      bool
	markdown  bool
	github    bool
	overrides []string
	sets      []string
	mode      string
}

const checkText = `Lists tokens that cannot be rendered or whose custom properties collide, each with the file and line
that it came from and what to do. The exit code is 1 where there are any.

Without files it judges the current document of a Theme, draft included. With files it judges them
alone, on this machine and without a server; with --theme as a push would lay them over that Theme, or
over its --variant. --overrides lays a Variant's own file over files that are judged alone.`

func (a *app) checkCommand() *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:     "check [FILE...]",
		Short:   "List what the served files leave out, where it stands, and what to do",
		Long:    checkText,
		Example: "  livery check acme.tokens.json --overrides dark.json\n  livery check --env sandbox --theme acme --variant dark",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.check(cmd, c, args) },
	}
	cmd.Flags().StringArrayVar(&c.overrides, "overrides", nil, "`FILE` of a Variant to lay over the files; may be repeated")
	cmd.Flags().BoolVar(&c.replace, "replace", false, "with files and --theme: as push --replace, which removes what they lack")
	cmd.Flags().BoolVar(&c.full, "full", false, "show every fault by itself (default: a terminal shows equal ones once, with the first places)")
	cmd.Flags().BoolVar(&c.markdown, "markdown", false, "print Markdown, for a comment on a pull request; nothing if everything is rendered")
	cmd.Flags().BoolVar(&c.github, "github-annotations", false, "print workflow commands of GitHub, which show each fault beside its line")
	sourceFlags(cmd, &c.sets, &c.mode)
	return a.printing(maybeOfVariant(cmd, &c.place))
}

// fault is one thing that the served files leave out.
type fault struct {
	client.Diagnostic
	Where string `json:"where,omitempty"` // file and line; empty where it comes from no file
	Next  string `json:"next"`            // what to do
}

// refusedKind is the kind of a fault that the origin would refuse.
const refusedKind = "refused"

func (a *app) check(cmd *cobra.Command, c checkFlags, files []string) error {
	judge := a.checkFiles
	what := "the files"
	switch {
	case len(files) > 0 && c.theme != "":
		judge, what = a.checkPush, "the files over Theme "+c.theme
	case len(files) == 0:
		if err := onlyForFiles(cmd); err != nil {
			return err
		}
		if err := needTheme(cmd, c.place); err != nil {
			return err
		}
		judge, what = a.checkTheme, "Theme "+c.theme
	}
	list, err := judge(cmd.Context(), c, files)
	if err != nil {
		return err
	}
	if err := a.showFaults(c, list); err != nil || len(list) == 0 {
		return err
	}
	return fail("Mend them and try again.", "%s of %s", plural(len(list), "fault"), what)
}

// showFaults prints the faults in the form that the flags ask for.
func (a *app) showFaults(c checkFlags, list []fault) (err error) {
	switch {
	case a.json:
		err = a.show(list, nil)
	case c.markdown:
		_, err = a.out.Write(appendFaults(nil, list))
	case c.github:
		_, err = a.out.Write(appendAnnotations(nil, list))
	default:
		a.printFaults(list, c.full)
	}
	return err
}

// checkTheme asks the origin about what stands there.
func (a *app) checkTheme(ctx context.Context, c checkFlags, _ []string) ([]fault, error) {
	api, f, err := a.findIn(ctx, c.place)
	if err != nil {
		return nil, err
	}
	var list []client.Diagnostic
	if f.variant != nil {
		list, err = api.VariantDiagnostics(ctx, f.env.ID, f.theme.ID, f.variant.ID)
	} else {
		list, err = api.ThemeDiagnostics(ctx, f.env.ID, f.theme.ID)
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	if len(list) > 0 {
		set, err := api.ThemeTokens(ctx, f.env.ID, f.theme.ID, client.ReadOptions{})
		if err != nil {
			return nil, err
		}
		for _, t := range set.Tokens {
			paths = append(paths, t.Path)
		}
	}
	faults := make([]fault, len(list))
	for i, d := range list {
		faults[i] = fault{Diagnostic: d}
	}
	advise(faults, paths)
	return faults, nil
}

// checkFiles judges files alone.
func (a *app) checkFiles(_ context.Context, c checkFlags, files []string) ([]fault, error) {
	o := tokenfile.Options{Sets: c.sets, Mode: c.mode}
	theme, overrides, err := a.themeAndOverrides(files, c.overrides, o)
	if err != nil {
		return nil, err
	}
	a.printSources(theme)
	return judgeSources(theme.tree, theme, overrides), nil
}

// checkPush judges files as a push would lay them over what stands at the origin.
func (a *app) checkPush(ctx context.Context, c checkFlags, files []string) ([]fault, error) {
	api, f, err := a.findIn(ctx, c.place)
	if err != nil {
		return nil, err
	}
	_, document, err := currentDocument(ctx, api, f.theme)
	if err != nil {
		return nil, err
	}
	o := tokenfile.Options{Sets: c.sets, Mode: c.mode}
	if f.variant == nil {
		theme, err := a.themeSource(files, o)
		if err != nil {
			return nil, err
		}
		a.printSources(theme)
		if !c.replace {
			document = joinGroups(document, theme.tree)
		} else {
			document = theme.tree
		}
		return judgeSources(document, theme, nil), nil
	}
	set, err := api.VariantTokens(ctx, f.env.ID, f.theme.ID, f.variant.ID, client.ReadOptions{})
	if err != nil {
		return nil, err
	}
	stored, err := flatMap(set)
	if err != nil {
		return nil, err
	}
	overrides, err := a.variantSource(files, o)
	if err != nil {
		return nil, err
	}
	a.printSources(overrides)
	if !c.replace {
		overrides.tree = joinFlat(stored, overrides.tree)
	}
	return judgeSources(document, nil, overrides), nil
}

// judgeSources lists the faults of a document with overrides; theme and overrides know the lines, and may
// be nil.
func judgeSources(document *jsontree.Node, theme, overrides *sources) []fault {
	list := []fault{}
	for _, s := range []*sources{theme, overrides} {
		if s == nil {
			continue
		}
		for _, f := range s.faults {
			list = append(list, fault{Diagnostic: client.Diagnostic{Path: f.Path, Kind: refusedKind, Message: f.Reason}})
		}
	}
	for _, f := range dtcg.Check(document) {
		p, _ := jsontree.ParsePointer(f.Pointer)
		d := client.Diagnostic{Path: strings.Join(p, "."), Kind: refusedKind, Message: f.Message}
		next := "The origin refuses this; push --skip-refused leaves it out."
		if near := nearestType(f.Message); near != "" {
			next = "Did you mean " + near + "? " + next
		}
		list = append(list, fault{Diagnostic: d, Where: theme.where(f.Pointer), Next: next})
	}
	var laid *jsontree.Node
	if overrides != nil {
		laid = overrides.tree
	}
	refused := list
	for _, d := range renderer.LoadTree(document, laid, "").Diagnostics() {
		if isRefused(refused, d.Path) {
			continue // that says it already
		}
		said := client.Diagnostic{Path: d.Path, Kind: d.Kind, Message: d.Message}
		where := ""
		if overrides != nil && overrides.tree.Find(d.Path) != nil {
			where = overrides.whereToken(d.Path)
		} else {
			where = theme.whereToken(d.Path)
		}
		list = append(list, fault{Diagnostic: said, Where: where})
	}
	advise(list, tokenPaths(document))
	return list
}

// isRefused reports whether one of the faults is about a token, or a part of it.
func isRefused(list []fault, path string) bool {
	return slices.ContainsFunc(list, func(f fault) bool { return f.Path == path || strings.HasPrefix(f.Path, path+".$") })
}

func tokenPaths(document *jsontree.Node) []string {
	d := dtcg.Read(document)
	paths := make([]string, len(d.Tokens))
	for i := range d.Tokens {
		paths[i] = d.Tokens[i].Path
	}
	return paths
}
