package push

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/batch"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/client"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// wanted is what files give a Theme or a Variant.
type wanted struct {
	tree   *jsontree.Node         // a document, or a flat map of overrides
	locate func(at string) string // the file and line of a dotted path or JSON Pointer; "" if no file has it
	lost   []validate.Dropped     // declarations that are not in tree
}

// pushTarget is the Theme or Variant that a push goes to, as it was last read, and what it is about to send.
type pushTarget struct {
	*run
	f             target.Resolved
	wanted        wanted
	name          string // display name of a new Variant
	what, counted string // for messages

	set     client.TokenSet
	base    *jsontree.Node // the current document, or the current overrides as a flat map
	theme   *jsontree.Node // of a Variant, the document of its Theme
	planned pushPlan
}

// pushPlan is what a push is about to send.
type pushPlan struct {
	wanted   *jsontree.Node // what stands afterwards
	changes  []changeset.Change
	skipped  []validate.Dropped
	guessed  [][2]string       // paths before and after of tokens that look renamed, and that no design tool says are
	renamed  map[string]string // path of a token that stands elsewhere afterwards -> that path
	theme    []client.Operation
	variant  []client.VariantOperation
	count    int // of operations
	remains  *remainder
	unserved []validate.Dropped // tokens of the files that the draft takes and that no served file has
	hidden   []validate.Dropped // tokens of the files that tokens.css does not have, because another has their name there
}

func newTarget(r *run, f target.Resolved, w wanted) *pushTarget {
	t := &pushTarget{run: r, f: f, wanted: w, what: "Theme " + f.Theme.Slug, counted: "token"}
	if f.Variant != nil {
		t.what, t.counted = "Variant "+f.Variant.Slug, "override"
	}
	return t
}

// read reads what stands at the target now.
func (t *pushTarget) read(ctx context.Context) (err error) {
	if t.f.Variant != nil && t.theme == nil {
		if _, t.theme, err = tokentree.CurrentDocument(ctx, t.client, t.f.Theme); err != nil {
			return err
		}
	}
	switch {
	case t.f.Absent:
		t.base = jsontree.NewObject()
	case t.f.Variant == nil:
		t.set, t.base, err = tokentree.CurrentDocument(ctx, t.client, t.f.Theme)
	default:
		if t.set, err = t.client.VariantTokens(ctx, t.f.Env.ID, t.f.Theme.ID, t.f.Variant.ID, client.ReadOptions{}); err == nil {
			t.base, err = tokentree.FlatMap(t.set)
		}
	}
	return err
}

// plan computes the smallest batch that makes the target what the files want.
func (t *pushTarget) plan() {
	if t.f.Variant != nil {
		t.planned = t.planVariant()
		t.noteUnknownOverrides()
	} else {
		t.planned = t.planTheme()
	}
}

// refuseSize returns the failure that a target would be larger than the API takes. A push of several requests would end half way.
func (t *pushTarget) refuseSize() error {
	if size := len(jsontree.Append(nil, t.planned.wanted)); size > batch.MaxDocumentBytes {
		return term.Fail("Push fewer files, or to several Themes.", "nothing is pushed: %s would have %d bytes of JSON, and the most are %d", t.what, size, batch.MaxDocumentBytes)
	}
	return nil
}

