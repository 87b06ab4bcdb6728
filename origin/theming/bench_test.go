package theming_test

import (
	"fmt"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// benchDocument is a Theme of 20 groups with a fifth of its tokens aliases.
func benchDocument(tokens int) *jsontree.Node {
	root := jsontree.NewObject()
	for g := range 20 {
		group := jsontree.NewObject(jsontree.Member{Name: "$type", Value: jsontree.NewString("color")})
		for i := range tokens / 20 {
			value := fmt.Sprintf("#%06x", g<<16+i)
			if i%5 == 4 {
				value = fmt.Sprintf("{group-%d.token-%d}", g, i-1)
			}
			token := jsontree.NewObject(jsontree.Member{Name: "$value", Value: jsontree.NewString(value)})
			group.Members = append(group.Members, jsontree.Member{Name: fmt.Sprintf("token-%d", i), Value: token})
		}
		group.Index()
		root.Members = append(root.Members, jsontree.Member{Name: fmt.Sprintf("group-%d", g), Value: group})
	}
	root.Index()
	return root
}

// EditTheme of one token, with the new state read as a handler reads it: over a published document,
// over a draft that changes every value, and over a document that was never published.
func BenchmarkEditTheme(b *testing.B) {
	drafts := []struct {
		name  string
		state func(testing.TB, int) theming.ThemeState
	}{
		{"published", func(_ testing.TB, tokens int) theming.ThemeState {
			return theming.ThemeState{Theme: record.Theme{LatestVersion: 1}, Base: benchDocument(tokens)}
		}},
		{"draft", benchDraft},
		{"unpublished", benchUnpublished},
	}
	for _, d := range drafts {
		for _, tokens := range []int{200, 2000, 20000} {
			b.Run(d.name+"/"+fmt.Sprint(tokens), func(b *testing.B) {
				s := d.state(b, tokens)
				e := benchEdit(`[{"op":"replace","path":"/group-7/token-3/$value","value":"#fedcbaff"}]`, b)
				e.Claim.ETag = s.Theme.DraftETag
				b.ReportAllocs()
				for b.Loop() {
					after, err := theming.EditTheme(s, e)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := after.Document(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func benchEdit(batch string, t testing.TB) theming.Edit {
	return theming.Edit{Operations: operations(t, batch), NewETag: "e", Limits: patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64, MaxName: 256}}
}

// benchDraft is a Theme whose draft gives every token but the aliases another value.
func benchDraft(t testing.TB, tokens int) theming.ThemeState {
	s := theming.ThemeState{Theme: record.Theme{LatestVersion: 1}, Base: benchDocument(tokens)}
	e := benchEdit(`[]`, t)
	for g, group := range s.Base.Members {
		for i := range group.Value.Members[1:] {
			if i%5 < 4 {
				op := patch.Operation{Op: "replace", Path: fmt.Sprintf("/group-%d/token-%d/$value", g, i), Value: jsontree.NewString(fmt.Sprintf("#%06xee", i))}
				e.Operations = append(e.Operations, op)
			}
		}
	}
	return benchStored(t, s, e)
}

// benchUnpublished is a Theme whose whole document is its draft.
func benchUnpublished(t testing.TB, tokens int) theming.ThemeState {
	e := benchEdit(`[]`, t)
	for _, m := range benchDocument(tokens).Members {
		e.Operations = append(e.Operations, patch.Operation{Op: "add", Path: "/" + m.Name, Value: m.Value})
	}
	return benchStored(t, theming.ThemeState{}, e)
}

// benchStored is s with the edit, as a store gives it back.
func benchStored(t testing.TB, s theming.ThemeState, e theming.Edit) theming.ThemeState {
	s, err := theming.EditTheme(s, e)
	if err != nil {
		t.Fatal(err)
	}
	return stored(s)
}

// PublishTheme of a draft that changes a value, and of one that renames a group and retypes a token,
// over Variants of 200 overrides that are published and have a draft.
func BenchmarkPublishTheme(b *testing.B) {
	for _, draft := range []struct{ name, batch string }{
		{"values", `[{"op":"replace","path":"/group-4/token-0/$value","value":"#fedcbaff"}]`},
		{"renames", `[{"op":"move","from":"/group-3","path":"/renamed"},{"op":"replace","path":"/group-4/token-0","value":{"$type":"dimension","$value":"1px"}}]`},
	} {
		for _, count := range []int{1, 100} {
			b.Run(draft.name+"/"+fmt.Sprint(count), func(b *testing.B) {
				s, variants := benchPublish(b, draft.batch, 2000, count, 200)
				p := theming.Publication{Module: "module", NewETag: func() string { return "etag" }}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := theming.PublishTheme(s, variants, p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func benchPublish(b *testing.B, batch string, tokens, count, each int) (theming.ThemeState, []theming.VariantState) {
	s := theming.ThemeState{Theme: record.Theme{LatestVersion: 1}, Base: benchDocument(tokens)}
	s = benchStored(b, s, benchEdit(batch, b))
	overrides := jsontree.NewObject()
	for i := range each {
		path := fmt.Sprintf("group-%d.token-%d", i%20, i/20)
		overrides.Members = append(overrides.Members, jsontree.Member{Name: path, Value: jsontree.NewString(fmt.Sprintf("{group-3.token-%d}", i%50))})
	}
	overrides.Index()
	variants := make([]theming.VariantState, count)
	for i := range variants {
		draft := &record.VariantDraft{ETag: "d", Addressed: 1, Overrides: jsontree.Append(nil, overrides)}
		variants[i] = theming.VariantState{Variant: record.Variant{LatestVersion: 1, TokenCount: each}, Draft: draft, Served: overrides}
	}
	return s, variants
}
