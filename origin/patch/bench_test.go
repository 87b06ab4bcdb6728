package patch_test

import (
	"fmt"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

// benchDocument is 20 groups of colors, each of its colors with the same last digits.
func benchDocument(tokens int, digits string) *jsontree.Node {
	root := jsontree.NewObject()
	for g := range 20 {
		group := jsontree.NewObject()
		for i := range tokens / 20 {
			value := jsontree.Member{Name: "$value", Value: jsontree.NewString(fmt.Sprintf("#%04x%s", i, digits))}
			group.Members = append(group.Members, jsontree.Member{Name: fmt.Sprintf("token-%d", i), Value: jsontree.NewObject(value)})
		}
		group.Index()
		root.Members = append(root.Members, jsontree.Member{Name: fmt.Sprintf("group-%d", g), Value: group})
	}
	root.Index()
	return root
}

// Diff of documents in which every value differs.
func BenchmarkDiff(b *testing.B) {
	for _, tokens := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			from, to := benchDocument(tokens, "aa"), benchDocument(tokens, "bb")
			b.ReportAllocs()
			for b.Loop() {
				if ops, _ := patch.Diff(from, to, nil); len(ops) == 0 {
					b.Fatal("no difference")
				}
			}
		})
	}
}

// Apply of one operation that makes the document longer, so that its size is to be judged.
func BenchmarkApply(b *testing.B) {
	for _, tokens := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			root := benchDocument(tokens, "aa")
			ops := []patch.Operation{{Op: "replace", Path: "/group-7/token-3/$value", Value: jsontree.NewString("#fedcba98")}}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, faults := patch.Apply(root, ops, patch.Limits{MaxBytes: 8 << 20, MaxDepth: 64, MaxName: 256}); len(faults) > 0 {
					b.Fatal(faults)
				}
			}
		})
	}
}
