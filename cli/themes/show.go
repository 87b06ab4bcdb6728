package themes

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/renderer"
)

func (a *app) themeShow() *cobra.Command {
	var p target.Target
	var tokens bool
	cmd := &cobra.Command{
		Use:        "show THEME",
		SuggestFor: []string{"integration", "integrations"},
		Short:      "Show a Theme, the addresses of its files, and its tokens",
		Example:    "  livery theme show tidewater --env sandbox --tokens",
		Args:       cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Theme = args[0]
			return a.showTheme(cmd, p, tokens)
		},
	}
	cmd.Flags().BoolVar(&tokens, "tokens", false, "show the tokens of the current document as well")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a *app) showTheme(cmd *cobra.Command, p target.Target, tokens bool) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	if !tokens {
		return a.Show(f.Theme, func() { a.printTheme(f.Theme) })
	}
	set, err := c.ThemeTokens(cmd.Context(), f.Env.ID, f.Theme.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	values, err := c.PreviewTheme(cmd.Context(), f.Env.ID, f.Theme.ID, renderer.TokensValuesJSON.Name())
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
	target.PrintFiles(a.App, t.ServingURLs)
}

func labelText(labels map[string]string) string {
	var list []string
	for _, key := range term.Keys(labels) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ", ")
}
