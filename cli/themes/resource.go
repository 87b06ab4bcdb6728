package themes

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/renderer"
)

// kind says what the verbs show, update and delete need to know of Themes or of Variants.
type kind struct {
	name  string                                              // "Theme"
	place func(*cobra.Command, *target.Target) *cobra.Command // gives a command the flags of where one is
	named func(*target.Target) *string                        // what the argument names
	help  map[string]help                                     // by verb
}

// help is what the help of a command says.
type help struct{ short, long, example string }

var themeKind = kind{"Theme", target.InEnvironment, func(p *target.Target) *string { return &p.Theme }, map[string]help{
	"show": {"Show a Theme, the addresses of its files, and its tokens", "", "  livery theme show tidewater --env sandbox --tokens"},
	"update": {
		"Change the slug, the name, the labels or the integrations of a Theme",
		"Change what is given and leave the rest. A list of integrations or labels replaces the stored\n" +
			"one; integrations need the role admin. --label '' clears the labels.",
		"  livery theme update acme --env sandbox --name 'Acme Inc.' --integration react/mui --integration vue/vuetify",
	},
	"delete": {"Delete a Theme, its Variants and every version of both", "", "  livery theme delete acme --env sandbox --yes"},
}}

var variantKind = kind{"Variant", target.OfTheme, func(p *target.Target) *string { return &p.Variant }, map[string]help{
	"show": {"Show a Variant, the addresses of its files, and what it overrides", "", "  livery variant show midnight --env sandbox --theme tidewater --tokens"},
	"update": {
		"Change the slug, the name or the labels of a Variant",
		"Change what is given and leave the rest. Labels replace the stored ones; --label '' clears them.",
		"  livery variant update midnight --env sandbox --theme tidewater --label season=winter",
	},
	"delete": {"Delete a Variant and its versions", "", "  livery variant delete midnight --env sandbox --theme tidewater --yes"},
}}

// command returns the command of a verb without what it does.
func (k kind) command(verb string) *cobra.Command {
	h := k.help[verb]
	return &cobra.Command{Use: verb + " " + strings.ToUpper(k.name), Short: h.short, Long: h.long, Example: h.example}
}

// action is what a command does with the Theme or Variant that its argument names.
type action func(context.Context, *client.Client, target.Resolved) error

// onNamed makes cmd a command that works on the Theme or Variant that its first argument names.
func (a *app) onNamed(k kind, cmd *cobra.Command, do action) *cobra.Command {
	var p target.Target
	cmd.Args = cmdline.Args(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		*k.named(&p) = args[0]
		c, f, err := a.Resolve(cmd, p)
		if err != nil {
			return err
		}
		return do(cmd.Context(), c, f)
	}
	return a.JSONFlag(k.place(cmd, &p))
}

// resource is a Theme or a Variant as it is printed.
type resource struct {
	value          any // as --json prints it
	kind, id, slug string
	displayName    string
	tokens         [2]string // what they are called, and how many there are
	version        *int
	published      *time.Time
	draft          bool
	labels         map[string]string
	files          client.ServingURLs
	more           []any // pairs of a name and a value
}

func themeResource(t client.Theme) resource {
	var integrations []string
	for _, i := range t.Integrations {
		integrations = append(integrations, i.Framework+"/"+i.Library)
	}
	return resource{
		value: t, kind: "Theme", id: t.ID, slug: t.Slug, displayName: t.DisplayName, tokens: [2]string{"Tokens", strconv.Itoa(t.TokenCount)},
		version: t.LatestVersion, published: t.PublishedAt, draft: t.HasUnpublishedChanges, labels: t.Metadata, files: t.ServingURLs,
		more: []any{"Integrations", strings.Join(integrations, ", "), "Serving", t.Serving.Mode, "CSS prefix", t.AssetSettings.Prefix, "Preview of", t.PreviewOf},
	}
}

func variantResource(v client.Variant) resource {
	return resource{
		value: v, kind: "Variant", id: v.ID, slug: v.Slug, displayName: v.DisplayName, tokens: [2]string{"Overrides", strconv.Itoa(v.TokenCount)},
		version: v.LatestVersion, published: v.PublishedAt, draft: v.HasUnpublishedChanges, labels: v.Metadata, files: v.ServingURLs,
	}
}

func resourceOf(f target.Resolved) resource {
	if f.Variant != nil {
		return variantResource(*f.Variant)
	}
	return themeResource(f.Theme)
}

// row is the resource as a row of a list.
func (r resource) row() []any {
	return []any{r.slug, r.id, r.tokens[1], term.Version(r.version), term.Mark(r.draft), r.displayName}
}

