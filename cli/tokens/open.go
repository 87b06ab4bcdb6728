package tokens

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"html"
	"strings"

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
			c, f, err := a.Resolve(cmd, p)
			if err != nil {
				return err
			}
			served, err := servedFile(f, file, pinned || asHTML)
			switch {
			case err != nil:
				return err
			case asHTML:
				return a.showTags(cmd.Context(), c, f, served)
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
	cmd.Flags().BoolVar(&asHTML, "html", false, "print the tags of the stylesheet of the newest version, with its integrity")
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

// tags is what a page needs to use a stylesheet.
type tags struct {
	URL       string `json:"url"`
	Integrity string `json:"integrity"` // as Subresource Integrity spells it
	HTML      string `json:"html"`
}

// showTags prints the elements for a stylesheet at a pinned address. They name the hash of its content, which is that of the
// file as it is, in whichever coding it is sent.
func (a *app) showTags(ctx context.Context, c *client.Client, f target.Resolved, served client.ServedFile) error {
	if !strings.HasSuffix(served.File, ".css") {
		return term.UsageError("For another file take its address (livery open --print), and the integrity option of fetch.", "--html prints the tags of a stylesheet")
	}
	version := *f.Theme.LatestVersion
	if f.Variant != nil && (f.Variant.LatestVersion == nil || *f.Variant.LatestVersion != version) {
		return term.Fail("Publish the Variant: livery publish --variant.", "what %s serves can still change: the Variant has not published at this version", served.URL)
	}
	content, err := c.Scope(f.Env.ID, f.Theme.ID).Preview(ctx, f.VariantID(), served.File, client.PreviewOptions{Version: version})
	if err != nil {
		return err
	}
	sum := sha512.Sum384(content)
	t := tags{URL: served.URL, Integrity: "sha384-" + base64.StdEncoding.EncodeToString(sum[:])}
	attributes := ` href="` + html.EscapeString(t.URL) + `" integrity="` + t.Integrity + `" crossorigin="anonymous">`
	t.HTML = `<link rel="preload" as="style"` + attributes + "\n" + `<link rel="stylesheet"` + attributes
	return a.Show(t, func() {
		for line := range strings.Lines(t.HTML) {
			a.Say("%s", strings.TrimSpace(line))
		}
	})
}
