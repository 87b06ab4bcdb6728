package theming

import (
	"fmt"
	"testing"

	"example.com/livery/origin/patch"
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

// EditTheme of one token, with the new state read as a handler reads it.
func BenchmarkEditTheme(b *testing.B) {
	for _, tokens := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			s := ThemeState{Theme: record.Theme{LatestVersion: 1}, Base: benchDocument(tokens)}
			e := Edit{
				Operations: []patch.Operation{{Op: "replace", Path: "/group-7/token-3/$value", Value: jsontree.NewString("#fedcba")}},
				NewETag:    "e", Limits: patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64, MaxName: 256},
			}
			b.ReportAllocs()
			for b.Loop() {
				after, err := EditTheme(s, e)
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

// PublishTheme of a draft that renames a group and retypes a token, over Variants of 200 overrides
// that are published and have a draft.
func BenchmarkPublishTheme(b *testing.B) {
	for _, count := range []int{1, 100} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			s, variants := benchPublish(b, 2000, count, 200)
			p := Publication{Module: "module", NewETag: func() string { return "etag" }}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := PublishTheme(s, variants, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchPublish(b *testing.B, tokens, count, each int) (ThemeState, []VariantState) {
	s := ThemeState{Theme: record.Theme{LatestVersion: 1}, Base: benchDocument(tokens)}
	s, err := EditTheme(s, Edit{
		Operations: operations(b, `[{"op":"move","from":"/group-3","path":"/renamed"},{"op":"replace","path":"/group-4/token-0","value":{"$type":"dimension","$value":"1px"}}]`),
		NewETag:    "e",
	})
	if err != nil {
		b.Fatal(err)
	}
	overrides := jsontree.NewObject()
	for i := range each {
		path := fmt.Sprintf("group-%d.token-%d", i%20, i/20)
		overrides.Members = append(overrides.Members, jsontree.Member{Name: path, Value: jsontree.NewString(fmt.Sprintf("{group-3.token-%d}", i%50))})
	}
	overrides.Index()
	variants := make([]VariantState, count)
	for i := range variants {
		draft := &record.VariantDraft{ETag: "d", Addressed: 1, Overrides: jsontree.Append(nil, overrides)}
		variants[i] = VariantState{Variant: record.Variant{LatestVersion: 1}, Draft: draft, Served: overrides}
	}
	return s.stored(), variants
}
