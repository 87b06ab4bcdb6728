package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/batch"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/release"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// pushTarget is the Theme or Variant that a push goes to, as it was last read.
type pushTarget struct {
	a                   *app
	c                   *client.Client
	f                   target.Resolved
	p                   pushFlags
	wanted              *source.Sources
	what, counted, next string                          // for messages
	report              func(*pushTarget, Result) error // tells what came of it; nil prints it

	set   client.TokenSet
	base  *jsontree.Node // the current document, or the current overrides as a flat map
	theme *jsontree.Node // of a Variant, the current document of its Theme
}

// pushPlan is what a push is about to send.
type pushPlan struct {
	wanted     *jsontree.Node // what stands afterwards
	changes    []changeset.Change
	skipped    []validate.Dropped
	notes      []string
	renamed    map[string]string // path of a token that stands elsewhere afterwards -> that path
	guessed    [][2]string       // paths before and after of tokens that look renamed, and that no design tool says are
	theme      []client.Operation
	variant    []client.VariantOperation
	operations any                // theme or variant
	count      int                // of operations
	remains    *remainder         // nil under --strict
	unserved   []validate.Dropped // tokens of the files that the draft takes and that no served file has
	hidden     []validate.Dropped // tokens of the files that tokens.css does not have, because another has their name there
}

func newPushTarget(a *app, c *client.Client, f target.Resolved, p pushFlags, wanted *source.Sources) *pushTarget {
	t := &pushTarget{a: a, c: c, f: f, p: p, wanted: wanted, what: "Theme " + f.Theme.Slug, counted: "token"}
	t.next = "livery publish --env " + f.Env.Slug + " --theme " + f.Theme.Slug
	if f.Variant != nil {
		t.what, t.counted = "Variant "+f.Variant.Slug, "override"
		t.next += " --variant " + f.Variant.Slug
	}
	return t
}

// read reads what stands at the target now.
func (t *pushTarget) read(ctx context.Context) (err error) {
	if t.f.Variant != nil && t.theme == nil && t.f.Theme.ID != "" {
		if _, t.theme, err = tokentree.CurrentDocument(ctx, t.c, t.f.Theme); err != nil {
			return err
		}
	}
	if t.f.Absent {
		t.base = jsontree.NewObject()
		return nil
	}
	if t.f.Variant == nil {
		t.set, t.base, err = tokentree.CurrentDocument(ctx, t.c, t.f.Theme)
	} else if t.set, err = t.c.VariantTokens(ctx, t.f.Env.ID, t.f.Theme.ID, t.f.Variant.ID, client.ReadOptions{}); err == nil {
		t.base, err = tokentree.FlatMap(t.set)
	}
	if err == nil && t.p.Mode == "" && t.p.variants != "auto" {
		t.wanted = t.wanted.AsStored(t.base)
	}
	return err
}

// plan computes the smallest batch that makes the target what the files want.
func (t *pushTarget) plan() pushPlan {
	if t.f.Variant != nil {
		return t.planVariant()
	}
	return t.planTheme()
}

// refuseSize returns the failure that a target would be larger than the API takes. A push of several requests would end
// half way.
func (t *pushTarget) refuseSize(plan pushPlan) error {
	if size := len(jsontree.Append(nil, plan.wanted)); size > batch.MaxDocumentBytes {
		return term.Fail("Push fewer files, or to several Themes.", "nothing is pushed: %s would have %d bytes of JSON, and the most are %d", t.what, size, batch.MaxDocumentBytes)
	}
	return nil
}

// refuseStrict returns the failure that the API would refuse a push under --strict: some of it is not valid, or no served
// file would have all of it.
func (t *pushTarget) refuseStrict(plan pushPlan) error {
	if !t.p.strict || t.f.Variant != nil && t.theme == nil {
		return nil
	}
	f := term.Fail("Fix them, or push without --strict.", "nothing is pushed: no served file would have all of %s:", t.what)
	type key struct{ path, kind string }
	known, isSaid := map[key]int{}, map[string]bool{}
	add := func(d validate.Dropped) {
		isSaid[d.Path] = true
		f.Faults = append(f.Faults, d.Path+": "+d.Said())
	}
	_, invalid := t.dropInvalid(plan)
	for _, d := range invalid {
		add(d)
	}
	for _, d := range t.served(t.base).Diagnostics() {
		known[key{cmp.Or(plan.renamed[d.Path], d.Path), d.Kind}]++
	}
	for _, d := range t.diagnose(plan.wanted) {
		at := key{d.Path, d.Kind}
		if known[at]--; known[at] < 0 && !isSaid[d.Path] {
			add(validate.Dropped{Path: d.Path, Reason: validate.Message(d, t.wanted.Tree), Location: t.wanted.TokenLocation(d.Path)})
		}
	}
	if len(f.Faults) == 0 {
		return nil
	}
	return f
}

