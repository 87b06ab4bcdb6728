package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/export"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

const typesText = `Writes declarations for TypeScript: the paths of the tokens as a union, the custom properties of
tokens.css, and the type of each value in tokens.values.json, so that a name that is misspelt does not
compile. Of token files, or of --theme, draft included; --version takes a published version.

--schema writes a JSON Schema of a Variant's file instead: an editor then completes paths and aliases
in it and marks what the Theme does not have. Such a file may name it: {"$schema": "./tokens.schema.json"}.

What is not rendered is not in either; livery check tells why.`

// typesFlags are the flags of types.
type typesFlags struct {
	target.Target
	version     int
	out, prefix string
	schema      bool
}

func (a *app) typesCommand() *cobra.Command {
	var p typesFlags
	cmd := &cobra.Command{
		Use:   "types",
		Short: "Write TypeScript declarations of the tokens, or a JSON Schema of overrides",
		Long:  typesText,
		Example: "  livery types --env sandbox --theme acme --out src/tokens.d.ts\n" +
			"  livery types --env sandbox --theme acme --schema --out tokens.schema.json",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.types(cmd, p) },
	}
	f := cmd.Flags()
	f.StringVar(&p.out, "out", "", "`FILE` to write (default: the standard output)")
	f.BoolVar(&p.schema, "schema", false, "write a JSON Schema of a Variant's file")
	f.IntVar(&p.version, "version", 0, "published version `N` of --theme (default: the current document)")
	f.StringVar(&p.prefix, "css-prefix", "", "`PREFIX` of the custom properties of files (default: none)")
	f.StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	return target.InEnvironment(cmd, &p.Target)
}

func (a *app) types(cmd *cobra.Command, p typesFlags) error {
	s, err := a.sheetFor(cmd, p)
	if err != nil {
		return err
	}
	if len(s.Tokens) == 0 {
		return term.Fail("See livery check.", "there is nothing to write: tokens.css declares no token")
	}
	if s.Left > 0 {
		a.Warn("Note: %s left out because tokens.css does not have it; livery check tells why.", term.Plural(s.Left, "token"))
	}
	if p.schema {
		var text bytes.Buffer
		if err := json.Indent(&text, s.AppendSchema(nil), "", "  "); err != nil {
			return err
		}
		return a.WriteOut(p.out, text.Bytes())
	}
	return a.WriteOut(p.out, s.AppendTypes(nil))
}

func (a *app) sheetFor(cmd *cobra.Command, p typesFlags) (*export.Sheet, error) {
	if err := target.NeedTheme(cmd, p.Target); err != nil {
		return nil, err
	}
	c, f, err := a.Resolve(cmd, p.Target)
	if err != nil {
		return nil, err
	}
	s, err := a.sheet(cmd.Context(), c, f, p.version)
	if err != nil {
		return nil, release.NoVersion(err, f, p.version)
	}
	return s, nil
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
		if overrides, err = a.pulled(ctx, c, f, 0); err != nil {
			return nil, err
		}
		title += ", Variant " + f.Variant.Slug
	}
	if version != 0 {
		title += fmt.Sprintf(", version %d", version)
	}
	document, err := a.pulled(ctx, c, theme, version)
	if err != nil {
		return nil, err
	}
	return export.Read(title, document, overrides, f.Theme.AssetSettings.Prefix), nil
}
