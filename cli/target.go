package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/client"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// pushTarget is the Theme or Variant that a push goes to, as it was last read.
type pushTarget struct {
	a                   *app
	c                   *client.Client
	f                   found
	p                   pushFlags
	wanted              *sources
	what, counted, next string // for messages

	set  client.TokenSet
	base *jsontree.Node // the current document, or the current overrides as a flat map
}

// pushPlan is what a push is about to send.
type pushPlan struct {
	wanted     *jsontree.Node // what stands afterwards
	changes    []change
	skipped    []skipped
	notes      []string
	theme      []client.Operation
	variant    []client.VariantOperation
	operations any // theme or variant
	count      int // of operations
	skippable  bool
	remains    *remainder // nil unless --skip-refused is given
}

func newPushTarget(a *app, c *client.Client, f found, p pushFlags, wanted *sources) *pushTarget {
	t := &pushTarget{a: a, c: c, f: f, p: p, wanted: wanted, what: "Theme " + f.theme.Slug, counted: "token"}
	t.next = "livery publish --env " + f.env.Slug + " --theme " + f.theme.Slug
	if f.variant != nil {
		t.what, t.counted = "Variant "+f.variant.Slug, "override"
		t.next += " --variant " + f.variant.Slug
	}
	return t
}

// read reads what stands at the target now.
func (t *pushTarget) read(ctx context.Context) error {
	var err error
	if t.f.absent {
		t.base = jsontree.NewObject()
		return nil
	}
	if t.f.variant == nil {
		t.set, t.base, err = currentDocument(ctx, t.c, t.f.theme)
		return err
	}
	if t.set, err = t.c.VariantTokens(ctx, t.f.env.ID, t.f.theme.ID, t.f.variant.ID, client.ReadOptions{}); err != nil {
		return err
	}
	t.base, err = flatMap(t.set)
	return err
}

// plan computes the smallest batch that makes the target what the files want.
func (t *pushTarget) plan() pushPlan {
	if t.f.variant != nil {
		return t.planVariant()
	}
	return t.planTheme()
}

func (t *pushTarget) planTheme() pushPlan {
	p := pushPlan{wanted: t.wanted.tree, skipped: t.wanted.faults}
	if !t.p.replace {
		p.wanted = joinGroups(t.base, p.wanted)
	}
	if t.p.skipRefused {
		var out []skipped
		p.wanted, out = admissible(p.wanted, t.base)
		p.remains = remainingTokens(t.wanted.tree, out, t.wanted.faults)
		p.skipped = append(p.skipped[:len(p.skipped):len(p.skipped)], out...)
	}
	renames := tokendiff.Renames(dtcg.Read(t.base), dtcg.Read(p.wanted))
	p.theme = sendable(patch.Diff(t.base, p.wanted, renames.Moves), maxBatchBytes)
	p.operations, p.count = p.theme, len(p.theme)
	if p.theme == nil {
		p.operations = []client.Operation{}
	}
	p.changes = compareDocuments(t.base, p.wanted, renames)
	p.skippable = len(dtcg.Check(p.wanted)) > 0
	if !t.p.replace {
		p.notes = t.looksRenamed()
	}
	return p
}

// looksRenamed tells of tokens that --replace would move, where the files hold most of the Theme.
func (t *pushTarget) looksRenamed() []string {
	before, files := dtcg.Read(t.base), dtcg.Read(t.wanted.tree)
	if 2*len(files.Tokens) < len(before.Tokens) {
		return nil
	}
	renamed := tokendiff.Renames(before, files).Tokens
	if len(renamed) == 0 {
		return nil
	}
	from := keys(renamed)[0]
	note := fmt.Sprintf("%s looks renamed to %s in the files", from, renamed[from])
	if len(renamed) > 1 {
		note += fmt.Sprintf(", and %s more", plural(len(renamed)-1, "token"))
	}
	return []string{note + "; --replace moves it, and its overrides with it. Without it the old name stays."}
}

