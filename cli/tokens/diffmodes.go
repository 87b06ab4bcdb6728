package tokens

import (
	"context"
	"fmt"

	"example.com/livery/cli/target"
	"example.com/livery/cli/tokens/export"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// modeNotes says for each mode of a Theme how many custom properties a change of its document changes there, if these
// are others than in the Theme's own files: an override hides a change. The overrides are those that are served.
func modeNotes(ctx context.Context, c *client.Client, f target.Resolved, before, after *jsontree.Node) (notes []string, err error) {
	modes, err := c.Scope(f.Env.ID, f.Theme.ID).Modes(ctx)
	if err != nil || len(modes.Modes) == 0 {
		return nil, err
	}
	plain := changedProperties(before, after, nil)
	for _, m := range modes.Modes {
		if m.Variant == nil {
			continue
		}
		set, err := c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, *m.Variant, client.ReadOptions{})
		if err != nil {
			return nil, err
		}
		overrides, err := tokentree.FlatMap(set)
		if err != nil {
			return nil, err
		}
		if here := changedProperties(before, after, overrides); here != plain {
			notes = append(notes, fmt.Sprintf("in mode %s.%s %s, %d without modes", m.Dimension, m.Mode, counted(here), plain))
		}
	}
	return notes, nil
}

func counted(properties int) string {
	if properties == 1 {
		return "1 custom property changes"
	}
	return fmt.Sprintf("%d custom properties change", properties)
}

// changedProperties counts the custom properties of tokens.css that differ.
func changedProperties(before, after, overrides *jsontree.Node) (n int) {
	old, young := properties(before, overrides), properties(after, overrides)
	for name, text := range old {
		if young[name] != text {
			n++
		}
	}
	for name := range young {
		if _, ok := old[name]; !ok {
			n++
		}
	}
	return n
}

func properties(document, overrides *jsontree.Node) map[string]string {
	return export.Declarations(string(renderer.LoadTree(document, overrides, "").Append(nil, renderer.TokensCSS)))
}
