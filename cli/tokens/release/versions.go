package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
)

func (a *app) versionsCommand() *cobra.Command {
	var p target.Target
	var most int
	cmd := &cobra.Command{
		Use:     "versions",
		Short:   "List the published versions of a Theme or Variant, and what each changed",
		Example: "  livery versions --env sandbox --theme acme",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.versions(cmd, p, most) },
	}
	cmd.Flags().IntVar(&most, "limit", 10, "how many `VERSIONS` to list, the newest first; 0 lists all")
	return a.JSONFlag(target.OfVariant(cmd, &p))
}

// version is one row of versions.
type version struct {
	Version  int            `json:"version"`
	From     int            `json:"from"` // the version before; 0 for the first
	Changes  map[string]int `json:"changes"`
	Breaking bool           `json:"breaking"`
	At       *time.Time     `json:"publishedAt"` // as By and Note, of the list of versions
	By       *string        `json:"publishedBy"` // nil if the caller is not told
	Note     *string        `json:"note"`        // nil without one
	Modes    []client.Mode  `json:"modes,omitempty"`
}

func (a *app) versions(cmd *cobra.Command, p target.Target, most int) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	var set client.TokenSet
	o := client.ReadOptions{IncludeVersions: true}
	if f.Variant != nil {
		set, err = c.VariantTokens(cmd.Context(), f.Env.ID, f.Theme.ID, f.Variant.ID, o)
	} else {
		set, err = c.ThemeTokens(cmd.Context(), f.Env.ID, f.Theme.ID, o)
	}
	if err != nil {
		return err
	}
	list, err := versionRows(cmd.Context(), c, f, set.Versions, most)
	if err != nil {
		return err
	}
	if err := addRemarks(cmd.Context(), c, f, list); err != nil {
		return err
	}
	return a.Show(list, func() { a.printVersions(list, len(set.Versions), set.DraftETag() != "") })
}

// versionRows compares each of the newest versions with the one before it.
func versionRows(ctx context.Context, c *client.Client, f target.Resolved, all []int, most int) ([]version, error) {
	list := []version{}
	for i, n := range all {
		if most > 0 && i == most {
			break
		}
		row := version{Version: n}
		var said client.Comparison
		var err error
		switch {
		case i+1 == len(all):
			said, err = firstVersion(ctx, c, f, n)
		case f.Variant != nil:
			row.From = all[i+1]
			said, err = c.CompareVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, client.CompareOptions{From: row.From, To: n})
		default:
			row.From = all[i+1]
			said, err = c.CompareTheme(ctx, f.Env.ID, f.Theme.ID, client.CompareOptions{From: row.From, To: n})
		}
		if err != nil {
			return nil, err
		}
		row.Breaking = said.Breaking
		row.Changes = map[string]int{
			tokendiff.Removed.String(): len(said.Removed), tokendiff.Renamed.String(): len(said.Renamed), tokendiff.Retyped.String(): len(said.Retyped),
			tokendiff.Changed.String(): len(said.Changed), tokendiff.Added.String(): len(said.Added),
			tokendiff.Described.String(): len(said.Described),
		}
		list = append(list, row)
	}
	return list, nil
}

// addRemarks says of each version when, by whom and why it was published.
func addRemarks(ctx context.Context, c *client.Client, f target.Resolved, list []version) error {
	if len(list) == 0 {
		return nil
	}
	variant := ""
	if f.Variant != nil {
		variant = f.Variant.ID
	}
	entries := map[int]client.VersionEntry{}
	for e, err := range c.Scope(f.Env.ID, f.Theme.ID).EveryVersion(ctx, variant) {
		if err != nil {
			return err
		}
		if entries[e.Version] = e; len(entries) == len(list) {
			break
		}
	}
	for i := range list {
		if e, known := entries[list[i].Version]; known {
			list[i].At, list[i].By, list[i].Note = &e.PublishedAt, e.PublishedBy, e.Note
			list[i].Modes = e.Modes
		}
	}
	return nil
}

// firstVersion tells of the first version that all its tokens are new.
func firstVersion(ctx context.Context, c *client.Client, f target.Resolved, n int) (client.Comparison, error) {
	set, err := TokensAt(ctx, c, f, &n)
	return client.Comparison{Added: tokentree.PathsOf(set)}, err
}

func (a *app) printVersions(list []version, all int, draft bool) {
	if draft {
		a.Say("There is a draft: livery diff shows it.")
	}
	if len(list) == 0 {
		a.Say("Nothing is published yet.")
		return
	}
	hasModes := slices.ContainsFunc(list, func(v version) bool { return len(v.Modes) > 0 })
	t := term.Table{Head: []string{"VERSION", "ADDED", "CHANGED", "RETYPED", "RENAMED", "REMOVED", "CAN BREAK", "PUBLISHED", "BY", "NOTE"}}
	if hasModes {
		t.Head = append(t.Head, "MODES")
	}
	for _, v := range list {
		cells := []any{fmt.Sprint(v.Version)}
		for kind := range int(tokendiff.Added) + 1 {
			cells = append(cells, countOf(v.Changes[(tokendiff.Added-tokendiff.Kind(kind)).String()]))
		}
		cells = append(cells, term.Mark(v.Breaking), term.Moment(v.At), orDash(v.By), orDash(v.Note))
		if hasModes {
			cells = append(cells, modesLine(v.Modes))
		}
		t.Add(cells...)
	}
	a.PrintTable(t)
	if all > len(list) {
		a.Say("and %d older; --limit 0 lists all", all-len(list))
	}
}

// modesLine spells a list of modes as "scheme: light, dark; contrast: more".
func modesLine(list []client.Mode) string {
	var dimensions []string
	modes := map[string][]string{}
	for _, m := range list {
		if modes[m.Dimension] == nil {
			dimensions = append(dimensions, m.Dimension)
		}
		if !slices.Contains(modes[m.Dimension], m.Mode) {
			modes[m.Dimension] = append(modes[m.Dimension], m.Mode)
		}
	}
	for i, d := range dimensions {
		dimensions[i] = d + ": " + strings.Join(modes[d], ", ")
	}
	return cmp.Or(strings.Join(dimensions, "; "), "-")
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

func countOf(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// NoVersion says which version is missing, if that is why the origin answered that there is nothing.
func NoVersion(err error, f target.Resolved, wanted ...int) error {
	what, newest := "Theme "+f.Theme.Slug, f.Theme.LatestVersion
	if f.Variant != nil {
		what, newest = "Variant "+f.Variant.Slug, f.Variant.LatestVersion
	}
	i := slices.IndexFunc(wanted, func(n int) bool { return n > 0 && (newest == nil || n > *newest) })
	if i < 0 || !errors.Is(err, client.ErrNotFound) {
		return err
	}
	next := "Nothing of it is published yet."
	if newest != nil {
		next = fmt.Sprintf("Its newest is %d; livery versions lists them.", *newest)
	}
	return term.Fail(next, "%s has no version %d", what, wanted[i])
}

// TokensAt reads an edition: nil is the current document, 0 is what is before the first version.
func TokensAt(ctx context.Context, c *client.Client, f target.Resolved, version *int) (client.TokenSet, error) {
	var o client.ReadOptions
	if version != nil {
		o.Version = *version
	}
	switch {
	case version != nil && *version == 0:
		return client.TokenSet{}, nil
	case f.Variant != nil:
		return c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, o)
	}
	return c.ThemeTokens(ctx, f.Env.ID, f.Theme.ID, o)
}
