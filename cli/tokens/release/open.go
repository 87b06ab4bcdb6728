package release

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

func (a *app) openCommand() *cobra.Command {
	var p target.Target
	var file string
	var pinned, onlyPrint, asHTML bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open a served file in the browser",
		Long: "Opens the latest tokens.css, or the file of --file, of a Theme or Variant in the browser of this machine. In a\n" +
			"pipe and with --print it prints the address instead. With --html it prints the tags of a page for the\n" +
			"newest version: preload and stylesheet, with the integrity that browsers check.",
		Example: "  livery open --env sandbox --theme acme --variant dark\n  curl $(livery open --file tokens.json --env sandbox --theme acme --print)\n" +
			"  livery open --env production --theme acme --html",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			pinned = pinned || asHTML && !cmd.Flags().Changed("pinned")
			c, f, err := a.Resolve(cmd, p)
			if err != nil {
				return err
			}
			served, err := servedFile(f, file, pinned)
			switch {
			case err != nil:
				return err
			case asHTML:
				return a.showTags(cmd.Context(), c, f, served, pinned)
			case a.JSON || onlyPrint || !term.IsTerminal(a.Out):
				return a.Show(map[string]string{"url": served.URL}, func() { a.Say("%s", served.URL) })
			}
			a.Say("Opening %s", served.URL)
			return term.Browse(served.URL)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "served `FILE`, such as tokens.json (default: the first, tokens.css if there is one)")
	cmd.Flags().BoolVar(&pinned, "pinned", false, "the file of the newest version, whose address never changes its content")
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print the address")
	cmd.Flags().BoolVar(&asHTML, "html", false, "print the tags of a stylesheet, with its integrity; --pinned=false: of latest, without")
	return a.JSONFlag(target.OfVariant(cmd, &p))
}

// servedFile picks a file, by default the first.
func servedFile(f target.Resolved, file string, pinned bool) (none client.ServedFile, err error) {
	urls := f.Theme.ServingURLs
	if f.Variant != nil {
		urls = f.Variant.ServingURLs
	}
	list := urls.Latest
	if pinned {
		list = urls.Pinned
	}
	switch {
	case len(urls.Latest) == 0:
		return none, noFile(f.Theme)
	case len(list) == 0:
		return none, term.Fail("Publish it first: livery publish --theme "+f.Theme.Slug, "Theme %s has no version yet", f.Theme.Slug)
	}
	var names []string
	for _, s := range list {
		if names = append(names, s.File); file == "" || s.File == file {
			return s, nil
		}
	}
	return none, term.Fail("It serves: "+term.ShortList(names)+". Another integration serves others.", "Theme %s serves no %s", f.Theme.Slug, file)
}

// noFile is the failure that a Theme has no integration.
func noFile(t client.Theme) error {
	return term.Fail("Give it one: livery theme update "+t.Slug+" --integration react/plainCSS", "Theme %s serves no file until it has an integration", t.Slug)
}
