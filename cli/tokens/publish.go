package tokens

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

const publishText = `Freezes the draft of a Theme as its next version and moves latest to it, or the draft of one
Variant at the newest version of its Theme. A publish of a Theme gives every Variant a draft; --variants
publishes all of them in one step, after the draft of the Theme if there is one.`

// servedWithin is how long --wait waits beyond the cache lifetime of the Environment.
const servedWithin = 30 * time.Second

// publishFlags are the flags of publish.
type publishFlags struct {
	target.Target
	variants, unchanged, wait, strict bool
	note                              string
}

func (a *app) publishCommand() *cobra.Command {
	var p publishFlags
	cmd := &cobra.Command{
		Use:     "publish",
		Short:   "Publish the draft of a Theme or Variant",
		Long:    publishText,
		Example: "  livery publish --env sandbox --theme acme --variants\n  livery publish --env sandbox --theme acme --variant dark --wait",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.publish(cmd, p) },
	}
	cmd.Flags().BoolVar(&p.variants, "variants", false, "publish every Variant with a draft as well")
	cmd.Flags().BoolVar(&p.unchanged, "unchanged", false, "publish the newest version of the Theme once more if it has no draft")
	cmd.Flags().BoolVar(&p.wait, "wait", false, "wait until an edge serves the new version, also as latest")
	cmd.Flags().BoolVar(&p.strict, "strict", false, "exit code 3 if there is no draft to publish")
	cmd.Flags().StringVar(&p.note, "note", "", "why, as `TEXT` that livery versions lists")
	target.OfVariant(cmd, &p.Target)
	cmd.MarkFlagsMutuallyExclusive("variant", "variants")
	cmd.MarkFlagsMutuallyExclusive("variant", "unchanged")
	return a.JSONFlag(cmd)
}

func (a *app) publish(cmd *cobra.Command, p publishFlags) error {
	c, f, err := a.Resolve(cmd, p.Target)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if f.Variant != nil {
		return a.publishVariant(ctx, c, f, p)
	}
	if err := a.noteInferred(ctx, c, f); err != nil {
		return err
	}
	if p.variants && !p.unchanged && !f.Theme.HasUnpublishedChanges {
		return a.publishVariants(ctx, c, f, p, nil)
	}
	t, err := c.PublishTheme(ctx, f.Env.ID, f.Theme.ID, client.PublishOptions{Unchanged: p.unchanged, Note: p.note, Renames: client.RenamesMoves})
	if err != nil {
		return p.explain(err, f.Theme.HasUnpublishedChanges)
	}
	if p.variants {
		return a.publishVariants(ctx, c, f, p, &t)
	}
	if err := a.awaitPublished(ctx, c, p, f, t.ServingURLs); err != nil {
		return err
	}
	return a.Show(t, func() { a.sayPublished(t) })
}

func (a *app) sayPublished(t client.Theme) {
	a.Say("Theme %s is version %s now.", t.Slug, term.Version(t.LatestVersion))
	target.PrintFiles(a.App, t.ServingURLs)
}

func (a *app) publishVariant(ctx context.Context, c *client.Client, f target.Resolved, p publishFlags) error {
	v, err := c.PublishVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, client.PublishOptions{Note: p.note})
	if err != nil {
		return p.explain(err, f.Variant.HasUnpublishedChanges)
	}
	if err := a.awaitPublished(ctx, c, p, f, v.ServingURLs); err != nil {
		return err
	}
	return a.Show(v, func() {
		a.Say("Variant %s is published at version %s.", v.Slug, term.Version(v.LatestVersion))
		target.PrintFiles(a.App, v.ServingURLs)
	})
}

// manyDone is what publish --variants and discard --variants print under --json.
type manyDone struct {
	Theme   *client.Theme           `json:"theme,omitempty"` // nil if it was not published
	Done    []client.DoneVariant    `json:"done"`
	Skipped []client.SkippedVariant `json:"skipped"`
}

// publishVariants publishes the drafts of all Variants in one step. t is the Theme if it was published before, or nil.
func (a *app) publishVariants(ctx context.Context, c *client.Client, f target.Resolved, p publishFlags, t *client.Theme) error {
	made, err := c.Scope(f.Env.ID, f.Theme.ID).PublishVariants(ctx, client.ManyVariants{Note: p.note})
	if err != nil {
		return err
	}
	if p.strict && t == nil && len(made.Done) == 0 {
		return term.NothingToDo("neither Theme %s nor a Variant of it has a draft to publish", f.Theme.Slug)
	}
	if t != nil {
		if err := a.awaitPublished(ctx, c, p, f, t.ServingURLs); err != nil {
			return err
		}
	}
	return a.showMany(t, made, "published")
}

