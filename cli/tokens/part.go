package tokens

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/themes"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// part is the Theme or one Variant that a push goes to.
type part struct {
	files         source.Part
	variant       *client.Variant // nil for the Theme; without an id until it exists
	what, counted string          // for messages

	set         client.TokenSet // as it was read or sent last
	base, theme *jsontree.Node  // what is stored, and of a Variant the document of its Theme
	wanted      *jsontree.Node  // what is stored afterwards

	ofTheme       []client.Operation
	ofVariant     []client.VariantOperation
	guessed       [][2]string // paths before and after of tokens that look renamed, and that no design tool says are
	remains       remains
	newlyUnserved []source.Dropped // those of Unserved that were not so before
	Result
}

// remains counts what a push leaves of the files, in tokens or overrides.
type remains struct {
	Pushed   int `json:"pushed"`
	Of       int `json:"of"`                 // in the files
	Unserved int `json:"unserved,omitempty"` // of those that are pushed, how many no served file has as they are, and had before
}

// lost counts the values that are left out, or stored and in no served file.
func (r remains) lost() int { return r.Of - r.Pushed + r.Unserved }

// newPart returns the part of the Theme or of a Variant.
func (r *run) newPart(files source.Part) *part {
	t := &part{files: files, what: "Theme " + r.theme.Slug, counted: "token", Result: Result{Slug: r.theme.Slug}}
	if files.Variant != nil {
		v, known := r.present[files.Slug]
		if !known {
			v.Slug = files.Slug
		}
		t.variant, t.what, t.counted, t.Slug = &v, "Variant "+v.Slug, "override", v.Slug
	}
	return t
}

// plan reads the current content of each part, and plans what to send.
func (r *run) plan(ctx context.Context) (err error) {
	for _, t := range r.parts {
		switch {
		case t.variant == nil && r.theme.ID == "", t.variant != nil && t.variant.ID == "":
			t.base = jsontree.NewObject()
		case t.variant == nil:
			t.set, t.base, err = changeset.CurrentDocument(ctx, r.client, r.theme)
		default:
			t.set, t.base, err = changeset.CurrentOverrides(ctx, r.client, r.theme, t.variant.ID)
		}
		switch first := r.parts[0]; {
		case err != nil || t.variant == nil:
		case first.variant == nil:
			t.theme = first.wanted
		default:
			_, t.theme, err = changeset.CurrentDocument(ctx, r.client, r.theme)
		}
		if err != nil {
			return err
		}
		t.plan(r.p.replace, r.p.renames == moveRenames)
	}
	return nil
}

// plan computes the smallest batch that makes the part what the files want.
func (t *part) plan(replace, move bool) {
	var lost []string
	for _, d := range t.files.Lost {
		lost = append(lost, d.Path)
	}
	var out []source.Dropped
	t.remains.Of = len(t.files.Lost)
	if t.variant != nil {
		t.remains.Of += len(t.files.Tree.Members)
		t.wanted, out = source.DropInvalidOverrides(t.files.Tree)
		under := t.base
		if replace { // stored values whose declarations are unusable stay
			under = changeset.OnlyFlat(under, lost)
		}
		t.wanted = changeset.JoinFlat(under, t.wanted)
	} else {
		t.remains.Of += len(dtcg.Read(t.files.Tree).Tokens)
		under := t.base
		if replace {
			under = changeset.Only(under, lost)
		}
		t.wanted, out = source.DropInvalid(changeset.Join(under, t.files.Tree), t.base)
	}
	t.remains.Pushed = t.remains.Of - len(t.files.Lost)
	for i, d := range out {
		out[i].Location = cmp.Or(t.files.Locate(d.Fault), t.files.Locate(d.Path))
		t.remains.Pushed -= d.Tokens
	}
	t.Skipped = slices.Concat(t.files.Lost, out)
	t.findUnserved()
	t.planOperations(move)
}

// findUnserved lists the values of the files that the part will store and no served file will have.
func (t *part) findUnserved() {
	faultsOf := func(tree *jsontree.Node) []source.Fault {
		if t.variant != nil {
			return source.Faults(t.theme, tree, t.files.Locate)
		}
		return source.Faults(tree, nil, t.files.Locate)
	}
	isOwn := func(path string) bool { return t.files.Tree.Find(path) != nil }
	if t.variant == nil {
		read := dtcg.Read(t.files.Tree)
		isOwn = func(path string) bool { return read.Token(path) != nil }
	}
	faults := slices.DeleteFunc(faultsOf(t.wanted), func(f source.Fault) bool {
		return !isOwn(f.Path) || !f.IsLoss() && f.Kind != dtcg.OverrideIgnored
	})
	if len(faults) == 0 {
		return
	}
	was := map[string]*jsontree.Node{}
	for _, f := range faultsOf(t.base) {
		if f.IsLoss() {
			was[f.Path] = f.Token
		}
	}
	listed := map[string]bool{}
	for _, f := range faults {
		if listed[f.Path] {
			continue
		}
		listed[f.Path], t.Unserved = true, append(t.Unserved, f.Dropped())
		if old, isOld := was[f.Path]; isOld && jsontree.Equal(old, f.Token) {
			continue
		}
		t.newlyUnserved = append(t.newlyUnserved, f.Dropped())
		if f.IsLoss() {
			t.remains.Unserved++
		}
	}
}

