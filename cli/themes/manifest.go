package themes

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

func (a *app) themeManifest() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "manifest THEME",
		Short: "Show the one address that an application needs, and what stands behind it",
		Long: "Prints the address of the manifest, which edges serve with the rules of the Theme: its files and those\n" +
			"of its published Variants, by slug, with their addresses, versions and digests. --json prints the manifest.",
		Example: "  livery theme manifest acme --env sandbox",
	}
	return a.onTheme(cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		m, err := c.Scope(f.Env.ID, f.Theme.ID).Manifest(ctx)
		if errors.Is(err, client.ErrNotFound) {
			return term.Fail("Publish it first: livery publish --theme "+f.Theme.Slug, "Theme %s has no version yet", f.Theme.Slug)
		}
		if err != nil {
			return err
		}
		return a.Show(m, func() { a.printManifest(m) })
	})
}

func (a *app) printManifest(m client.Manifest) {
	a.Say("%s", m.URL)
	t := term.Table{Head: []string{"VARIANT", "VERSION", "SEALED", "FILE", "BYTES", "SHA-256"}}
	add := func(slug, version, sealed string, files map[string]client.ManifestFile) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			t.Add(slug, version, sealed, name, strconv.Itoa(files[name].Bytes), files[name].SHA256)
		}
	}
	add("", strconv.Itoa(m.Version), term.Mark(true), m.Files)
	for _, slug := range slices.Sorted(maps.Keys(m.Variants)) {
		v := m.Variants[slug]
		add(slug, strconv.Itoa(v.Version), term.Mark(v.Sealed), v.Files)
	}
	a.PrintTable(t)
}
