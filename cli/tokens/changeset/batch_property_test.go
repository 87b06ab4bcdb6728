package changeset

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/client"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

// TestPushMakesTheDocumentWanted: the operations of a push, applied in batches of any size, give the
// wanted document.
func TestPushMakesTheDocumentWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current, wanted := tokentreetest.Documents(3).Draw(t, "current"), tokentreetest.Documents(3).Draw(t, "wanted")
		most := rapid.IntRange(80, 400).Draw(t, "most")
		var operations []client.Operation
		ops, _ := patch.Diff(current, wanted, nil)
		for _, o := range ops {
			operations = appendOperation(operations, o, most)
		}
		after := current
		for _, batch := range Batches(operations, most, MeasureTheme) {
			var ops []patch.Operation
			for _, o := range batch {
				op := patch.Operation{Op: o.Operation, Path: o.Path, From: o.From}
				if o.Value != nil {
					op.Value, _ = jsontree.Parse(string(o.Value))
				}
				ops = append(ops, op)
			}
			var faults []patch.Fault
			if after, _, faults = patch.Apply(after, ops, patch.Limits{}); len(faults) > 0 {
				t.Fatalf("Apply(%s) = %v", patch.Append(nil, ops), faults)
			}
		}
		if !jsontree.Equal(after, wanted) {
			t.Errorf("%s pushed over %s gives %s", jsontree.Append(nil, wanted), jsontree.Append(nil, current), jsontree.Append(nil, after))
		}
	})
}
