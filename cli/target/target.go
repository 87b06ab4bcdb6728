// Package target resolves the Environment, Theme and Variant that a command works on.
package target

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// Target is what a command of the public API works on: flags --env, --theme and --variant, each a
// slug or an id.
type Target struct {
	Env, Theme, Variant string
}

// Resolved is a place after its names were looked up. variant is nil if none was named.
type Resolved struct {
	Env     client.Environment
	Theme   client.Theme
	Variant *client.Variant
}

// VariantID returns the id of the Variant, or nothing.
func (f Resolved) VariantID() string {
	if f.Variant == nil {
		return ""
	}
	return f.Variant.ID
}

// Lookup looks the names of p up.
func Lookup(ctx context.Context, c *client.Client, p Target) (Resolved, error) {
	var f Resolved
	var err error
	if f.Env, err = FindEnvironment(ctx, c, p.Env); err != nil {
		return f, err
	}
	if f.Theme, err = findTheme(ctx, c, f.Env, p.Theme); err != nil || p.Variant == "" {
		return f, err
	}
	v, err := FindVariant(ctx, c, f.Theme, p.Variant)
	f.Variant = &v
	return f, err
}

// names returns what a resource may be called by.
type names[T any] func(T) (id, slug string)

// pick returns the item called name, by slug before by id, or a failure that suggests the nearest.
func pick[T any](kind, name, where string, all iter.Seq2[T, error], of names[T]) (T, error) {
	var byID *T
	var none T
	var slugs []string
	for item, err := range all {
		if err != nil {
			return none, err
		}
		id, slug := of(item)
		if slug == name {
			return item, nil
		}
		if id == name {
			byID = &item
		}
		slugs = append(slugs, slug)
	}
	if byID != nil {
		return *byID, nil
	}
	return none, NotFound(kind, name, where, slugs)
}

// Missing is the failure that a name does not exist; create commands branch on it.
type Missing struct{ Kind string }

func (m *Missing) Error() string { return "no such " + m.Kind }

// NotFound is the failure of a name that does not exist; it suggests the nearest one.
func NotFound(kind, name, where string, slugs []string) error {
	f := term.Fail("", "no %s %q%s", kind, name, where)
	f.Cause = &Missing{kind}
	switch near := term.Nearest(name, slugs); {
	case near != "":
		f.Next = "Did you mean " + near + "?"
	case len(slugs) == 0 && kind == "Environment":
		f.Next = "This token has a grant on no Environment: ask the operator for one (livery teams apply)."
	case len(slugs) == 0:
		f.Next = "There are none yet."
	default:
		f.Next = "Valid values: " + term.ShortList(slugs) + "."
	}
	return f
}

// FindEnvironment returns the Environment called name; an empty name is the only one there is.
func FindEnvironment(ctx context.Context, c *client.Client, name string) (client.Environment, error) {
	if name != "" {
		of := func(e client.Environment) (string, string) { return e.ID, e.Slug }
		return pick("Environment", name, "", c.EveryEnvironment(ctx), of)
	}
	var all []client.Environment
	var slugs []string
	for e, err := range c.EveryEnvironment(ctx) {
		if err != nil {
			return e, err
		}
		all, slugs = append(all, e), append(slugs, e.Slug)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	if len(all) == 0 {
		return client.Environment{}, term.Fail("Ask the operator for a grant (livery teams apply).", "this token has a grant on no Environment")
	}
	return client.Environment{}, term.UsageError("Name one with --env: "+term.ShortList(slugs)+".", "there is more than one Environment")
}

func findTheme(ctx context.Context, c *client.Client, e client.Environment, name string) (client.Theme, error) {
	page, err := c.Themes(ctx, e.ID, client.ListOptions{Slug: name})
	if err != nil {
		return client.Theme{}, err
	}
	if len(page.Items) == 1 {
		return page.Items[0], nil
	}
	of := func(t client.Theme) (string, string) { return t.ID, t.Slug }
	return pick("Theme", name, " in Environment "+e.Slug, c.EveryTheme(ctx, e.ID), of)
}

// FindVariant returns the Variant of a Theme that has this slug or id.
func FindVariant(ctx context.Context, c *client.Client, t client.Theme, name string) (client.Variant, error) {
	of := func(v client.Variant) (string, string) { return v.ID, v.Slug }
	return pick("Variant", name, " of Theme "+t.Slug, c.EveryVariant(ctx, t.EnvironmentID, t.ID), of)
}

// OfVariant gives a command the flags --env, --theme and --variant.
func OfVariant(cmd *cobra.Command, p *Target) *cobra.Command {
	p.variantFlag(cmd)
	return OfTheme(cmd, p)
}

// MaybeOfVariant is OfVariant for a command that can do without a Theme.
func MaybeOfVariant(cmd *cobra.Command, p *Target) *cobra.Command {
	p.variantFlag(cmd)
	cmd.Flags().StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	return InEnvironment(cmd, p)
}

func (p *Target) variantFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.Variant, "variant", "", "`VARIANT`, slug or id (default: the Theme itself)")
}

// NeedTheme refuses a command line that names neither files nor a Theme.
func NeedTheme(cmd *cobra.Command, p Target) error {
	if p.Theme != "" {
		return nil
	}
	return term.UsageError("See "+cmd.CommandPath()+" --help.", "%s needs --theme, or token files", cmd.CommandPath())
}

// InEnvironment gives a command the flag --env.
func InEnvironment(cmd *cobra.Command, p *Target) *cobra.Command {
	cmd.Flags().StringVar(&p.Env, "env", "", "`ENVIRONMENT`, slug or id (default: the only one there is)")
	return cmd
}

// OfTheme gives a command the flags --env and --theme.
func OfTheme(cmd *cobra.Command, p *Target) *cobra.Command {
	cmd.Flags().StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	cmdline.Require(cmd, "theme")
	return InEnvironment(cmd, p)
}

// PrintFiles prints the addresses of served files.
func PrintFiles(a *term.App, urls client.ServingURLs) {
	for _, f := range urls.Latest {
		a.Say("  %s", f.URL)
	}
}
