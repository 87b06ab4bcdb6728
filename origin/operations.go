package origin

import (
	"fmt"
	"slices"
	"strings"

	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
)

// shape says which members an operation carries beside "operation" and "path".
type shape struct {
	name        string
	value, from bool
}

// The operations on a Theme (RFC 6902 without "test") and on a Variant.
var (
	themeOperations   = []shape{{"add", true, false}, {"replace", true, false}, {"remove", false, false}, {"move", false, true}, {"copy", false, true}}
	variantOperations = []shape{{"set", true, false}, {"unset", false, false}}
)

// operation is one operation of a batch whose members are those of its shape.
type operation struct {
	name, path, from string
	value            *jsontree.Node
}

// edit is what a PATCH of tokens asks for.
type edit struct {
	operations []operation
	claim      theming.Claim
	strict     bool
}

// edit reads the parameters and the batch of a PATCH. shapes are the operations that it may hold.
func (o *Origin) edit(q *request, shapes []shape) (edit, error) {
	params := q.params()
	e := edit{claim: params.claim(), strict: params.boolean("strict")}
	if err := params.err(); err != nil {
		return e, err
	}
	root, err := o.object(q)
	if err != nil {
		return e, err
	}
	list := root.Find("operations")
	if list == nil || list.Kind != jsontree.Array {
		return e, invalid("operations: must be a list")
	}
	if n := len(list.Items); n > o.config.Limits.Operations {
		return e, invalid(fmt.Sprintf("operations: a batch may hold %d operations, not %d", o.config.Limits.Operations, n))
	}
	var faults []string
	for i, item := range list.Items {
		op, what := readOperation(item, shapes)
		for _, w := range what {
			faults = append(faults, fmt.Sprintf("operations[%d]: %s", i, w))
		}
		e.operations = append(e.operations, op)
	}
	return e, invalid(faults...)
}

// claim reads what the caller believes of the draft: nothing, an empty text and "null" are "there was
// none".
func (p *params) claim() theming.Claim {
	etag, _ := p.text("etag")
	if etag == "null" {
		etag = ""
	}
	c := theming.Claim{ETag: etag, IfMatch: p.ifMatchValue()}
	if etag != "" && c.IfMatch != nil && *c.IfMatch != "*" && *c.IfMatch != etag {
		p.fault("etag", "differs from the If-Match header")
	}
	return c
}

// readOperation checks an operation against its shape, and lists everything in which it differs.
func readOperation(item *jsontree.Node, shapes []shape) (op operation, faults []string) {
	if !item.IsObject() {
		return op, []string{"must be an object"}
	}
	i := slices.IndexFunc(shapes, func(s shape) bool {
		name := item.Find("operation")
		return name.IsString() && name.Text == s.name
	})
	if i < 0 {
		faults = append(faults, "operation: must be one of "+names(shapes))
	} else {
		op.name = shapes[i].name
		faults = append(faults, shapes[i].faults(item)...)
	}
	if n := item.Find("path"); n.IsString() {
		op.path = n.Text
	} else {
		faults = append(faults, "path: must be a string")
	}
	if n := item.Find("from"); n.IsString() {
		op.from = n.Text
	}
	op.value = item.Find("value")
	return op, faults
}

// faults says which members are missing or too many.
func (s shape) faults(item *jsontree.Node) []string {
	var faults []string
	switch value := item.Find("value"); {
	case s.value && value == nil:
		faults = append(faults, "value: "+s.name+" needs one; null is a value")
	case !s.value && value != nil:
		faults = append(faults, "value: "+s.name+" must not carry one")
	}
	switch from := item.Find("from"); {
	case s.from && !from.IsString():
		faults = append(faults, "from: "+s.name+" needs one, a string")
	case !s.from && from != nil:
		faults = append(faults, "from: "+s.name+" must not carry one")
	}
	return faults
}

func names(shapes []shape) string {
	var all []string
	for _, s := range shapes {
		all = append(all, s.name)
	}
	return strings.Join(all, ", ")
}

// patch returns the batch as operations on a document.
func (e edit) patch() []patch.Operation {
	ops := make([]patch.Operation, len(e.operations))
	for i, op := range e.operations {
		ops[i] = patch.Operation{Op: op.name, Path: op.path, From: op.from, Value: op.value}
	}
	return ops
}

// overrides returns the batch as operations on overrides.
func (e edit) overrides() []theming.VariantOperation {
	ops := make([]theming.VariantOperation, len(e.operations))
	for i, op := range e.operations {
		ops[i] = theming.VariantOperation{Op: op.name, Path: op.path, Value: op.value}
	}
	return ops
}

func (o *Origin) patchLimits() patch.Limits {
	l := o.config.Limits
	return patch.Limits{MaxBytes: l.DocumentBytes, MaxDepth: l.Depth, MaxName: l.NameCharacters}
}