func (a *app) print(r resource) {
	a.Pairs(a.Out, append([]any{
		r.kind, r.slug, "Name", r.displayName, "Id", r.id, r.tokens[0], r.tokens[1], "Version", term.Version(r.version),
		"Published", term.Moment(r.published), "Draft", term.Mark(r.draft), "Labels", labelText(r.labels),
	}, r.more...)...)
	target.PrintFiles(a.App, r.files)
}

func labelText(labels map[string]string) string {
	var list []string
	for _, key := range term.Keys(labels) {
		list = append(list, key+"="+labels[key])
	}
	return strings.Join(list, ", ")
}

func orDash(text string) string { return cmp.Or(text, "-") }

func (a *app) showCommand(k kind) *cobra.Command {
	cmd := k.command("show")
	if k.name == "Theme" {
		cmd.SuggestFor = []string{"integration", "integrations"}
	}
	tokens := cmd.Flags().Bool("tokens", false, "show the current tokens or overrides as well")
	return a.onNamed(k, cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		r := resourceOf(f)
		if !*tokens {
			return a.Show(r.value, func() { a.print(r) })
		}
		scope := c.Scope(f.Env.ID, f.Theme.ID)
		set, err := scope.Tokens(ctx, f.VariantID(), client.ReadOptions{})
		if err != nil {
			return err
		}
		values, err := scope.Preview(ctx, f.VariantID(), renderer.TokensValuesJSON.Name(), client.PreviewOptions{})
		if err != nil {
			return err
		}
		return a.Show(map[string]any{strings.ToLower(k.name): r.value, "tokens": set}, func() {
			a.print(r)
			a.Say("")
			changeset.PrintTokens(a.App, set.Tokens, changeset.Primitives(values))
		})
	})
}

// updateFlags are the flags of what an update changes; those that are not given change nothing.
type updateFlags struct {
	slug, name           string
	labels, integrations []string
}

func (a *app) updateCommand(k kind) *cobra.Command {
	var u updateFlags
	cmd := k.command("update")
	cmd.Flags().StringVar(&u.slug, "slug", "", "new `SLUG`")
	cmd.Flags().StringVar(&u.name, "name", "", "new display `NAME`")
	cmd.Flags().StringArrayVar(&u.labels, "label", nil, "`KEY=VALUE` of the new labels; may be repeated")
	if k.name == "Theme" {
		cmd.SuggestFor = []string{"integration", "integrations"}
		cmd.Flags().StringArrayVar(&u.integrations, "integration", nil, "`FRAMEWORK/LIBRARY` of the new list; may be repeated")
	}
	return a.onNamed(k, cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		pairs, err := parseIntegrations(u.integrations)
		if err != nil {
			return err
		}
		r := resourceOf(f)
		d := client.Details{Slug: cmp.Or(u.slug, r.slug), DisplayName: cmp.Or(u.name, r.displayName)}
		if d.Metadata, err = parseLabels(u.labels); err != nil {
			return err
		}
		if f.Variant != nil {
			*f.Variant, err = c.UpdateVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, d)
		} else {
			f.Theme, err = c.UpdateTheme(ctx, f.Env.ID, f.Theme.ID, d)
		}
		if err == nil && len(pairs) > 0 {
			f.Theme, err = c.SetIntegrations(ctx, f.Env.ID, f.Theme.ID, pairs)
		}
		if err != nil {
			return err
		}
		r = resourceOf(f)
		return a.Show(r.value, func() { a.print(r) })
	})
}

// parseLabels parses "KEY=VALUE" pairs; it returns nil if none are given, and an empty map for one empty text.
func parseLabels(list []string) (*map[string]string, error) {
	if list == nil {
		return nil, nil
	}
	labels := map[string]string{}
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok && text != "" {
			return nil, term.UsageError("Write KEY=VALUE.", "%q is not a valid label", text)
		}
		if text != "" {
			labels[key] = value
		}
	}
	return &labels, nil
}

func (a *app) deleteCommand(k kind) *cobra.Command {
	cmd := k.command("delete")
	sure := cmd.Flags().Bool("yes", false, "do it")
	return a.onNamed(k, cmd, func(ctx context.Context, c *client.Client, f target.Resolved) (err error) {
		r := resourceOf(f)
		if !*sure {
			return term.UsageError("Add --yes to delete it.", "deleting %s %s cannot be undone, and its files answer 404 afterwards", r.kind, r.slug)
		}
		if f.Variant != nil {
			_, err = c.DeleteVariant(ctx, f.Env.ID, f.Theme.ID, r.id)
		} else {
			_, err = c.DeleteTheme(ctx, f.Env.ID, r.id)
		}
		if err != nil {
			return err
		}
		return a.Show(map[string]string{"deletedID": r.id, "slug": r.slug}, func() { a.Say("%s %s is deleted.", r.kind, r.slug) })
	})
}