func (t *pushTarget) planVariant() pushPlan {
	p := pushPlan{wanted: t.wanted.tree, skipped: t.wanted.faults, skippable: hasPathFault(t.wanted.tree)}
	if t.p.skipRefused {
		var out []skipped
		p.wanted, out = admissibleOverrides(p.wanted)
		p.remains = remainingOverrides(t.wanted.tree, p.wanted, t.wanted.faults)
		p.skipped = append(p.skipped[:len(p.skipped):len(p.skipped)], out...)
	}
	p.variant = variantOperations(t.base, p.wanted, !t.p.replace)
	if !t.p.replace {
		p.wanted = joinFlat(t.base, p.wanted)
	}
	p.operations, p.count = p.variant, len(p.variant)
	if p.variant == nil {
		p.operations = []client.VariantOperation{}
	}
	p.changes = compareOverrides(t.base, p.wanted)
	return p
}

// joinFlat lays one flat map over another.
func joinFlat(under, over *jsontree.Node) *jsontree.Node {
	members := append([]jsontree.Member(nil), under.Members...)
	joined := jsontree.NewObject(members...)
	joined.Index()
	for _, m := range over.Members {
		if i := joined.IndexOf(m.Name); i >= 0 {
			members[i].Value = m.Value
			continue
		}
		members = append(members, m)
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

// send sends a plan on top of what was read, in as many requests as it takes. The result is what
// stands after the last that was taken.
func (t *pushTarget) send(ctx context.Context, p pushPlan) (client.TokenSet, error) {
	options := client.EditOptions{Strict: t.p.strict}
	if t.f.variant == nil {
		return send(t.a, t.set, batches(p.theme, maxBatchBytes, measureTheme), func(etag string, batch []client.Operation) (client.TokenSet, error) {
			options.ETag = etag
			return t.c.EditThemeTokens(ctx, t.f.env.ID, t.f.theme.ID, options, batch)
		})
	}
	return send(t.a, t.set, batches(p.variant, maxBatchBytes, measureVariant), func(etag string, batch []client.VariantOperation) (client.TokenSet, error) {
		options.ETag = etag
		return t.c.EditVariantTokens(ctx, t.f.env.ID, t.f.theme.ID, t.f.variant.ID, options, batch)
	})
}

// publish publishes the draft of that etag and returns the version and where its files are served.
func (t *pushTarget) publish(ctx context.Context, etag string) (*int, client.ServingURLs, error) {
	if t.f.variant == nil {
		theme, err := t.c.PublishTheme(ctx, t.f.env.ID, t.f.theme.ID, client.PublishOptions{IfMatch: etag})
		return theme.LatestVersion, theme.ServingURLs, err
	}
	v, err := t.c.PublishVariant(ctx, t.f.env.ID, t.f.theme.ID, t.f.variant.ID, client.PublishOptions{IfMatch: etag})
	if err != nil {
		return nil, v.ServingURLs, explainVariantPublish(err, t.f)
	}
	return v.LatestVersion, v.ServingURLs, nil
}

// noteUnknownOverrides tells of overrides that name no token of the Theme, and are ignored for that.
func (a *app) noteUnknownOverrides(ctx context.Context, c *client.Client, f found, overrides *jsontree.Node) error {
	set, err := c.ThemeTokens(ctx, f.env.ID, f.theme.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	known := make(map[string]json.RawMessage, len(set.Tokens))
	for _, t := range set.Tokens {
		known[t.Path] = t.Value
	}
	var unknown []string
	for _, m := range overrides.Members {
		if known[m.Name] == nil {
			unknown = append(unknown, m.Name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	hint := ""
	if near := nearest(unknown[0], keys(known)); near != "" {
		hint = " Did you mean " + near + "?"
	}
	are := " names no token"
	if len(unknown) > 1 {
		are = " name no token"
	}
	a.warn("Mind: %s%s of Theme %s and changes nothing: %s.%s", plural(len(unknown), "override"), are, f.theme.Slug, escape.Line(listed(unknown)), hint)
	return nil
}