// refuseStrict returns the failure that the API would refuse a push under --strict: some of it is not valid, or no served
// file would have all of it.
func (t *pushTarget) refuseStrict() error {
	if !t.p.strict {
		return nil
	}
	f := term.Fail("Fix them, or push without --strict.", "nothing is pushed: no served file would have all of %s:", t.what)
	type key struct{ path, kind string }
	known, isSaid := map[key]int{}, map[string]bool{}
	add := func(d validate.Dropped) {
		isSaid[d.Path] = true
		f.Faults = append(f.Faults, d.Path+": "+d.Said())
	}
	for _, d := range t.planned.skipped {
		add(d)
	}
	for _, d := range t.served(t.base).Diagnostics() {
		known[key{cmp.Or(t.planned.renamed[d.Path], d.Path), d.Kind}]++
	}
	for _, d := range t.diagnose(t.planned.wanted) {
		at := key{d.Path, d.Kind}
		if known[at]--; known[at] < 0 && !isSaid[d.Path] {
			add(validate.Dropped{Path: d.Path, Reason: validate.Message(d, t.wanted.tree), Location: t.wanted.locate(d.Path)})
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

// dropInvalid returns what is wanted without what the API would refuse of it, and that with its places.
func (t *pushTarget) dropInvalid(wanted *jsontree.Node) (valid *jsontree.Node, out []validate.Dropped) {
	if t.f.Variant != nil {
		valid, out = validate.DropInvalidOverrides(wanted)
	} else {
		valid, out = validate.DropInvalid(wanted, t.base)
	}
	for i, d := range out {
		out[i].Location = cmp.Or(t.wanted.locate(d.Pointer), t.wanted.locate(d.Path))
	}
	return valid, out
}

func (t *pushTarget) planTheme() pushPlan {
	p := pushPlan{}
	under := t.base
	if t.p.replace {
		under = tokentree.Only(t.base, t.lostPaths())
	}
	valid, out := t.dropInvalid(tokentree.JoinGroups(under, t.wanted.tree))
	p.wanted, p.skipped = valid, slices.Concat(t.wanted.lost, out)
	p.remains = remainingTokens(t.wanted.tree, out, t.wanted.lost)
	left, files := leftPointers(out), dtcg.Read(t.wanted.tree)
	t.findUnserved(&p, func(path string) *jsontree.Node {
		if token := files.Token(path); token != nil && !isLeft(token.Pointer().String(), left) {
			return token.Value
		}
		return nil
	})
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
	p.count = len(p.theme)
	p.changes = changeset.Documents(t.base, p.wanted, renames)
	return p
}

// lostPaths lists the tokens whose declarations in the files cannot be used. Even --replace keeps their stored values.
func (t *pushTarget) lostPaths() (paths []string) {
	for _, d := range t.source.Lost() {
		paths = append(paths, d.Path)
	}
	return paths
}

// unservedBefore returns what tells whether the target has a token of that value already, and no served file has it.
func (t *pushTarget) unservedBefore() func(path string, value *jsontree.Node) bool {
	document, overrides := t.base, (*jsontree.Node)(nil)
	if t.f.Variant != nil {
		document, overrides = t.theme, t.base
	}
	lost, tokens := unservedPaths(t.served(t.base)), dtcg.Read(document)
	return func(path string, value *jsontree.Node) bool {
		stored := overrides.Find(path)
		if token := tokens.Token(path); stored == nil && token != nil {
			stored = token.Value
		}
		return lost[path] && jsontree.Equal(stored, value)
	}
}

// unservedPaths has the paths of the tokens that no served file of a set has.
func unservedPaths(set *renderer.Set) map[string]bool {
	lost := map[string]bool{}
	for _, d := range set.Diagnostics() {
		lost[d.Path] = lost[d.Path] || slices.Contains(losses, d.Kind)
	}
	return lost
}

// ofVariant returns what tells the value of an override of the files, or of a token of the Theme that is served without
// them.
func (t *pushTarget) ofVariant(files *jsontree.Node) func(path string) *jsontree.Node {
	lost, theme := unservedPaths(renderer.LoadTree(t.theme, nil, "")), dtcg.Read(t.theme)
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

// findUnserved finds the tokens of the files that no served file would have. valueOf returns the value that the files have for a path, or
// nil.
func (t *pushTarget) findUnserved(p *pushPlan, valueOf func(path string) *jsontree.Node) {
	found := t.diagnose(p.wanted)
	p.unserved = p.remains.notServed(found, t.unservedBefore(), valueOf)
	for _, d := range found {
		if d.Kind == dtcg.NameCollision && valueOf(d.Path) != nil {
			p.hidden = append(p.hidden, validate.Dropped{Path: d.Path, Reason: d.Message})
		}
	}
	for _, list := range [][]validate.Dropped{p.unserved, p.hidden} {
		for i := range list {
			list[i].Location = t.wanted.locate(list[i].Path)
		}
	}
}

func (t *pushTarget) planVariant() pushPlan {
	valid, out := t.dropInvalid(t.wanted.tree)
	p := pushPlan{wanted: valid, skipped: slices.Concat(t.wanted.lost, out), remains: remainingOverrides(t.wanted.tree, valid, t.wanted.lost)}
	if t.p.replace {
		p.wanted = tokentree.JoinFlat(tokentree.OnlyFlat(t.base, t.lostPaths()), valid)
	}
	p.variant = batch.VariantOperations(t.base, p.wanted, !t.p.replace)
	if !t.p.replace {
		p.wanted = tokentree.JoinFlat(t.base, p.wanted)
	}
	t.findUnserved(&p, t.ofVariant(valid))
	count := p.dependents(valid)
	p.remains.Of, p.remains.Pushed = p.remains.Of+count, p.remains.Pushed+count
	p.count = len(p.variant)
	p.changes = changeset.Overrides(t.base, p.wanted)
	return p
}

// push sends the plan, again if the draft changed meanwhile, and returns what came of it.
func (t *pushTarget) push(ctx context.Context) (*Result, error) {
	if err := t.confirmRenames(ctx); err != nil {
		t.undo(ctx, client.TokenSet{})
		return nil, err
	}
	set, err := t.sendPlan(ctx)
	for try := 1; errors.Is(err, client.ErrConflict) && set.DraftETag() == t.set.DraftETag() && try < pushTries; try++ {
		if err = t.planAgain(ctx); err != nil {
			return nil, err
		}
		set, err = t.sendPlan(ctx)
	}
	if err != nil {
		t.undo(ctx, set)
		return nil, term.In("push of "+t.what, explainPush(located(err, t.wanted.locate), t.p))
	}
	if t.planned.count > 0 && len(t.parts) > 1 {
		t.Say("%s:", t.what)
	}
	changeset.Print(t.App, t.planned.changes, t.p.Verbose)
	t.listLosses()
	return t.result(set), nil
}

// listLosses prints what the push leaves out, and what it stores though no served file has it.
func (t *pushTarget) listLosses() {
	validate.PrintDropped(t.App, t.planned.skipped, t.p.Verbose)
	if len(t.planned.unserved) > 0 {
		t.Warn("Stored, but in no served file until fixed: %s.", term.Plural(len(t.planned.unserved), "token"))
		validate.PrintRows(t.App, t.planned.unserved, t.p.Verbose)
	}
	if len(t.planned.hidden) > 0 {
		t.Warn("Not in tokens.css, where another token has the same name: %s.", term.Plural(len(t.planned.hidden), "token"))
		validate.PrintRows(t.App, t.planned.hidden, t.p.Verbose)
	}
}

// sendPlan sends the plan on top of what was read, in as many requests as it takes. The result is what
// stands after the last that was taken.
func (t *pushTarget) sendPlan(ctx context.Context) (client.TokenSet, error) {
	options := client.EditOptions{Strict: t.p.strict}
	if t.f.Variant == nil {
		return send(t.app, t.set, batch.Batches(t.planned.theme, batch.MaxBatchBytes, batch.MeasureTheme), func(etag string, batch []client.Operation) (client.TokenSet, error) {
			options.ETag = etag
			return t.client.EditThemeTokens(ctx, t.f.Env.ID, t.f.Theme.ID, options, batch)
		})
	}
	return send(t.app, t.set, batch.Batches(t.planned.variant, batch.MaxBatchBytes, batch.MeasureVariant), func(etag string, batch []client.VariantOperation) (client.TokenSet, error) {
		options.ETag = etag
		return t.client.EditVariantTokens(ctx, t.f.Env.ID, t.f.Theme.ID, t.f.Variant.ID, options, batch)
	})
}

// noteUnknownOverrides tells of overrides that name no token of the Theme, and are ignored for that.
func (t *pushTarget) noteUnknownOverrides() {
	theme := dtcg.Read(t.theme)
	var unknown []string
	for _, m := range t.wanted.tree.Members {
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
	t.Warn("Note: %s%s of Theme %s and %s nothing: %s.%s", term.Plural(len(unknown), "override"), are, t.f.Theme.Slug, change, escape.Line(term.ShortList(unknown)), hint)
}
