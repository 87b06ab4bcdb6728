package cli

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/client"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

func (a *app) themeShow() *cobra.Command {
	var p place
	var tokens bool
	cmd := &cobra.Command{
		Use:        "show THEME",
		SuggestFor: []string{"integration", "integrations"},
		Short:      "Show a Theme, where its files are served, and its tokens",
		Example:    "  livery theme show tidewater --env sandbox --tokens",
		Args:       usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.theme = args[0]
			return a.showTheme(cmd, p, tokens)
		},
	}
	cmd.Flags().BoolVar(&tokens, "tokens", false, "show the tokens of the current document as well")
	return a.printing(inEnvironment(cmd, &p))
}

func (a *app) showTheme(cmd *cobra.Command, p place, tokens bool) error {
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	if !tokens {
		return a.show(f.theme, func() { a.printTheme(f.theme) })
	}
	set, err := c.ThemeTokens(cmd.Context(), f.env.ID, f.theme.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	values, err := c.PreviewTheme(cmd.Context(), f.env.ID, f.theme.ID, renderer.TokensValuesJSON.Name())
	if err != nil {
		return err
	}
	both := struct {
		Theme  client.Theme    `json:"theme"`
		Tokens client.TokenSet `json:"tokens"`
	}{f.theme, set}
	return a.show(both, func() {
		a.printTheme(f.theme)
		a.say("")
		a.printTokens(set.Tokens, primitives(values))
	})
}

func (a *app) printTheme(t client.Theme) {
	var integrations []string
	for _, i := range t.Integrations {
		integrations = append(integrations, i.Framework+"/"+i.Library)
	}
	a.pairs(a.out, "Theme", t.Slug, "Name", t.DisplayName, "Id", t.ID,
		"Tokens", strconv.Itoa(t.TokenCount), "Version", number(t.LatestVersion), "Published", moment(t.PublishedAt),
		"Draft", yes(t.HasUnpublishedChanges), "Integrations", strings.Join(integrations, ", "),
		"Labels", labelText(t.Metadata), "Serving", t.Serving.Mode, "CSS prefix", t.AssetSettings.Prefix)
	a.printFiles(t.ServingURLs)
}

func (a *app) printFiles(urls client.ServingURLs) {
	for _, f := range urls.Latest {
		a.say("  %s", f.URL)
	}
}

func labelText(labels map[string]string) string {
	var list []string
	for _, key := range keys(labels) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ", ")
}

// printTokens prints tokens as a table, each colour with a swatch of it.
func (a *app) printTokens(tokens []client.Token, primitives map[string]string) {
	t := table{head: []string{"TOKEN", "TYPE", string(a.swatch("")) + "VALUE"}}
	for _, token := range tokens {
		kind := "-"
		if token.ResolvedType != nil {
			kind = *token.ResolvedType
		}
		t.add(token.Path, kind, a.swatch(primitives[token.Path])+cell(short(token.Value, primitives[token.Path])))
	}
	a.printTable(t)
}

// short is a value in one line of a table: a string as it is written, anything else as the primitive
// that it becomes, if there is one. It is not escaped.
func short(value json.RawMessage, primitive string) string {
	const most = 72
	text := primitive
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = s
	} else if text == "" {
		text = string(value)
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// primitives returns the string that each token is in a tokens.values.json, where it is one.
func primitives(file []byte) map[string]string {
	found := map[string]string{}
	if values, err := jsontree.Parse(string(file)); err == nil {
		collectStrings(values, "", found)
	}
	return found
}

func collectStrings(n *jsontree.Node, path string, found map[string]string) {
	if n.IsString() {
		found[path] = n.Text
	}
	for _, m := range n.Members {
		collectStrings(m.Value, join(path, m.Name), found)
	}
}

// join appends a name to a dotted path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