// served are the files of the target if it is that document, or has these overrides.
func (t *pushTarget) served(tree *jsontree.Node) *renderer.Set {
	if t.f.Variant != nil {
		return renderer.LoadTree(t.theme, tree, "")
	}
	return renderer.LoadTree(tree, nil, "")
}

// diagnose lists what the files of the target would leave out, with the nearest of names that are missing.
func (t *pushTarget) diagnose(tree *jsontree.Node) []dtcg.Diagnostic {
	document := tree
	if t.f.Variant != nil {
		document = t.theme
	}
	return validate.WithNearest(t.served(tree).Diagnostics(), document)
}

// dropInvalid returns what a plan wants without what the API would refuse of it, and that with its places.
func (t *pushTarget) dropInvalid(p pushPlan) (valid *jsontree.Node, out []validate.Dropped) {
	if t.f.Variant != nil {
		valid, out = validate.DropInvalidOverrides(p.wanted)
	} else {
		valid, out = validate.DropInvalid(p.wanted, t.base)
	}
	for i, d := range out {
		out[i].Location = cmp.Or(t.wanted.Location(d.Pointer), t.wanted.TokenLocation(d.Path))
	}
	return valid, out
}

func (t *pushTarget) planTheme() pushPlan {
	p := pushPlan{skipped: t.wanted.Faults}
	under := t.base
	if t.p.replace {
		under = tokentree.Only(t.base, t.faultPaths())
	}
	p.wanted = tokentree.JoinGroups(under, t.wanted.Tree)
	if !t.p.strict {
		var out []validate.Dropped
		p.wanted, out = t.dropInvalid(p)
		p.remains = remainingTokens(t.wanted.Tree, out, t.lostFaults())
		p.skipped = append(p.skipped[:len(p.skipped):len(p.skipped)], out...)
		left := leftPointers(out)
		files := dtcg.Read(t.wanted.Tree)
		t.findUnserved(&p, func(path string) *jsontree.Node {
			if token := files.Token(path); token != nil && !isLeft(token.Pointer().String(), left) {
				return token.Value
			}
			return nil
		})
	}
	before, after := dtcg.Read(t.base), dtcg.Read(p.wanted)
	renames := tokendiff.Renames(before, after)
	for _, from := range renames.Guessed {
		p.guessed = append(p.guessed, [2]string{from, renames.Tokens[from]})
	}
	if t.p.renames != moveRenames {
		renames = tokendiff.IdentifiedRenames(before, after)
	}
	p.renamed = renames.Tokens
	ops, _ := patch.Diff(t.base, p.wanted, renames.Moves)
	p.theme = batch.Sendable(ops, batch.MaxBatchBytes)
	p.operations, p.count = p.theme, len(p.theme)
	if p.theme == nil {
		p.operations = []client.Operation{}
	}
	p.changes = changeset.Documents(t.base, p.wanted, renames)
	if !t.p.replace {
		p.notes = t.looksRenamed()
	}
	return p
}

// faultPaths are the paths of the tokens that the files name and that cannot be made of them: they stay as they are
// stored.
func (t *pushTarget) faultPaths() (paths []string) {
	for _, f := range t.wanted.Faults {
		paths = append(paths, f.Path)
	}
	return paths
}

// lostFaults are the faults of the files but for those of places that the Theme has in the same form: they stay as they
// are.
func (t *pushTarget) lostFaults() []validate.Dropped {
	return slices.DeleteFunc(slices.Clone(t.wanted.Faults), func(f validate.Dropped) bool {
		at, ok := jsontree.ParsePointer(f.Pointer)
		inFiles := t.wanted.Tree.Lookup(at)
		return ok && len(at) > 0 && inFiles != nil && jsontree.Equal(inFiles, t.base.Lookup(at))
	})
}

