package cli

import (
	"context"
	"iter"

	"example.com/livery/client"
)

// place is where a command of the public API works: flags --env, --theme and --variant, each a
// slug or an id.
type place struct {
	env, theme, variant string
}

// found is a place after its names were looked up. variant is nil where none was named.
type found struct {
	env                          client.Environment
	theme                        client.Theme
	variant                      *client.Variant
	createdTheme, createdVariant bool // by this command
	absent                       bool // it is not there, and this command only tells what it would do
}

// find looks the names of p up.
func find(ctx context.Context, c *client.Client, p place) (found, error) {
	var f found
	var err error
	if f.env, err = findEnvironment(ctx, c, p.env); err != nil {
		return f, err
	}
	if f.theme, err = findTheme(ctx, c, f.env, p.theme); err != nil || p.variant == "" {
		return f, err
	}
	v, err := findVariant(ctx, c, f.theme, p.variant)
	f.variant = &v
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
	return none, notFound(kind, name, where, slugs)
}

// missing is the failure that a name does not exist; create commands branch on it.
type missing struct{ kind string }

func (m *missing) Error() string { return "there is no such " + m.kind }

func notFound(kind, name, where string, slugs []string) error {
	f := fail("", "there is no %s %q%s", kind, name, where)
	f.cause = &missing{kind}
	switch near := nearest(name, slugs); {
	case near != "":
		f.next = "Did you mean " + near + "?"
	case len(slugs) == 0 && kind == "Environment":
		f.next = "This token has a grant on none: ask the operator for one (livery teams apply)."
	case len(slugs) == 0:
		f.next = "There is none at all yet."
	default:
		f.next = "There is: " + listed(slugs) + "."
	}
	return f
}

// listed names the first few of many.
func listed(all []string) string {
	const most = 8
	text := ""
	for i, s := range all {
		if i == most {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += s
	}
	return text
}

// findEnvironment returns the Environment called name; an empty name is the only one there is.
func findEnvironment(ctx context.Context, c *client.Client, name string) (client.Environment, error) {
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
		return client.Environment{}, fail("Ask the operator for a grant (livery teams apply).", "this token has a grant on no Environment")
	}
	return client.Environment{}, wrongUsage("Name one with --env: "+listed(slugs)+".", "there is more than one Environment")
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

func findVariant(ctx context.Context, c *client.Client, t client.Theme, name string) (client.Variant, error) {
	of := func(v client.Variant) (string, string) { return v.ID, v.Slug }
	return pick("Variant", name, " of Theme "+t.Slug, c.EveryVariant(ctx, t.EnvironmentID, t.ID), of)
}
