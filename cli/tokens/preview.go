package tokens

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/page"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/intake"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// previewFlags are the flags of preview.
type previewFlags struct {
	target.Target
	source.Flags
	out, listen string
	variants    []string
}

const previewText = `Shows what the next publish would serve.

With the name of a served file (tokens.css, tokens.values.json, tokens.dtcg.json, tokens.json or
tokens.flat.json) it prints that file of the current document of --theme, draft included, whatever its
integrations are. A file of yours with such a name is written ./tokens.json.

With files, those of livery.yaml, or --theme, it draws a page of all tokens with their Variants and modes. The page is
written to --out as one file that works offline, or served until Ctrl-C and redrawn on every change. Files need no server.`

func (a *app) previewCommand() *cobra.Command {
	var p previewFlags
	cmd := &cobra.Command{
		Use:   "preview [FILE...]",
		Short: "Show tokens as a page, or a served file as the next publish would make it",
		Long:  previewText,
		Example: "  livery preview tokens.css --env sandbox --theme acme --mode scheme --mode contrast\n" +
			"  livery preview --env sandbox --theme acme --mode scheme=dark --mode contrast=more\n" +
			"  livery preview acme.tokens.json\n" +
			"  livery preview --env sandbox --theme acme --variant dark --variant contrast --out acme.html\n" +
			"  livery preview tokens.css --env sandbox --theme acme --variant dark",
		RunE: func(cmd *cobra.Command, args []string) error { return a.preview(cmd, p, args) },
	}
	f := cmd.Flags()
	f.StringVar(&p.out, "out", "", "`FILE` to write (default: a served file goes to the standard output, a page is served)")
	f.StringVar(&p.listen, "listen", "127.0.0.1:0", "`ADDRESS` to serve the page on, HOST:PORT; port 0 takes a free one")
	f.StringArrayVar(&p.variants, "variant", nil,
		"`VARIANT`, slug or id, of --theme (default: the Theme itself); may be repeated for a page")
	f.StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	f.StringArrayVar(&p.Modes, "mode", nil,
		"`DIMENSION=NAME` of a mode in place of the default, or of --theme also a whole DIMENSION; may be repeated")
	return target.InEnvironment(cmd, &p.Target)
}

func (a *app) preview(cmd *cobra.Command, p previewFlags, files []string) error {
	if len(files) == 1 {
		if _, served := renderer.FileByName(files[0]); served {
			if err := target.NeedTheme(cmd, p.Target); err != nil {
				return err
			}
			if len(p.variants) > 1 {
				return term.UsageError("Give --variant once.", "%s is a file of one Variant", files[0])
			}
			p.Variant = strings.Join(p.variants, "")
			return a.previewFile(cmd.Context(), p, files[0])
		}
		if _, err := os.Stat(files[0]); err != nil && p.Theme != "" {
			return noServedFile(files[0])
		}
	}
	isOfTheme := len(files) == 0 && p.Theme != ""
	if !isOfTheme && len(p.variants) > 0 {
		return term.UsageError("Leave it out, or name --theme in place of files.", "--variant chooses from a Theme")
	}
	draw := a.pageOfFiles(p, files)
	if isOfTheme {
		c, f, err := a.Resolve(cmd, p.Target)
		if err != nil {
			return err
		}
		var variants []client.Variant
		for _, name := range p.variants {
			v, err := target.FindVariant(cmd.Context(), c, f.Theme, name)
			if err != nil {
				return err
			}
			variants = append(variants, v)
		}
		list, err := c.Scope(f.Env.ID, f.Theme.ID).Modes(cmd.Context())
		if err != nil {
			return err
		}
		columns, err := columnsOf(f.Theme, variants, list.Modes, p.modesOfTheme())
		if err != nil {
			return err
		}
		draw = pageOfTheme(c, f, columns)
	}
	if p.out == "" {
		return a.servePage(cmd.Context(), p.listen, draw)
	}
	in, _, err := draw(cmd.Context())
	if err != nil {
		return err
	}
	return a.WriteOut(p.out, page.Append(nil, in))
}

// modesOfTheme returns the modes as an address spells them: scheme.dark,contrast.more.
func (p previewFlags) modesOfTheme() string {
	return strings.ReplaceAll(strings.Join(p.Modes, ","), "=", ".")
}

func noServedFile(name string) error {
	var names []string
	for i := range renderer.FileCount {
		names = append(names, renderer.File(i).Name())
	}
	return term.UsageError("Valid values: "+term.ShortList(names)+".", "no served file is called %q", name)
}

// drawPage reads anew what a page shows. s are the files that it comes from, nil if it comes from the origin or they cannot be read.
type drawPage func(context.Context) (in page.Input, s *source.Source, err error)

// pageOfFiles draws token files, or those of livery.yaml with each Variant beside the Theme.
func (a *app) pageOfFiles(p previewFlags, files []string) drawPage {
	return func(context.Context) (page.Input, *source.Source, error) {
		in := page.Input{Title: titleOf(files)}
		read, err := source.Read(a.App, files, p.Flags)
		if err != nil {
			return in, nil, err
		}
		in.Theme = read.Theme.Tree
		if read.Mapped {
			in.Title = cmp.Or(read.Mapping.Name, read.Mapping.Theme, intake.MappingName)
		}
		for _, v := range read.Variants {
			in.Variants = append(in.Variants, page.Variant{Name: cmp.Or(v.Name, v.Slug), Overrides: v.Values})
		}
		return in, read, nil
	}
}

// titleOf names files without their folders.
func titleOf(files []string) string {
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return term.ShortList(names)
}

// pageOfTheme draws the current document of a Theme, and what stands beside it.
func pageOfTheme(c *client.Client, f target.Resolved, columns []column) drawPage {
	return func(ctx context.Context) (page.Input, *source.Source, error) {
		in := page.Input{Title: f.Theme.DisplayName, Prefix: f.Theme.AssetSettings.Prefix}
		var err error
		if in.Theme, err = changeset.DocumentAt(ctx, c, f.Theme, 0); err != nil {
			return in, nil, err
		}
		for _, column := range columns {
			drawn, err := column.draw(ctx, c, f)
			if err != nil {
				return in, nil, err
			}
			in.Title += ", " + drawn.Name
			in.Variants = append(in.Variants, drawn)
		}
		return in, nil, nil
	}
}

// previewFile prints a served file as the origin renders it.
func (a *app) previewFile(ctx context.Context, p previewFlags, file string) error {
	c, f, err := a.ResolveIn(ctx, p.Target)
	if err != nil {
		return err
	}
	modes := p.modesOfTheme()
	content, err := c.Scope(f.Env.ID, f.Theme.ID).Preview(ctx, f.VariantID(), file, client.PreviewOptions{Modes: modes})
	if err != nil {
		return withoutModes(err, f, modes, file)
	}
	return a.WriteOut(p.out, content)
}

// emptyPage is what a page shows if nothing could be read yet.
func emptyPage(err error) page.Input {
	return page.Input{Title: "Nothing to show: " + term.Explain(err).Sentence, Theme: jsontree.NewObject(), Live: true}
}
