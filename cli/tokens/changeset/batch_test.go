package changeset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/client"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

func TestBatchesAreWithinBothBounds(t *testing.T) {
	own := func(bytes int) func(int) (string, int) {
		return func(i int) (string, int) { return fmt.Sprint(i), bytes }
	}
	cases := []struct {
		rule string
		n    int
		most int
		size func(int) (string, int)
		want []int
	}{
		{"nothing makes no request", 0, 10, own(1), nil},
		{"few are one request", 3, 10, own(1), []int{3}},
		{"the bytes bound a request", 5, 4, own(2), []int{2, 2, 1}},
		{"one that is too large goes alone", 3, 4, func(i int) (string, int) { return fmt.Sprint(i), 1 + 9*(i%2) }, []int{1, 1, 1}},
		{"10,000 operations bound a request", 20_001, 1 << 30, own(1), []int{10_000, 10_000, 1}},
		{"a token is never cut", 8, 5, func(i int) (string, int) { return fmt.Sprint(i / 3), 1 }, []int{3, 5}},
		{"a token that is too large goes alone", 7, 2, func(i int) (string, int) { return fmt.Sprint(i / 3), 1 }, []int{3, 3, 1}},
	}
	for _, c := range cases {
		operations := make([]int, c.n)
		for i := range operations {
			operations[i] = i
		}
		var got, all []int
		for _, batch := range Batches(operations, c.most, c.size) {
			got, all = append(got, len(batch)), append(all, batch...)
		}
		if !slices.Equal(got, c.want) || !slices.Equal(all, operations) {
			t.Errorf("%s: batches of %v, want %v", c.rule, got, c.want)
		}
	}
}

func TestALargeGroupIsFilledPieceByPiece(t *testing.T) {
	members := make([]jsontree.Member, 50)
	for i := range members {
		token := jsontree.NewObject(jsontree.Member{Name: "$value", Value: jsontree.NewString(strings.Repeat("x", 100))})
		members[i] = jsontree.Member{Name: fmt.Sprint("a/", i), Value: token}
	}
	operations := appendOperation(nil, patch.Operation{Op: "add", Path: "/g", Value: jsontree.NewObject(members...)}, 1000)
	if len(operations) != 51 || string(operations[0].Value) != "{}" || operations[0].Operation != "add" || operations[7].Path != "/g/a~16" {
		t.Errorf("%d operations, the first %+v, the eighth at %s; want an empty group and 50 tokens", len(operations), operations[0], operations[7].Path)
	}
	for _, o := range operations {
		if _, n := MeasureTheme(o); n > 1000 {
			t.Errorf("%s has %d bytes", o.Path, n)
		}
	}
}

func TestVariantOperationsAreTheSmallestBatch(t *testing.T) {
	current := tokentreetest.Parse(t, `{"a":1,"b":{"value":4,"unit":"px"},"c":"x"}`)
	wanted := tokentreetest.Parse(t, `{"b":{"unit":"px","value":4.0},"c":null,"d":"new"}`)
	set := []client.VariantOperation{{Operation: "set", Path: "c", Value: []byte("null")}, {Operation: "set", Path: "d", Value: []byte(`"new"`)}}
	unset := client.VariantOperation{Operation: "unset", Path: "a"}
	if got := VariantOperations(current, JoinFlat(current, wanted)); fmt.Sprint(got) != fmt.Sprint(set) {
		t.Errorf("VariantOperations(joined) = %v, want %v", got, set)
	}
	if got := VariantOperations(current, wanted); fmt.Sprint(got) != fmt.Sprint(append(set, unset)) {
		t.Errorf("VariantOperations(replaced) = %v, want an unset of a as well", got)
	}
}
