package jsontree_test

import (
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/jsontree"
)

// Names answers as a map of the same names does, whatever is put into it again and however it grows.
func TestNamesIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x jsontree.Names
		var list []string
		at := func(i int32) string { return list[i] }
		want := map[string]int32{}
		position := func(name string) int32 {
			if i, ok := want[name]; ok {
				return i
			}
			return -1
		}
		if rapid.Bool().Draw(t, "grown") {
			x.Grow(rapid.IntRange(0, 200).Draw(t, "room"))
		}
		names := rapid.SliceOfN(rapid.StringMatching(`[a-f]{0,3}`), 0, 300).Draw(t, "names")
		for _, name := range names {
			list = append(list, name)
			if got := x.Put(name, int32(len(list)-1), at); got != position(name) {
				t.Fatalf("Put(%q) = %d, want %d", name, got, position(name))
			}
			want[name] = int32(len(list) - 1)
		}
		for _, name := range append(names, "", "g", "aaaa") {
			if got := x.Find(name, at); got != position(name) {
				t.Fatalf("Find(%q) = %d, want %d", name, got, position(name))
			}
		}
		if x.Len() != len(want) {
			t.Fatalf("Len = %d, want %d", x.Len(), len(want))
		}
	})
}
