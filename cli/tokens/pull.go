package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/export"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

const pullText = `Writes the current tokens of a Theme as a DTCG document, or the current overrides of a Variant as
a flat map; --version writes a published version. What comes out can be pushed again.

The current document of a Theme is written whole, and so is its newest version while the Theme has no
draft. Of any other version the API lists tokens and groups only, so that --version writes it without
$extends, $ref, $deprecated, other members that Livery stores and does not use, and empty groups, and
says so on the standard error; the served tokens.dtcg.json of that version has them all.

--format writes another form: style-dictionary (value, type and comment), tokens-studio (one token set) or
figma (variables, as Figma's REST API lists them). A push of what it writes changes nothing: what such a form
cannot say stands in its member com.livery, and counts for the tokens that are as they were written. Of a
Variant these hold the tokens that it overrides. Others are for programs and are not read again: css
(tokens.css), scss (a variable each and a map of all), tailwind (a theme for Tailwind 4 that names the
custom properties of tokens.css) or ts (a module with references and values). These hold what is
rendered, and the Theme's tokens with a Variant's overrides in them.`

func (a *app) pullCommand() *cobra.Command {
	var p target.Target
	var version int
	var file, format string
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Write the tokens of a Theme or Variant to a file",
		Long:  pullText,
		Example: "  livery pull --env sandbox --theme acme --out acme.tokens.json\n" +
			"  livery pull --env sandbox --theme acme --format scss --out _tokens.scss\n" +
			"  livery pull --env sandbox --theme acme --format tokens-studio --out tokens.json",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pull(cmd, p, version, format, file) },
	}
	cmd.Flags().StringVar(&format, "format", "dtcg", "`FORM` of what is written: "+strings.Join(pullFormats(), ", "))
	cmd.Flags().IntVar(&version, "version", 0, "published version `N` (default: the current document)")
	cmd.Flags().StringVar(&file, "out", "", "`FILE` to write (default: the standard output)")
	return target.OfVariant(cmd, &p)
}

// writers write what is rendered, by the names that --format takes.
var writers = map[string]func(*export.Sheet, []byte) []byte{
	"css":      func(s *export.Sheet, dst []byte) []byte { return append(dst, s.CSS...) },
	"scss":     (*export.Sheet).AppendSCSS,
	"tailwind": (*export.Sheet).AppendTailwind,
	"ts":       (*export.Sheet).AppendTypeScript,
}

func pullFormats() []string {
	return append([]string{"dtcg"}, slices.Sorted(maps.Keys(writers))...)
}

func (a *app) pull(cmd *cobra.Command, p target.Target, version int, format, file string) error {
	writeSheet := writers[format]
	if !slices.Contains(pullFormats(), format) {
		return term.UsageError("Valid values: "+term.ShortList(pullFormats())+".", "--format %q is not one of the forms", format)
	}
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	if writeSheet != nil {
		s, err := a.sheet(cmd.Context(), c, f, version)
		if err != nil {
			return release.NoVersion(err, f, version)
		}
		return a.WriteOut(file, writeSheet(s, nil))
	}
	document, err := a.pulled(cmd.Context(), c, f, version)
	if err != nil {
		return release.NoVersion(err, f, version)
	}
	return a.writeDocument(file, document)
}

// writeDocument writes a document with a member a line.
func (a *app) writeDocument(file string, document *jsontree.Node) error {
	var text bytes.Buffer
	if err := json.Indent(&text, jsontree.Append(nil, document), "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	return a.WriteOut(file, text.Bytes())
}

// pulledTokens returns what stands at f as a document: of a Variant the tokens that it overrides, as the Theme
// describes them.
func (a *app) pulledTokens(ctx context.Context, c *client.Client, f target.Resolved, version int) (*jsontree.Node, error) {
	overrides, err := a.pulled(ctx, c, f, version)
	if err != nil || f.Variant == nil {
		return overrides, err
	}
	f.Variant = nil
	theme, err := a.pulled(ctx, c, f, version)
	if err != nil {
		return nil, err
	}
	return tokentree.OverriddenTokens(theme, overrides), nil
}

// pulled returns what stands at f: a document for a Theme, a flat map for a Variant.
func (a *app) pulled(ctx context.Context, c *client.Client, f target.Resolved, version int) (*jsontree.Node, error) {
	switch {
	case f.Variant != nil:
		set, err := c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, client.ReadOptions{Version: version})
		if err != nil {
			return nil, err
		}
		return tokentree.FlatMap(set)
	case version == 0:
		_, document, err := tokentree.CurrentDocument(ctx, c, f.Theme)
		return document, err
	}
	return a.pulledVersion(ctx, c, f.Theme, version)
}

// pulledVersion returns a published version of a Theme: whole if the API has its document, and
// else rebuilt from what it lists.
func (a *app) pulledVersion(ctx context.Context, c *client.Client, t client.Theme, version int) (*jsontree.Node, error) {
	set, err := c.ThemeTokens(ctx, t.EnvironmentID, t.ID, client.ReadOptions{Version: version})
	if err != nil {
		return nil, err
	}
	if isCurrent(t, version) {
		_, document, err := tokentree.CurrentDocument(ctx, c, t)
		if err != nil {
			return nil, err
		}
		after, err := c.Theme(ctx, t.EnvironmentID, t.ID)
		if err != nil {
			return nil, err
		}
		if isCurrent(after, version) { // it was no draft that was read meanwhile
			return document, nil
		}
	}
	a.Warn("Note: version %d is written without $extends, $ref, $deprecated and empty groups, which the API lists of the\n"+
		"current document only; the served tokens.dtcg.json of that version has them.", version)
	return tokentree.Tree(set)
}

// isCurrent reports whether the current document of a Theme is that version.
func isCurrent(t client.Theme, version int) bool {
	return !t.HasUnpublishedChanges && t.LatestVersion != nil && *t.LatestVersion == version
}
