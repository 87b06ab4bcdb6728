package release

import (
	"slices"

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
			address, err := a.servedAddress(cmd, p, file, pinned)
			switch {
			case err != nil:
				return err
			case asHTML:
				return a.showTags(cmd.Context(), address, pinned)
			}
			return a.open(address, onlyPrint)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "served `FILE`, such as tokens.json (default: the first, tokens.css if there is one)")
	cmd.Flags().BoolVar(&pinned, "pinned", false, "the file of the newest version, whose address never changes its content")
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print the address")
	cmd.Flags().BoolVar(&asHTML, "html", false, "print the tags of a stylesheet, with its integrity; --pinned=false: of latest, without")
	return a.JSONFlag(target.OfVariant(cmd, &p))
}

// servedAddress returns the address of a file, by default of the first.
func (a *app) servedAddress(cmd *cobra.Command, p target.Target, file string, pinned bool) (string, error) {
	_, f, err := a.Resolve(cmd, p)
	if err != nil {
		return "", err
	}
	urls := f.Theme.ServingURLs
	if f.Variant != nil {
		urls = f.Variant.ServingURLs
	}
	return addressOf(f, urls, file, pinned)
}

// open opens an address, or prints it.
func (a *app) open(address string, onlyPrint bool) error {
	if a.JSON || onlyPrint || !term.IsTerminal(a.Out) {
		return a.Show(map[string]string{"url": address}, func() { a.Say("%s", address) })
	}
	a.Say("Opening %s", address)
	return term.Browse(address)
}

// addressOf picks the address of a file, by default of the first.
func addressOf(f target.Resolved, urls client.ServingURLs, file string, pinned bool) (string, error) {
	list := urls.Latest
	if pinned {
		list = urls.Pinned
	}
	switch {
	case len(urls.Latest) == 0:
		return "", term.Fail("Give it one: livery theme update "+f.Theme.Slug+" --integration react/plainCSS", "Theme %s serves no file until it has an integration", f.Theme.Slug)
	case len(list) == 0:
		return "", term.Fail("Publish it first: livery publish --theme "+f.Theme.Slug, "Theme %s has no version yet", f.Theme.Slug)
	case file == "":
		return list[0].URL, nil
	}
	if i := slices.IndexFunc(list, func(s client.ServedFile) bool { return s.File == file }); i >= 0 {
		return list[i].URL, nil
	}
	var names []string
	for _, s := range list {
		names = append(names, s.File)
	}
	return "", term.Fail("It serves: "+term.ShortList(names)+". Another integration serves others.", "Theme %s serves no %s", f.Theme.Slug, file)
}
