package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/docs/site"
	"example.com/livery/origin/api"
)

// pages returns what makes the documentation of this version: of its documents, its commands and its API. It leads to the
// console if there is one.
func (a *app) pages(root *cobra.Command) func(console bool) (map[string]site.File, error) {
	if a.documents == nil {
		return nil
	}
	return func(console bool) (map[string]site.File, error) {
		document, err := api.OpenAPI()
		if err != nil {
			return nil, err
		}
		return site.Build(site.Source{Files: a.documents, Commands: commandsText(root), OpenAPI: document, Console: console, Version: thisBuild().Version})
	}
}

func (a *app) docsCommand(root *cobra.Command) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Write the documentation of this version as a static site",
		Long: "Writes the pages that an origin serves at /docs/ into a directory, as files that any web server can serve: the\n" +
			"guides, the reference of the API and of every command, a search. They load nothing from another server.",
		Example: "  livery docs --out site",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return a.writeDocs(a.pages(root), dir) },
	}
	cmd.Flags().StringVar(&dir, "out", "", "`DIR` to write into; files of other names in it stay")
	cmdline.Require(cmd, "out")
	return cmd
}

func (a *app) writeDocs(pages func(console bool) (map[string]site.File, error), dir string) error {
	if pages == nil {
		return term.Fail("Take a released program, or make build.", "this binary holds no documentation")
	}
	files, err := pages(false)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err == nil {
			err = os.WriteFile(to, files[name].Body, 0o644)
		}
		if err != nil {
			return &term.Failure{Sentence: fmt.Sprintf("the documentation cannot be written: %v", err), Next: "Name a directory that you may write into with --out.", Cause: err}
		}
	}
	a.Say("%d files are written; begin with %s.", len(files), filepath.Join(dir, "index.html"))
	return nil
}

// commandsText describes every command of root in Markdown, in the order and the groups of the help.
func commandsText(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Every command\n\n%s\n\n", root.Long)
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "## %s\n\n", strings.TrimSuffix(group.Title, ":"))
		for _, c := range root.Commands() {
			if c.GroupID == group.ID {
				describe(&b, c)
			}
		}
	}
	return b.String()
}

func describe(b *strings.Builder, c *cobra.Command) {
	if c.Hidden {
		return
	}
	fmt.Fprintf(b, "### %s\n\n%s.\n\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."))
	if c.Long != "" {
		fmt.Fprintf(b, "%s\n\n", c.Long)
	}
	if c.Runnable() {
		block(b, c.UseLine())
	}
	c.InitDefaultHelpFlag() // the command that runs has it, the others not yet
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		block(b, flags.FlagUsages())
	}
	if c.Example != "" {
		b.WriteString("For example:\n\n")
		block(b, c.Example)
	}
	for _, sub := range c.Commands() {
		describe(b, sub)
	}
}

// block writes a block of code.
func block(b *strings.Builder, code string) {
	for line := range strings.Lines(strings.TrimRight(code, "\n") + "\n") {
		b.WriteString("    " + strings.TrimPrefix(line, "  "))
	}
	b.WriteString("\n")
}
