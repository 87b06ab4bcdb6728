package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// pushFlags are the flags of push and watch.
type pushFlags struct {
	place
	newTheme
	strict, replace, skipRefused, create, publish, dryRun bool
}

func (p *pushFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.variant, "variant", "", "`VARIANT`, slug or id, to push overrides to (default: the Theme itself)")
	f.BoolVar(&p.strict, "strict", false, "refuse a push that would leave something out of the served files")
	f.BoolVar(&p.replace, "replace", false, "also remove what the files lack (default: keep it)")
	f.BoolVar(&p.skipRefused, "skip-refused", false, "push without what the API refuses, and list that (default: refuse all)")
	f.BoolVar(&p.create, "create", false, "create the Theme or Variant where it is missing")
	f.BoolVar(&p.publish, "publish", false, "publish afterwards")
	p.flags(cmd)
	ofTheme(cmd, &p.place)
}

const pushText = `Turns DTCG files into the smallest batch of operations on the draft of a Theme, and flat
maps (or DTCG files, of which only the values are taken) into overrides of a Variant. Several
files count as one; a later file is laid over an earlier one. "-" reads the standard input.

A token in the files takes the place of the stored one as a whole. What the files do not name
stays as it is, unless --replace is given: then it is removed.

A token that the API refuses (its $type is no known one, its value of a JSON kind that its type never
has, its name forbidden) refuses the whole push. --skip-refused pushes the rest and lists what is left
out on the standard error, always as little as there is to leave out:
  - a token or group of a bad name, and a member that is neither, as a whole;
  - a token whose own $type is unknown, or whose value is of a wrong kind;
  - of a group whose $type is unknown, or one that a stored token below it cannot have, that $type and
    the tokens of the files that have their type from it;
  - a $description or $extensions of a wrong kind alone, without its token;
  - of a Variant the overrides whose path is none; their values are never refused.
What is left out stays as it is stored, also with --replace, unless it no longer fits there.

A push that is too large for one request is sent as several, each on top of the one before; if one
of them is refused, those before it stay in the draft (livery discard drops it).`

func (a *app) pushCommand() *cobra.Command {
	var p pushFlags
	cmd := &cobra.Command{
		Use:   "push FILE...",
		Short: "Push token files to the draft of a Theme or Variant",
		Long:  pushText,
		Example: "  livery push acme.tokens.json --env sandbox --theme acme --create --integration react/plainCSS\n" +
			"  livery push dark.json --env sandbox --theme acme --variant dark --create --publish",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.push(cmd, p, args) },
	}
	p.add(cmd)
	cmd.Flags().BoolVar(&p.dryRun, "dry-run", false, "print the operations instead of sending them")
	return a.printing(cmd)
}

// pushed is what push tells under --json.
type pushed struct {
	ThemeID    string    `json:"themeID"`
	VariantID  string    `json:"variantID,omitempty"`
	Operations int       `json:"operations"`
	ETag       string    `json:"etag,omitempty"` // of the draft; empty where there is none afterwards
	Version    *int      `json:"version,omitempty"`
	Skipped    []skipped `json:"skipped,omitempty"`
	tokens     int
}

func (a *app) push(cmd *cobra.Command, p pushFlags, files []string) error {
	read := a.themeSource
	if p.variant != "" {
		read = a.variantSource
	}
	wanted, err := read(files)
	if err != nil {
		return err
	}
	c, err := a.api()
	if err != nil {
		return err
	}
	f, err := a.target(cmd.Context(), c, p)
	if err != nil {
		return err
	}
	if f.variant != nil {
		return a.pushVariant(cmd.Context(), c, f, p, wanted)
	}
	return a.pushTheme(cmd.Context(), c, f, p, wanted)
}

// target finds the Theme or Variant of a push, and makes what is missing where --create says so.
func (a *app) target(ctx context.Context, c *client.Client, p pushFlags) (found, error) {
	f, err := find(ctx, c, p.place)
	m, ok := errors.AsType[*missing](err)
	if !ok || p.dryRun {
		return f, err
	}
	if !p.create || m.kind == "Environment" {
		if e := explain(err); m.kind != "Environment" {
			e.next += " Or create it with --create."
			return f, e
		}
		return f, err
	}
	if m.kind == "Theme" {
		if f.theme, err = makeTheme(ctx, c, f.env.ID, p.theme, p.newTheme); err != nil {
			return f, err
		}
		f.createdTheme = true
		a.say("Theme %s is created: %s", f.theme.Slug, f.theme.ID)
	}
	if p.variant == "" {
		return f, nil
	}
	v, err := makeVariant(ctx, c, f.theme, p.variant, p.name)
	if err != nil {
		return f, err
	}
	a.say("Variant %s is created: %s", v.Slug, v.ID)
	f.variant, f.createdVariant = &v, true
	return f, nil
}

