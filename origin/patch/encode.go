package patch

import (
	"errors"
	"fmt"

	"example.com/livery/renderer/jsontree"
)

// Append appends ops in their stored form: a JSON array as RFC 6902 section 3 has it.
func Append(dst []byte, ops []Operation) []byte {
	dst = append(dst, '[')
	for i := range ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOperation(dst, &ops[i])
	}
	return append(dst, ']')
}

func appendOperation(dst []byte, op *Operation) []byte {
	dst = append(dst, `{"op":`...)
	dst = jsontree.AppendString(dst, op.Op)
	if op.From != "" {
		dst = append(dst, `,"from":`...)
		dst = jsontree.AppendString(dst, op.From)
	}
	dst = append(dst, `,"path":`...)
	dst = jsontree.AppendString(dst, op.Path)
	if op.Value != nil {
		dst = append(dst, `,"value":`...)
		dst = jsontree.Append(dst, op.Value)
	}
	return append(dst, '}')
}

// Parse reads the stored form. The error says what is not JSON or which operation has a member of
// the wrong kind; whether an operation can be applied is Apply's to say. The result keeps parts of text.
func Parse(text string) ([]Operation, error) {
	root, err := jsontree.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	if root.Kind != jsontree.Array {
		return nil, errors.New("patch: an array of operations was expected, found a " + root.Kind.String())
	}
	ops := make([]Operation, len(root.Items()))
	for i, n := range root.Items() {
		if ops[i], err = parseOperation(n); err != nil {
			return nil, fmt.Errorf("patch: operation %d: %w", i, err)
		}
	}
	return ops, nil
}

func parseOperation(n *jsontree.Node) (op Operation, err error) {
	if n.Kind != jsontree.Object {
		return op, errors.New("an object was expected, found a " + n.Kind.String())
	}
	for _, member := range []struct {
		name string
		to   *string
	}{{"op", &op.Op}, {"path", &op.Path}, {"from", &op.From}} {
		switch v := n.Find(member.name); {
		case v.IsString():
			*member.to = v.Text
		case v != nil:
			return op, errors.New("member " + member.name + " must be a string")
		case member.name != "from":
			return op, errors.New("member " + member.name + " is missing")
		}
	}
	op.Value = n.Find("value")
	return op, nil
}