// showMany prints what was done to the drafts of many Variants, and why some were left alone.
func (a *app) showMany(t *client.Theme, made client.ManyResult, did string) error {
	done := manyDone{t, append([]client.DoneVariant{}, made.Done...), append([]client.SkippedVariant{}, made.Skipped...)}
	return a.Show(done, func() {
		if t != nil {
			a.sayPublished(*t)
		}
		if len(made.Done) > 0 {
			table := term.Table{Head: []string{"SLUG", "ADDED", "CHANGED", "REMOVED"}}
			for _, v := range made.Done {
				table.Add(v.Slug, countOf(len(v.Added)), countOf(len(v.Changed)), countOf(len(v.Removed)))
			}
			a.PrintTable(table)
		}
		reasons := map[string]int{}
		for _, s := range made.Skipped {
			reasons[s.Reason]++
		}
		a.Say("Drafts of Variants %s: %d", did, len(made.Done))
		for _, reason := range term.Keys(reasons) {
			a.Say("Skipped as %s: %d", reason, reasons[reason])
		}
	})
}

// noteInferred names the tokens of a Theme's draft that look renamed by their content alone. A publish follows moves only, so the
// overrides of their old names are dropped.
func (a *app) noteInferred(ctx context.Context, c *client.Client, f target.Resolved) error {
	if f.Theme.LatestVersion == nil || !f.Theme.HasUnpublishedChanges {
		return nil
	}
	made, err := c.Scope(f.Env.ID, f.Theme.ID).Compare(ctx, "", client.CompareOptions{})
	if err != nil {
		return err
	}
	inferred := slices.DeleteFunc(made.Renamed, func(r client.Rename) bool { return !r.Inferred })
	if len(inferred) == 0 {
		return nil
	}
	a.Warn("Removed and added with the same content, and not renamed by a move, so that overrides of Variants do not follow: %s.", term.Plural(len(inferred), "token"))
	for _, r := range inferred {
		a.Warn("  %s -> %s", escape.Line(r.From), escape.Line(r.To))
	}
	a.Warn("To move tokens: livery discard, then livery rename, or livery push --replace --renames move.")
	return nil
}

// explain gives the failure that there was no draft the exit code for nothing to do, under --strict.
func (p publishFlags) explain(err error, hadDraft bool) error {
	if p.strict && !hadDraft && errors.Is(err, client.ErrConflict) {
		return term.NothingToDo("%s", term.Explain(err).Sentence)
	}
	return err
}

func (a *app) awaitPublished(ctx context.Context, c *client.Client, p publishFlags, f target.Resolved, urls client.ServingURLs) error {
	if !p.wait {
		return nil
	}
	return AwaitServed(ctx, c, f, urls)
}

func (a *app) discardCommand() *cobra.Command {
	var p target.Target
	var variants bool
	cmd := &cobra.Command{
		Use:     "discard",
		Short:   "Drop the draft of a Theme or Variant; versions stay",
		Example: "  livery discard --env sandbox --theme acme\n  livery discard --env sandbox --theme acme --variants",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if variants {
				return a.discardVariants(cmd, p)
			}
			return a.discard(cmd, p)
		},
	}
	cmd.Flags().BoolVar(&variants, "variants", false, "drop the drafts of all Variants of the Theme, and not its own")
	target.OfVariant(cmd, &p)
	cmd.MarkFlagsMutuallyExclusive("variant", "variants")
	return a.JSONFlag(cmd)
}

func (a *app) discardVariants(cmd *cobra.Command, p target.Target) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	made, err := c.Scope(f.Env.ID, f.Theme.ID).DiscardVariants(cmd.Context(), client.ManyVariants{})
	if err != nil {
		return err
	}
	return a.showMany(nil, made, "dropped")
}

func (a *app) discard(cmd *cobra.Command, p target.Target) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	set, err := c.Scope(f.Env.ID, f.Theme.ID).Tokens(cmd.Context(), f.VariantID(), client.ReadOptions{})
	if err != nil {
		return err
	}
	what, o := "Theme "+f.Theme.Slug, client.EditOptions{ETag: set.DraftETag()}
	if f.Variant != nil {
		what = "Variant " + f.Variant.Slug
		_, err = c.DiscardVariantTokens(cmd.Context(), f.Env.ID, f.Theme.ID, f.Variant.ID, o)
	} else {
		_, err = c.DiscardThemeTokens(cmd.Context(), f.Env.ID, f.Theme.ID, o)
	}
	if err != nil {
		return err
	}
	dropped := set.DraftETag() != ""
	return a.Show(map[string]bool{"dropped": dropped}, func() {
		if dropped {
			a.Say("The draft of %s is dropped.", what)
		} else {
			a.Say("%s had no draft.", what)
		}
	})
}