func (a *app) pushTheme(ctx context.Context, c *client.Client, f found, p pushFlags, wanted *jsontree.Node) error {
	set, current, err := currentDocument(ctx, c, f.theme)
	if err != nil {
		return err
	}
	if !p.replace {
		wanted = joinGroups(current, wanted)
	}
	var out []skipped
	if p.skipRefused {
		wanted, out = admissible(wanted, current)
	}
	operations := themeOperations(current, wanted)
	if p.dryRun {
		return a.printOperations(operations, out)
	}
	set, err = send(a, set, batches(operations, maxBatchBytes, measureTheme), func(etag string, batch []client.Operation) (client.TokenSet, error) {
		return c.EditThemeTokens(ctx, f.env.ID, f.theme.ID, client.EditOptions{ETag: etag, Strict: p.strict}, batch)
	})
	if err != nil {
		a.undo(ctx, c, f, set)
		return explainPush(err, p, len(dtcg.Check(wanted)) > 0)
	}
	a.printSkipped(out)
	done := pushed{ThemeID: f.theme.ID, Operations: len(operations), ETag: set.DraftETag(), Skipped: out, tokens: len(set.Tokens)}
	if p.publish && done.ETag != "" {
		t, err := c.PublishTheme(ctx, f.env.ID, f.theme.ID, client.PublishOptions{IfMatch: done.ETag})
		if err != nil {
			return err
		}
		done.ETag, done.Version = "", t.LatestVersion
	}
	return a.told("Theme "+f.theme.Slug, "token", done, "livery publish --env "+f.env.Slug+" --theme "+f.theme.Slug)
}

func (a *app) pushVariant(ctx context.Context, c *client.Client, f found, p pushFlags, wanted *jsontree.Node) error {
	set, err := c.VariantTokens(ctx, f.env.ID, f.theme.ID, f.variant.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	current, err := flatMap(set)
	if err != nil {
		return err
	}
	var out []skipped
	if p.skipRefused {
		wanted, out = admissibleOverrides(wanted)
	}
	operations := variantOperations(current, wanted, !p.replace)
	if p.dryRun {
		return a.printOperations(operations, out)
	}
	set, err = send(a, set, batches(operations, maxBatchBytes, measureVariant), func(etag string, batch []client.VariantOperation) (client.TokenSet, error) {
		return c.EditVariantTokens(ctx, f.env.ID, f.theme.ID, f.variant.ID, client.EditOptions{ETag: etag, Strict: p.strict}, batch)
	})
	if err != nil {
		a.undo(ctx, c, f, set)
		return explainPush(err, p, hasPathFault(wanted))
	}
	a.printSkipped(out)
	done := pushed{ThemeID: f.theme.ID, VariantID: f.variant.ID, Operations: len(operations), ETag: set.DraftETag(), Skipped: out, tokens: len(set.Tokens)}
	if p.publish && done.ETag != "" {
		v, err := c.PublishVariant(ctx, f.env.ID, f.theme.ID, f.variant.ID, client.PublishOptions{IfMatch: done.ETag})
		if err != nil {
			return explainVariantPublish(err, f)
		}
		done.ETag, done.Version = "", v.LatestVersion
	}
	return a.told("Variant "+f.variant.Slug, "override", done,
		"livery publish --env "+f.env.Slug+" --theme "+f.theme.Slug+" --variant "+f.variant.Slug)
}

func (a *app) told(what, counted string, done pushed, next string) error {
	return a.show(done, func() {
		switch {
		case done.Operations == 0 && done.ETag == "" && done.Version == nil:
			a.say("%s holds exactly this already: %s.", what, plural(done.tokens, counted))
		case done.Version != nil:
			a.say("%s is version %d now: %s.", what, *done.Version, plural(done.tokens, counted))
		case done.ETag == "":
			a.say("%s has no draft: this is what is published.", what)
		default:
			a.say("%s: %s sent, the draft has %s.", what, plural(done.Operations, "operation"), plural(done.tokens, counted))
			a.say("Publish it: %s", next)
		}
	})
}

func (a *app) printOperations(operations any, out []skipped) error {
	a.printSkipped(out)
	a.json = true
	return a.show(struct {
		Operations any       `json:"operations"`
		Skipped    []skipped `json:"skipped,omitempty"`
	}{operations, out}, nil)
}
