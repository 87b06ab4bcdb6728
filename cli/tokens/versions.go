package tokens

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
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
)

func (a *app) versionsCommand() *cobra.Command {
	var p target.Target
	cmd := &cobra.Command{
		Use:     "versions",
		Short:   "List the published versions of a Theme or Variant, and what each changed",
		Example: "  livery versions --env sandbox --theme acme",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.versions(cmd, p) },
	}
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

// shownVersions is how many versions a person reads at once.
const shownVersions = 20

func (a *app) versions(cmd *cobra.Command, p target.Target) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	set, err := c.Scope(f.Env.ID, f.Theme.ID).Tokens(cmd.Context(), f.VariantID(), client.ReadOptions{IncludeVersions: true})
	if err != nil {
		return err
	}
	list := []version{}
	for e, err := range c.Scope(f.Env.ID, f.Theme.ID).EveryVersion(cmd.Context(), f.VariantID()) {
		if err != nil {
			return err
		}
		if !a.JSON && len(list) == shownVersions {
			break
		}
		row := version{Version: e.Version, At: &e.PublishedAt, By: e.PublishedBy, Note: e.Note, Modes: e.Modes}
		if i := slices.Index(set.Versions, e.Version); i >= 0 && i+1 < len(set.Versions) {
			row.From = set.Versions[i+1]
		}
		if err := row.compare(cmd.Context(), c, f); err != nil {
			return err
		}
		list = append(list, row)
	}
	return a.Show(list, func() { a.printVersions(list, len(set.Versions), set.DraftETag() != "") })
}

// compare compares a version with the one before it. All tokens of the first are new.
func (v *version) compare(ctx context.Context, c *client.Client, f target.Resolved) error {
	var said client.Comparison
	var err error
	if v.From == 0 {
		var set client.TokenSet
		set, err = c.Scope(f.Env.ID, f.Theme.ID).Tokens(ctx, f.VariantID(), client.ReadOptions{Version: v.Version})
		said.Added = changeset.PathsOf(set)
	} else {
		said, err = c.Scope(f.Env.ID, f.Theme.ID).Compare(ctx, f.VariantID(), client.CompareOptions{From: v.From, To: v.Version})
	}
	v.Breaking = said.Breaking
	v.Changes = map[string]int{
		changeset.Removed: len(said.Removed), changeset.Renamed: len(said.Renamed), changeset.Retyped: len(said.Retyped),
		changeset.Changed: len(said.Changed), changeset.Added: len(said.Added), changeset.Described: len(said.Described),
	}
	return err
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
		for _, kind := range []string{changeset.Added, changeset.Changed, changeset.Retyped, changeset.Renamed, changeset.Removed} {
			cells = append(cells, countOf(v.Changes[kind]))
		}
		cells = append(cells, term.Mark(v.Breaking), term.Moment(v.At), orDash(v.By), orDash(v.Note))
		if hasModes {
			cells = append(cells, modesLine(v.Modes))
		}
		t.Add(cells...)
	}
	a.PrintTable(t)
	if all > len(list) {
		a.Say("and %d older; --json lists all", all-len(list))
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
