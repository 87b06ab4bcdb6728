package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/export"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

const pullText = `Writes the current tokens of a Theme as a DTCG document, or the overrides of a Variant as a flat map, which can be pushed
again. The other formats hold what is rendered, with a Variant's overrides in it: css, scss, a Tailwind theme,
declarations for TypeScript (ts), and a JSON Schema for the file of a Variant (schema).`

func (a *app) pullCommand() *cobra.Command {
	var p target.Target
	var version int
	var file, format string
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Write the tokens of a Theme or Variant to a file",
		Long:  pullText,
		Example: "  livery pull --env sandbox --theme acme --out acme.tokens.json\n" +
			"  livery pull --env sandbox --theme acme --format ts --out src/tokens.d.ts",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pull(cmd, p, version, format, file) },
	}
	cmd.Flags().StringVar(&format, "format", dtcgFormat, "`FORM` of what is written: "+strings.Join(pullFormats(), ", "))
	cmd.Flags().IntVar(&version, "version", 0, "published version `N` (default: the current document)")
	cmd.Flags().StringVar(&file, "out", "", "`FILE` to write (default: the standard output)")
	return target.OfVariant(cmd, &p)
}

// dtcgFormat is the format that can be pushed again.
const dtcgFormat = "dtcg"

// writers append what is rendered, by the names that --format takes.
var writers = map[string]func(*export.Sheet, []byte) []byte{
	"css":      func(s *export.Sheet, dst []byte) []byte { return append(dst, s.CSS...) },
	"scss":     (*export.Sheet).AppendSCSS,
	"tailwind": (*export.Sheet).AppendTailwind,
	"ts":       (*export.Sheet).AppendTypes,
	"schema":   func(s *export.Sheet, dst []byte) []byte { return appendIndented(dst, s.AppendSchema(nil)) },
}

func pullFormats() []string {
	return append([]string{dtcgFormat}, slices.Sorted(maps.Keys(writers))...)
}

func (a *app) pull(cmd *cobra.Command, p target.Target, version int, format, file string) error {
	appendSheet := writers[format]
	if appendSheet == nil && format != dtcgFormat {
		return term.UsageError("Valid values: "+term.ShortList(pullFormats())+".", "--format %q is not one of the forms", format)
	}
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	if appendSheet == nil {
		document, err := pulled(cmd.Context(), c, f, version)
		if err != nil {
			return NoVersion(err, f, version)
		}
		return a.WriteOut(file, append(appendIndented(nil, jsontree.Append(nil, document)), '\n'))
	}
	s, err := a.sheet(cmd.Context(), c, f, version)
	if err != nil {
		return NoVersion(err, f, version)
	}
	if s.Left > 0 {
		a.Warn("Note: %s left out because tokens.css does not have it; livery check tells why.", term.Plural(s.Left, "token"))
	}
	return a.WriteOut(file, appendSheet(s, nil))
}

// appendIndented appends JSON with a member a line.
func appendIndented(dst, text []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		panic("pull: " + err.Error()) // the text is the program's own
	}
	return append(dst, b.Bytes()...)
}

// pulled returns what is stored of f: a document of a Theme, a flat map of a Variant.
func pulled(ctx context.Context, c *client.Client, f target.Resolved, version int) (*jsontree.Node, error) {
	if f.Variant == nil {
		return changeset.DocumentAt(ctx, c, f.Theme, version)
	}
	set, err := c.Scope(f.Env.ID, f.Theme.ID).Tokens(ctx, f.Variant.ID, client.ReadOptions{Version: version})
	if err != nil {
		return nil, err
	}
	return changeset.FlatMap(set)
}

// sheet reads what is rendered of a Theme, at a version or else now; with a Variant's overrides as they are now if f
// names one.
func (a *app) sheet(ctx context.Context, c *client.Client, f target.Resolved, version int) (*export.Sheet, error) {
	title := "Theme " + f.Theme.Slug
	theme := f
	theme.Variant = nil
	var overrides *jsontree.Node
	if f.Variant != nil {
		if version != 0 {
			return nil, term.UsageError("Leave out --version, or take the served file: livery open --pinned --print.",
				"a Variant's version is not one of its Theme's, so it can be written as dtcg alone")
		}
		var err error
		if overrides, err = pulled(ctx, c, f, 0); err != nil {
			return nil, err
		}
		title += ", Variant " + f.Variant.Slug
	}
	if version != 0 {
		title += fmt.Sprintf(", version %d", version)
	}
	document, err := pulled(ctx, c, theme, version)
	if err != nil {
		return nil, err
	}
	return export.Read(title, document, overrides, f.Theme.AssetSettings.Prefix), nil
}
