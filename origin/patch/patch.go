// Package patch applies and derives JSON Patch (RFC 6902) on ordered JSON trees, and composes the
// renames that `move` operations make. It is pure and knows nothing of design tokens. It never
// replaces a whole document (the empty pointer is refused) and it has no `test` operation.
package patch

import "example.com/livery/renderer/jsontree"

// Operation is one operation of a batch. The zero value is not a valid operation.
type Operation struct {
	Op    string         // add, replace, remove, move or copy
	Path  string         // a JSON Pointer (RFC 6901), as written
	From  string         // a JSON Pointer, as written; empty means absent
	Value *jsontree.Node // nil means absent; JSON null is a Node of kind Null
}

// Fault says what is wrong with one operation of a batch.
type Fault struct {
	Index   int    // of the operation, from 0
	Pointer string // the path or from that is at fault, as written
	What    string // one sentence without a full stop: what is wrong and what to do
}

// Limits bound the resulting document. A limit of zero or less bounds nothing.
type Limits struct {
	MaxBytes int // of the document as minified JSON
	MaxDepth int // levels of nesting; an empty object has one
	MaxName  int // characters of one member name
}