// planOperations makes the operations and the list of changes. Tokens that only look renamed are moved on demand.
func (t *part) planOperations(move bool) {
	if t.variant != nil {
		t.ofVariant, t.Changes = changeset.VariantOperations(t.base, t.wanted), changeset.Overrides(t.base, t.wanted)
		t.count = len(t.ofVariant)
		return
	}
	before, after := dtcg.Read(t.base), dtcg.Read(t.wanted)
	renames := changeset.Renames(before, after)
	t.guessed = nil
	for _, from := range renames.Guessed {
		t.guessed = append(t.guessed, [2]string{from, renames.Tokens[from]})
	}
	if !move {
		renames = renames.Identified()
	}
	t.ofTheme, t.Changes = changeset.ThemeOperations(t.base, t.wanted, renames.Moves(before, after)), changeset.Documents(t.base, t.wanted, renames)
	t.count = len(t.ofTheme)
}

// send creates what is missing and sends each part.
func (r *run) send(ctx context.Context) error {
	for _, t := range r.parts {
		if err := r.create(ctx, t); err != nil {
			return err
		}
		if err := r.sendPart(ctx, t); err != nil {
			f := *term.Explain(term.In("push of "+t.what, err))
			f.Next = cmp.Or(f.Next, "Fix it and push again.")
			return &f
		}
		t.ThemeID, t.ETag, t.stored = r.theme.ID, t.set.DraftETag(), len(t.set.Tokens)
		if t.variant != nil {
			t.VariantID = t.variant.ID
		}
		r.done.add(t)
		if t.count > 0 && len(r.parts) > 1 {
			r.Say("%s:", t.what)
		}
		changeset.Print(r.App, t.Changes)
		r.listLosses(t)
	}
	return nil
}

// create makes the Theme or Variant of a part if it is missing.
func (r *run) create(ctx context.Context, t *part) (err error) {
	switch {
	case t.variant == nil && r.theme.ID == "":
		made := themes.NewTheme{Name: r.source.Mapping.Name, Integrations: r.p.integrations}
		if len(made.Integrations) == 0 {
			made.Integrations = r.source.Mapping.Integrations
		}
		if r.theme, err = themes.MakeTheme(ctx, r.client, r.env.ID, r.p.Theme, made); err == nil {
			r.Say("Theme %s is created: %s", r.theme.Slug, r.theme.ID)
		}
	case t.variant != nil && t.variant.ID == "":
		if *t.variant, err = themes.MakeVariant(ctx, r.client, r.theme, t.Slug, t.files.Name); err != nil {
			return term.In(t.what, err)
		}
		r.present[t.Slug] = *t.variant
		r.Say("%s is created: %s", t.what, t.variant.ID)
	}
	return err
}

// sendPart sends the operations of a part on top of what was read.
func (r *run) sendPart(ctx context.Context, t *part) error {
	if t.variant == nil {
		return sendBatches(r, t, changeset.Batches(t.ofTheme, changeset.MaxBatchBytes, changeset.MeasureTheme), func(o client.EditOptions, batch []client.Operation) (client.TokenSet, error) {
			return r.client.EditThemeTokens(ctx, r.env.ID, r.theme.ID, o, batch)
		})
	}
	return sendBatches(r, t, changeset.Batches(t.ofVariant, changeset.MaxBatchBytes, changeset.MeasureVariant), func(o client.EditOptions, batch []client.VariantOperation) (client.TokenSet, error) {
		return r.client.EditVariantTokens(ctx, r.env.ID, r.theme.ID, t.variant.ID, o, batch)
	})
}

// sendBatches sends batches on top of each other, each claiming the draft that the one before it left.
func sendBatches[O any](r *run, t *part, batches [][]O, edit func(client.EditOptions, []O) (client.TokenSet, error)) error {
	bar := r.Progress("pushing", len(batches))
	defer bar.Done()
	for i, batch := range batches {
		set, err := edit(client.EditOptions{ETag: t.set.DraftETag(), Strict: r.p.strict}, batch)
		if err != nil && i > 0 {
			f := term.Explain(err)
			f.Next = strings.TrimSpace(f.Next + " The parts before it are in the draft already; livery discard drops them.")
			return f
		}
		if err != nil {
			return err
		}
		t.set = set
		bar.Step()
	}
	return nil
}

// tellSent adds to a failure what was sent before it.
func (r *run) tellSent(err error) error {
	if len(r.done.all()) == 0 {
		return err
	}
	sent := term.Plural(len(r.done.Variants), "Variant")
	if r.done.Theme != nil {
		sent = "the Theme and " + sent
	}
	f := *term.Explain(err)
	f.Next = strings.TrimSpace(f.Next + " Sent so far: " + sent + ". Push again to do the rest.")
	return &f
}
