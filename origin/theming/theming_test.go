package theming_test

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// tester is what the helpers need of a *testing.T, a *testing.B or a *rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func ptr[T any](v T) *T { return &v }

func parse(t tester, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return n
}

func spell(n *jsontree.Node) string { return string(jsontree.Append(nil, n)) }

func operations(t tester, text string) []patch.Operation {
	t.Helper()
	ops, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

// wantRefusal checks the cause and that each text stands in a message of its own.
func wantRefusal(t tester, err error, cause theming.Cause, texts ...string) {
	t.Helper()
	var refusal *theming.Error
	if !errors.As(err, &refusal) || refusal.Cause != cause || len(refusal.Messages) != len(texts) {
		t.Fatalf("error %v, want %s with %d messages %q", err, cause, len(texts), texts)
	}
	for i, text := range texts {
		if !strings.Contains(refusal.Messages[i], text) {
			t.Errorf("message %q, want %q in it", refusal.Messages[i], text)
		}
	}
}

// fixture is a Theme with Variants as a store would keep them between requests.
type fixture struct {
	t        tester
	theme    theming.ThemeState
	variants []theming.VariantState
	etags    int
	clock    int
}

func newFixture(t tester, variants int) *fixture {
	h := &fixture{t: t}
	theme, err := theming.NewTheme("thm_1", "env_1", theming.ThemeInput{Slug: ptr("t"), DisplayName: ptr("T")}, h.now())
	if err != nil {
		t.Fatal(err)
	}
	h.theme.Theme = theme
	for i := range variants {
		name := "v" + strconv.Itoa(i)
		v, err := theming.NewVariant("var_"+name, theme, theming.VariantInput{Slug: &name, DisplayName: &name}, i, record.Pro, h.now())
		if err != nil {
			t.Fatal(err)
		}
		h.variants = append(h.variants, theming.VariantState{Variant: v})
	}
	return h
}

func (h *fixture) now() time.Time {
	h.clock++
	return at(h.clock)
}

func (h *fixture) etag() string {
	h.etags++
	return "etag" + strconv.Itoa(h.etags)
}

func (h *fixture) limits() patch.Limits {
	return patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64, MaxName: 256}
}

// stored drops what a store would not keep.
func stored(s theming.ThemeState) theming.ThemeState {
	return theming.ThemeState{Theme: s.Theme, Draft: s.Draft, Base: s.Base}
}

func (h *fixture) tryEdit(ops string) error {
	h.t.Helper()
	return h.tryOperations(operations(h.t, ops))
}

func (h *fixture) tryOperations(ops []patch.Operation) error {
	after, err := theming.EditTheme(h.theme, theming.Edit{
		Operations: ops, Claim: theming.Claim{ETag: h.theme.Theme.DraftETag}, NewETag: h.etag(), Now: h.now(), Limits: h.limits(),
	})
	if err == nil {
		h.theme = stored(after)
	}
	return err
}

func (h *fixture) edit(ops string) {
	h.t.Helper()
	if err := h.tryEdit(ops); err != nil {
		h.t.Fatal(err)
	}
}

// write makes document the current document in one batch.
func (h *fixture) write(document string) {
	h.t.Helper()
	to := parse(h.t, document)
	ops, _ := patch.Diff(h.document(), to, nil)
	if err := h.tryOperations(ops); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) document() *jsontree.Node {
	h.t.Helper()
	document, err := h.theme.Document()
	if err != nil {
		h.t.Fatal(err)
	}
	return document
}

func (h *fixture) publish() theming.Published {
	h.t.Helper()
	p, err := h.tryPublish(false)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *fixture) tryPublish(unchanged bool) (theming.Published, error) {
	p, err := theming.PublishTheme(h.theme, h.variants, theming.Publication{Unchanged: unchanged, Module: "module", Now: h.now(), NewETag: h.etag})
	if err != nil {
		return p, err
	}
	h.releases(p, unchanged)
	h.theme = theming.ThemeState{Theme: p.Theme, Base: parse(h.t, string(p.Document))}
	for i, m := range p.Variants {
		h.variants[i] = theming.VariantState{Variant: m.Variant, Draft: &m.Draft}
		if m.NewBlob != nil {
			h.variants[i].Served = parse(h.t, string(m.NewBlob))
		}
	}
	return p, nil
}

// releases holds a publish that sees only what it needs of each Variant against p, which saw everything.
func (h *fixture) releases(p theming.Published, unchanged bool) {
	h.t.Helper()
	r, err := theming.NewRelease(h.theme, theming.Publication{Unchanged: unchanged, Module: "module", Now: p.Version.PublishedAt, NewETag: func() string { return "new" }})
	if err != nil {
		h.t.Fatal(err)
	}
	variants := slices.Clone(h.variants)
	for i := range variants {
		v := &variants[i]
		if v.Served != nil {
			v.ServedBlob = record.HashOf([]byte(spell(v.Served)))
		}
		if !r.NeedsServed(v.Variant) {
			v.Served = nil
		}
	}
	made, err := r.Publish(variants)
	if err != nil {
		h.t.Fatal(err)
	}
	wantEqual(h.t, "version", made.Version, p.Version)
	for i, m := range made.Variants {
		served := m.SameBlob
		if m.NewBlob != nil {
			served = record.HashOf(m.NewBlob)
		}
		want := record.Hash("")
		if p.Variants[i].NewBlob != nil {
			want = record.HashOf(p.Variants[i].NewBlob)
		}
		wantEqual(h.t, "what the Variant serves", served, want)
		wantEqual(h.t, "its draft", string(m.Draft.Overrides), string(p.Variants[i].Draft.Overrides))
	}
}

func (h *fixture) trySet(i int, ops ...patch.Operation) error {
	v := h.variants[i]
	after, err := theming.EditVariant(h.theme.Theme, h.document(), v, theming.Edit{
		Operations: ops, Claim: theming.Claim{ETag: v.Variant.DraftETag}, NewETag: h.etag(), Now: h.now(), Limits: h.limits(),
	})
	if err == nil {
		h.variants[i] = after
	}
	return err
}

// set sets each pair of a flat JSON object on Variant i.
func (h *fixture) set(i int, overrides string) {
	h.t.Helper()
	var ops []patch.Operation
	for _, m := range parse(h.t, overrides).Members {
		ops = append(ops, patch.Operation{Op: "set", Path: m.Name, Value: m.Value})
	}
	if err := h.trySet(i, ops...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) publishVariant(i int) {
	h.t.Helper()
	v, _, blob, err := theming.PublishVariant(h.theme.Theme, h.variants[i], theming.Review{}, h.now())
	if err != nil {
		h.t.Fatal(err)
	}
	h.variants[i] = theming.VariantState{Variant: v, Served: parse(h.t, string(blob))}
}

func (h *fixture) overrides(i int) string {
	h.t.Helper()
	n, err := h.variants[i].Overrides()
	if err != nil {
		h.t.Fatal(err)
	}
	return spell(n)
}

func wantEqual(t tester, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
