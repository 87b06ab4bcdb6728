package tokens

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

const rollbackText = `Publishes the content of an earlier version as the next version of the Theme, or of one Variant. Renames since then are
taken back, so that the overrides of Variants follow; livery publish --variants publishes these. Modes stay as they are.`

// rollbackFlags are the flags of rollback.
type rollbackFlags struct {
	target.Target
	note string
}

func (a *app) rollbackCommand() *cobra.Command {
	var p rollbackFlags
	cmd := &cobra.Command{
		Use:     "rollback VERSION",
		Short:   "Publish the content of an earlier version once more",
		Long:    rollbackText,
		Example: "  livery rollback 3 --env sandbox --theme acme --note 'the red was wrong'",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := strconv.Atoi(args[0])
			if err != nil || version < 1 {
				return term.Fail("livery versions lists them.", "%q is not the number of a version", args[0])
			}
			return a.rollback(cmd, p, version)
		},
	}
	cmd.Flags().StringVar(&p.note, "note", "", "why, as `TEXT` that livery versions lists (default: which version it is)")
	target.OfVariant(cmd, &p.Target)
	return a.JSONFlag(cmd)
}

func (a *app) rollback(cmd *cobra.Command, p rollbackFlags, version int) error {
	c, f, err := a.Resolve(cmd, p.Target)
	if err != nil {
		return err
	}
	if p.note == "" {
		p.note = "rollback to version " + strconv.Itoa(version)
	}
	if f.Variant != nil {
		return a.rollbackVariant(cmd.Context(), c, f, version, p.note)
	}
	if f.Theme.HasUnpublishedChanges {
		return draftInTheWay("Theme " + f.Theme.Slug)
	}
	set, err := c.Scope(f.Env.ID, f.Theme.ID).Restore(cmd.Context(), "", version, client.EditOptions{})
	if err != nil {
		return NoVersion(err, f, version)
	}
	t := f.Theme
	if set.DraftETag() != "" {
		o := client.PublishOptions{IfMatch: set.DraftETag(), Note: p.note, Renames: client.RenamesMoves}
		if t, err = c.PublishTheme(cmd.Context(), f.Env.ID, f.Theme.ID, o); err != nil {
			return err
		}
	}
	return a.Show(t, func() {
		if set.DraftETag() == "" {
			a.Say("Theme %s is as version %d already.", t.Slug, version)
			return
		}
		a.Say("Theme %s is version %s now, with the content of version %d.", t.Slug, term.Version(t.LatestVersion), version)
		target.PrintFiles(a.App, t.ServingURLs)
	})
}

// rollbackVariant restores a version of a Variant and publishes it.
func (a *app) rollbackVariant(ctx context.Context, c *client.Client, f target.Resolved, version int, note string) error {
	v, scope := *f.Variant, c.Scope(f.Env.ID, f.Theme.ID)
	if v.LatestVersion == nil {
		return term.Fail("Nothing of it is published yet.", "Variant %s has no version %d", v.Slug, version)
	}
	sealed := *v.LatestVersion == *f.Theme.LatestVersion
	switch { // else the draft is what a publish of the Theme left for review
	case sealed && v.HasUnpublishedChanges:
		return draftInTheWay("Variant " + v.Slug)
	case sealed && f.Theme.HasUnpublishedChanges:
		return draftInTheWay("Theme " + f.Theme.Slug)
	}
	old, err := c.Scope(f.Env.ID, f.Theme.ID).Tokens(ctx, v.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	set, err := scope.Restore(ctx, v.ID, version, client.EditOptions{ETag: old.DraftETag()})
	if err != nil {
		return NoVersion(err, f, version)
	}
	if sealed && set.DraftETag() != "" {
		o := client.PublishOptions{Unchanged: true, Note: fmt.Sprintf("for variant %s: %s", v.Slug, note)}
		if _, err := c.PublishTheme(ctx, f.Env.ID, f.Theme.ID, o); err != nil {
			return err
		}
	}
	if set.DraftETag() != "" {
		if v, err = c.PublishVariant(ctx, f.Env.ID, f.Theme.ID, v.ID, client.PublishOptions{Note: note}); err != nil {
			return err
		}
	}
	return a.Show(v, func() {
		if set.DraftETag() == "" {
			a.Say("Variant %s is as version %d already.", v.Slug, version)
			return
		}
		a.Say("Variant %s is published at version %s, with the overrides of version %d.", v.Slug, term.Version(v.LatestVersion), version)
		target.PrintFiles(a.App, v.ServingURLs)
	})
}

// draftInTheWay says that a draft would be lost.
func draftInTheWay(what string) error {
	return term.Fail("Publish it, or drop it with livery discard; livery diff shows it.", "%s has a draft", what)
}
