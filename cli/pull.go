package cli

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

const pullText = `Writes the current tokens of a Theme as a DTCG document, or the current overrides of a Variant as
a flat map; --version writes a published version. What comes out can be pushed again.

Members that the API keeps but never lists ($extends, $ref, $deprecated, empty groups) are not in
it; the served tokens.dtcg.json holds the published document with all of them.`

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
	cmd.Flags().StringVar(&p.variant, "variant", "", "`VARIANT`, slug or id (default: the Theme itself)")
	cmd.Flags().IntVar(&version, "version", 0, "published version `N` (default: the current document)")
	cmd.Flags().StringVar(&file, "out", "", "`FILE` to write (default: the standard output)")
	return ofTheme(cmd, &p)
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
	if file == "" {
		_, err = a.out.Write(text.Bytes())
		return err
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return fail("Name another with --out.", "%s cannot be written: %s", file, reason(err))
	}
	a.say("%s is written.", file)
	return nil
}

func pulled(cmd *cobra.Command, c *client.Client, f found, version int) (*jsontree.Node, error) {
	o := client.ReadOptions{Version: version}
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
