package changeset

import (
	"encoding/json"
	"strings"

	"example.com/livery/client"
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// The bounds of one request, a little below those of the API so that the wrapping fits.
const (
	maxOperations = 10_000
	MaxBatchBytes = 8<<20 - 64<<10
	// operationBytes is what an operation has around its path and value.
	operationBytes = len(`{"operation":"replace","path":"","from":"","value":},`)
)

// ThemeOperations returns the operations that make current into wanted, with some moves, each small enough to be sent.
func ThemeOperations(current, wanted *jsontree.Node, moves []record.Move) (sent []client.Operation) {
	operations, _ := patch.Diff(current, wanted, moves)
	for _, o := range operations {
		sent = appendOperation(sent, o, MaxBatchBytes)
	}
	return sent
}

// appendOperation appends o in the form of the API; a group that is too large for one request is
// added empty and then filled.
func appendOperation(dst []client.Operation, o patch.Operation, most int) []client.Operation {
	sent := client.Operation{Operation: o.Op, Path: o.Path, From: o.From}
	if o.Value == nil {
		return append(dst, sent)
	}
	sent.Value = jsontree.Append(nil, o.Value)
	if len(sent.Value)+len(o.Path)+operationBytes <= most || !isGroup(o.Value) {
		return append(dst, sent)
	}
	sent.Value = json.RawMessage("{}")
	dst = append(dst, sent)
	for _, m := range o.Value.Members {
		path := o.Path + jsontree.Pointer{m.Name}.String()
		dst = appendOperation(dst, patch.Operation{Op: "add", Path: path, Value: m.Value}, most)
	}
	return dst
}

// VariantOperations returns the operations that make the overrides current into wanted.
func VariantOperations(current, wanted *jsontree.Node) (operations []client.VariantOperation) {
	for _, m := range wanted.Members {
		if old := current.Find(m.Name); old == nil || !jsontree.Equal(old, m.Value) {
			operations = append(operations, client.VariantOperation{Operation: "set", Path: m.Name, Value: jsontree.Append(nil, m.Value)})
		}
	}
	for _, m := range current.Members {
		if wanted.Find(m.Name) == nil {
			operations = append(operations, client.VariantOperation{Operation: "unset", Path: m.Name})
		}
	}
	return operations
}

// Batches cuts operations into requests that the API takes. It cuts between two tokens and never
// within one: a token whose type is changed, but not yet its value, would be refused.
func Batches[O any](operations []O, most int, measure func(O) (token string, bytes int)) [][]O {
	var cut [][]O
	start, size := 0, 0   // of the request at work
	begun, before := 0, 0 // start of the current token, and the size of the request there
	last := ""            // the token at work
	for i, o := range operations {
		token, n := measure(o)
		if token != last {
			begun, before, last = i, size, token
		}
		if size += n; begun > start && (i-start >= maxOperations || size > most) {
			cut = append(cut, operations[start:begun])
			start, size = begun, size-before
			before = 0
		}
	}
	if start < len(operations) {
		cut = append(cut, operations[start:])
	}
	return cut
}

// MeasureTheme returns the token or group that an operation changes, and its size in a request.
func MeasureTheme(o client.Operation) (token string, bytes int) {
	token = o.Path
	if i := strings.LastIndexByte(token, '/'); i >= 0 && dtcg.IsMetadata(token[i+1:]) {
		token = token[:i]
	}
	return token, operationBytes + 2*len(o.Path) + 2*len(o.From) + len(o.Value) // names may need escapes
}

// MeasureVariant returns the bytes that an operation takes in a request.
func MeasureVariant(o client.VariantOperation) (token string, bytes int) {
	return o.Path, operationBytes + 2*len(o.Path) + len(o.Value)
}