// unservedBefore returns what tells whether the target has a token of that value already, and no served file has it.
func (t *pushTarget) unservedBefore() func(path string, value *jsontree.Node) bool {
	document, overrides := t.base, (*jsontree.Node)(nil)
	if t.f.Variant != nil {
		document, overrides = t.theme, t.base
	}
	lost, tokens := lostPaths(t.served(t.base)), dtcg.Read(document)
	return func(path string, value *jsontree.Node) bool {
		stored := overrides.Find(path)
		if token := tokens.Token(path); stored == nil && token != nil {
			stored = token.Value
		}
		return lost[path] && jsontree.Equal(stored, value)
	}
}

// lostPaths has the paths of the tokens that no served file of a set has.
func lostPaths(set *renderer.Set) map[string]bool {
	lost := map[string]bool{}
	for _, d := range set.Diagnostics() {
		lost[d.Path] = lost[d.Path] || slices.Contains(losses, d.Kind)
	}
	return lost
}

// ofVariant returns what tells the value of an override of the files, or of a token of the Theme that is served without
// them.
func (t *pushTarget) ofVariant(files *jsontree.Node) func(path string) *jsontree.Node {
	lost, theme := lostPaths(renderer.LoadTree(t.theme, nil, "")), dtcg.Read(t.theme)
	return func(path string) *jsontree.Node {
		if own := files.Find(path); own != nil {
			return own
		}
		if token := theme.Token(path); token != nil && !lost[path] {
			return token.Value
		}
		return nil
	}
}

// dependents counts the tokens that no served file has because of an override of the files, though they do not override
// them.
func (p *pushPlan) dependents(files *jsontree.Node) (count int) {
	for _, d := range p.unserved {
		if files.Find(d.Path) == nil {
			count++
		}
	}
	return count
}

// findUnserved finds the tokens of the files that no served file would have, besides those with references that were
// kept. valueOf returns the value that the files have for a path, or nil.
func (t *pushTarget) findUnserved(p *pushPlan, valueOf func(path string) *jsontree.Node) {
	kept := map[string]bool{}
	for _, u := range t.wanted.Unapplied {
		kept[u.Path] = t.p.KeepReferences
	}
	found := t.diagnose(p.wanted)
	p.unserved = p.remains.notServed(found, t.unservedBefore(), func(path string) *jsontree.Node {
		if kept[path] {
			return nil
		}
		return valueOf(path)
	})
	for _, d := range found {
		if d.Kind == dtcg.NameCollision && valueOf(d.Path) != nil {
			p.hidden = append(p.hidden, validate.Dropped{Path: d.Path, Reason: d.Message})
		}
	}
	for _, list := range [][]validate.Dropped{p.unserved, p.hidden} {
		for i := range list {
			list[i].Location = t.wanted.TokenLocation(list[i].Path)
		}
	}
}

// looksRenamed tells of tokens that --replace would move, if the files hold most of the Theme.
func (t *pushTarget) looksRenamed() []string {
	before, files := dtcg.Read(t.base), dtcg.Read(t.wanted.Tree)
	if 2*len(files.Tokens) < len(before.Tokens) {
		return nil
	}
	renamed := tokendiff.Renames(before, files).Tokens
	if len(renamed) == 0 {
		return nil
	}
	from := term.Keys(renamed)[0]
	note := fmt.Sprintf("%s looks renamed to %s in the files", from, renamed[from])
	if len(renamed) > 1 {
		note += fmt.Sprintf(", and %s more", term.Plural(len(renamed)-1, "token"))
	}
	return []string{note + "; with --replace the push can move it, and its overrides with it. Without it the old name stays."}
}

func (t *pushTarget) planVariant() pushPlan {
	p := pushPlan{wanted: t.wanted.Tree, skipped: t.wanted.Faults}
	if !t.p.strict {
		var out []validate.Dropped
		p.wanted, out = t.dropInvalid(p)
		p.remains = remainingOverrides(t.wanted.Tree, p.wanted, t.lostFaults())
		p.skipped = append(p.skipped[:len(p.skipped):len(p.skipped)], out...)
	}
	files := p.wanted
	if t.p.replace {
		p.wanted = tokentree.JoinFlat(tokentree.OnlyFlat(t.base, t.faultPaths()), p.wanted)
	}
	p.variant = batch.VariantOperations(t.base, p.wanted, !t.p.replace)
	if !t.p.replace {
		p.wanted = tokentree.JoinFlat(t.base, p.wanted)
	}
	if !t.p.strict && t.theme != nil {
		t.findUnserved(&p, t.ofVariant(files))
		count := p.dependents(files)
		p.remains.Of, p.remains.Pushed = p.remains.Of+count, p.remains.Pushed+count
	}
	p.operations, p.count = p.variant, len(p.variant)
	if p.variant == nil {
		p.operations = []client.VariantOperation{}
	}
	p.changes = changeset.Overrides(t.base, p.wanted)
	return p
}

