package cli

import (
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/client"
	"example.com/livery/renderer"
)

// ofVariant gives a command the flags --env, --theme and --variant.
func ofVariant(cmd *cobra.Command, p *place) *cobra.Command {
	cmd.Flags().StringVar(&p.variant, "variant", "", "`VARIANT`, slug or id (default: the Theme itself)")
	return ofTheme(cmd, p)
}

func (a *app) checkCommand() *cobra.Command {
	var p place
	return a.printing(ofVariant(&cobra.Command{
		Use:   "check",
		Short: "List what the served files of the current document leave out, and why",
		Long: "Lists tokens of the current document, draft included, that cannot be rendered or whose custom\n" +
			"properties collide. The exit code is 1 where there are any.",
		Example: "  livery check --env sandbox --theme acme --variant dark",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.check(cmd, p) },
	}, &p))
}

func (a *app) check(cmd *cobra.Command, p place) error {
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	var list []client.Diagnostic
	if f.variant != nil {
		list, err = c.VariantDiagnostics(cmd.Context(), f.env.ID, f.theme.ID, f.variant.ID)
	} else {
		list, err = c.ThemeDiagnostics(cmd.Context(), f.env.ID, f.theme.ID)
	}
	if err != nil {
		return err
	}
	err = a.show(list, func() {
		t := table{head: []string{"TOKEN", "KIND", "WHAT"}}
		for _, d := range list {
			t.add(d.Path, d.Kind, d.Message)
		}
		if len(list) > 0 {
			a.printTable(t)
		} else {
			a.say("Everything is rendered.")
		}
	})
	if err == nil && len(list) > 0 {
		err = fail("Mend the tokens and push them again.", "%s of Theme %s", plural(len(list), "fault"), f.theme.Slug)
	}
	return err
}

// diffFlags are the flags of diff.
type diffFlags struct {
	place
	client.CompareOptions
	failOnBreaking bool
}

func (a *app) diffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what changed between two versions, or since the newest",
		Long: "Lists added, removed, renamed, retyped and changed tokens, by default from the newest version to\n" +
			"the draft, and says whether the change can break a consumer of a custom property.",
		Example: "  livery diff --env sandbox --theme acme --from 3 --to 5",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.diff(cmd, d) },
	}
	cmd.Flags().IntVar(&d.From, "from", 0, "version `N` to compare from (default: the newest)")
	cmd.Flags().IntVar(&d.To, "to", 0, "version `N` to compare to (default: the current document)")
	cmd.Flags().BoolVar(&d.failOnBreaking, "fail-on-breaking", false, "end with exit code 1 where the change can break a consumer")
	return a.printing(ofVariant(cmd, &d.place))
}

func (a *app) diff(cmd *cobra.Command, d diffFlags) error {
	c, f, err := a.find(cmd, d.place)
	if err != nil {
		return err
	}
	var result client.Comparison
	if f.variant != nil {
		result, err = c.CompareVariant(cmd.Context(), f.env.ID, f.theme.ID, f.variant.ID, d.CompareOptions)
	} else {
		result, err = c.CompareTheme(cmd.Context(), f.env.ID, f.theme.ID, d.CompareOptions)
	}
	if err != nil {
		return err
	}
	if err := a.show(result, func() { a.printComparison(result) }); err != nil {
		return err
	}
	if d.failOnBreaking && result.Breaking {
		return fail("Keep the old names beside the new ones, or tell the consumers.", "the change can break a consumer")
	}
	return nil
}

func (a *app) printComparison(c client.Comparison) {
	a.say("From %s to %s:", edition(c.From), edition(c.To))
	list := func(sign, style string, paths []string) {
		for _, path := range paths {
			a.say("  %s", a.styled(style, sign+" "+path))
		}
	}
	list("+", "32", c.Added)
	list("-", "31", c.Removed)
	for _, r := range c.Renamed {
		a.say("  %s", a.styled("36", "> "+r.From+" is "+r.To+" now"))
	}
	for _, r := range c.Retyped {
		a.say("  %s", a.styled("35", "! "+r.Path+" was of type "+text(r.From)+" and is "+text(r.To)+" now"))
	}
	list("~", "33", c.Changed)
	switch {
	case c.Breaking:
		a.say("This can break a consumer of a custom property.")
	case len(c.Added)+len(c.Removed)+len(c.Renamed)+len(c.Changed)+len(c.Retyped) == 0:
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

func (a *app) previewCommand() *cobra.Command {
	var p place
	var out string
	cmd := &cobra.Command{
		Use:     "preview FILE",
		Short:   "Print a served file as the next publish would make it",
		Long:    "Renders the current document, draft included. FILE is one of tokens.css, tokens.values.json,\ntokens.dtcg.json, tokens.json and tokens.flat.json, whatever the integrations are.",
		Example: "  livery preview tokens.css --env sandbox --theme acme --variant dark",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.preview(cmd, p, args[0], out) },
	}
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write (default: the standard output)")
	return ofVariant(cmd, &p)
}

func (a *app) preview(cmd *cobra.Command, p place, file, out string) error {
	if _, ok := renderer.FileByName(file); !ok {
		var names []string
		for i := range renderer.FileCount {
			names = append(names, renderer.File(i).Name())
		}
		return wrongUsage("There is: "+listed(names)+".", "no served file is called %q", file)
	}
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	var content []byte
	if f.variant != nil {
		content, err = c.PreviewVariant(cmd.Context(), f.env.ID, f.theme.ID, f.variant.ID, file)
	} else {
		content, err = c.PreviewTheme(cmd.Context(), f.env.ID, f.theme.ID, file)
	}
	if err != nil {
		return err
	}
	return a.writeOut(out, content)
}

// writeOut writes content to a file, or to the standard output where none is named.
func (a *app) writeOut(file string, content []byte) error {
	if file == "" {
		_, err := a.out.Write(content)
		return err
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		return fail("Name another with --out.", "%s cannot be written: %s", file, reason(err))
	}
	a.say("%s is written.", file)
	return nil
}
