package patch_test

import (
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

// parse reads a document of a test.
func parse(t testing.TB, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return n
}

// operations reads a batch of a test.
func operations(t testing.TB, text string) []patch.Operation {
	t.Helper()
	ops, err := patch.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return ops
}

func text(n *jsontree.Node) string { return string(jsontree.Append(nil, n)) }