// send sends a plan on top of what was read, in as many requests as it takes. The result is what
// stands after the last that was taken.
func (t *pushTarget) send(ctx context.Context, p pushPlan) (client.TokenSet, error) {
	options := client.EditOptions{Strict: t.p.strict}
	if t.f.Variant == nil {
		return send(t.a, t.set, batch.Batches(p.theme, batch.MaxBatchBytes, batch.MeasureTheme), func(etag string, batch []client.Operation) (client.TokenSet, error) {
			options.ETag = etag
			return t.c.EditThemeTokens(ctx, t.f.Env.ID, t.f.Theme.ID, options, batch)
		})
	}
	return send(t.a, t.set, batch.Batches(p.variant, batch.MaxBatchBytes, batch.MeasureVariant), func(etag string, batch []client.VariantOperation) (client.TokenSet, error) {
		options.ETag = etag
		return t.c.EditVariantTokens(ctx, t.f.Env.ID, t.f.Theme.ID, t.f.Variant.ID, options, batch)
	})
}

// publish publishes the draft of that etag and returns the version and the addresses of its files.
func (t *pushTarget) publish(ctx context.Context, etag string) (*int, client.ServingURLs, error) {
	if t.f.Variant == nil {
		theme, err := t.c.PublishTheme(ctx, t.f.Env.ID, t.f.Theme.ID, client.PublishOptions{IfMatch: etag, Renames: client.RenamesMoves})
		return theme.LatestVersion, theme.ServingURLs, err
	}
	v, err := t.publishVariant(ctx, client.PublishOptions{IfMatch: etag})
	if err != nil {
		return nil, v.ServingURLs, release.ExplainVariantPublish(err, t.f)
	}
	return v.LatestVersion, v.ServingURLs, nil
}

// publishVariant publishes the Variant. What it serves at a version of its Theme never changes: if it was published at
// the newest already, the Theme is published once more as it is, unless it has a draft.
func (t *pushTarget) publishVariant(ctx context.Context, o client.PublishOptions) (client.Variant, error) {
	theme, was := t.f.Theme, t.f.Variant.LatestVersion
	if was != nil && theme.LatestVersion != nil && *was == *theme.LatestVersion && !theme.HasUnpublishedChanges {
		again := client.PublishOptions{Unchanged: true, Note: "for variant " + t.f.Variant.Slug}
		if _, err := t.c.PublishTheme(ctx, theme.EnvironmentID, theme.ID, again); err != nil {
			return client.Variant{}, err
		}
		o.IfMatch = "" // the draft is that of the new version now
	}
	return t.c.PublishVariant(ctx, theme.EnvironmentID, theme.ID, t.f.Variant.ID, o)
}

// noteUnknownOverrides tells of overrides that name no token of the Theme, and are ignored for that.
func (t *pushTarget) noteUnknownOverrides() {
	if t.theme == nil {
		return
	}
	theme := dtcg.Read(t.theme)
	var unknown []string
	for _, m := range t.wanted.Tree.Members {
		if theme.Token(m.Name) == nil {
			unknown = append(unknown, m.Name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	var known []string
	for i := range theme.Tokens {
		known = append(known, theme.Tokens[i].Path)
	}
	hint := ""
	if near := term.Nearest(unknown[0], known); near != "" {
		hint = " Did you mean " + near + "?"
	}
	are, change := " names no token", "changes"
	if len(unknown) > 1 {
		are, change = " name no token", "change"
	}
	t.a.Warn("Note: %s%s of Theme %s and %s nothing: %s.%s", term.Plural(len(unknown), "override"), are, t.f.Theme.Slug, change, escape.Line(term.ShortList(unknown)), hint)
}
