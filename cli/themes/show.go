package themes

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/renderer"
)

func (a *app) themeShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:        "show THEME",
		SuggestFor: []string{"integration", "integrations"},
		Short:      "Show a Theme, the addresses of its files, and its tokens",
		Example:    "  livery theme show tidewater --env sandbox --tokens",
	}
	tokens := cmd.Flags().Bool("tokens", false, "show the tokens of the current document as well")
	return a.onTheme(cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		return a.showTheme(ctx, c, f, *tokens)
	})
}

func (a *app) showTheme(ctx context.Context, c *client.Client, f target.Resolved, tokens bool) error {
	if !tokens {
		return a.Show(f.Theme, func() { a.printTheme(f.Theme) })
	}
	set, err := c.ThemeTokens(ctx, f.Env.ID, f.Theme.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	values, err := c.PreviewTheme(ctx, f.Env.ID, f.Theme.ID, renderer.TokensValuesJSON.Name())
	if err != nil {
		return err
	}
	both := struct {
		Theme  client.Theme    `json:"theme"`
		Tokens client.TokenSet `json:"tokens"`
	}{f.Theme, set}
	return a.Show(both, func() {
		a.printTheme(f.Theme)
		a.Say("")
		changeset.PrintTokens(a.App, set.Tokens, changeset.Primitives(values))
	})
}

func (a *app) printTheme(t client.Theme) {
	var integrations []string
	for _, i := range t.Integrations {
		integrations = append(integrations, i.Framework+"/"+i.Library)
	}
	a.Pairs(a.Out, "Theme", t.Slug, "Name", t.DisplayName, "Id", t.ID,
		"Tokens", strconv.Itoa(t.TokenCount), "Version", term.Version(t.LatestVersion), "Published", term.Moment(t.PublishedAt),
		"Draft", term.Mark(t.HasUnpublishedChanges), "Integrations", strings.Join(integrations, ", "),
		"Labels", labelText(t.Metadata), "Serving", t.Serving.Mode, "CSS prefix", t.AssetSettings.Prefix)
	if t.PreviewOf != "" {
		a.Pairs(a.Out, "Preview of", t.PreviewOf)
	}
	target.PrintFiles(a.App, t.ServingURLs)
}

func labelText(labels map[string]string) string {
	var list []string
	for _, key := range term.Keys(labels) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ", ")
}
