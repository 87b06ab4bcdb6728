package cli

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

const pullText = `Writes the current tokens of a Theme as a DTCG document, or the current overrides of a Variant as
a flat map; --version writes a published version. What comes out can be pushed again.

The current document of a Theme is written whole. Of an earlier version the API lists tokens and
groups only, so that --version writes no $extends, $ref, $deprecated and no empty groups; the served
tokens.dtcg.json of that version has them all.`

func (a *app) pullCommand() *cobra.Command {
	var p place
	var version int
	var file string
	cmd := &cobra.Command{
		Use:     "pull",
		Short:   "Write the tokens of a Theme or Variant to a file",
		Long:    pullText,
		Example: "  livery pull --env sandbox --theme acme --out acme.tokens.json",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.pull(cmd, p, version, file) },
	}
	cmd.Flags().IntVar(&version, "version", 0, "published version `N` (default: the current document)")
	cmd.Flags().StringVar(&file, "out", "", "`FILE` to write (default: the standard output)")
	return ofVariant(cmd, &p)
}

func (a *app) pull(cmd *cobra.Command, p place, version int, file string) error {
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	document, err := pulled(cmd, c, f, version)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, jsontree.Append(nil, document), "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	return a.writeOut(file, text.Bytes())
}

func pulled(cmd *cobra.Command, c *client.Client, f found, version int) (*jsontree.Node, error) {
	o := client.ReadOptions{Version: version}
	if f.variant == nil && version == 0 {
		_, document, err := currentDocument(cmd.Context(), c, f.theme)
		return document, err
	}
	if f.variant == nil {
		set, err := c.ThemeTokens(cmd.Context(), f.env.ID, f.theme.ID, o)
		if err != nil {
			return nil, err
		}
		return tree(set)
	}
	set, err := c.VariantTokens(cmd.Context(), f.env.ID, f.theme.ID, f.variant.ID, o)
	if err != nil {
		return nil, err
	}
	return flatMap(set)
}
