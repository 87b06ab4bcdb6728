package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/livery/origin/api/bulk"
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// wrapping is the nesting that a request body puts around a value of a document.
const wrapping = 8

// object parses the body, which must be one strict JSON text: payload if it is not, validation
// if it nests too deep or is not an object.
func (q *request) object() (*jsontree.Node, error) {
	if e := q.contentEncoding; e != "" && !strings.EqualFold(e, "identity") {
		return nil, payload("Content-Encoding: the body must be sent as it is")
	}
	root, err := jsontree.ParseDepth(q.body, q.limits.Depth+wrapping)
	var deep *jsontree.DepthError
	switch {
	case errors.As(err, &deep):
		return nil, invalid(fmt.Sprintf("the body nests deeper than %d levels", q.limits.Depth))
	case err != nil:
		return nil, payload(err.Error())
	case !root.IsObject():
		return nil, invalid("the body must be an object, not " + root.Kind.String())
	}
	return root, nil
}

// note reads the note of a publish, whose body may be left out.
func (q *request) note() (string, error) {
	if q.body == "" {
		return "", nil
	}
	root, err := q.object()
	if err != nil {
		return "", err
	}
	note, fault := bulk.Note(root)
	if fault != "" {
		return "", invalid(fault)
	}
	return note, nil
}

// fields reads the members of a body and collects those of a wrong kind.
type fields struct {
	root   *jsontree.Node
	faults []string
}

func (f *fields) fault(name, want string) {
	f.faults = append(f.faults, name+": must be "+want)
}

// placeholder takes the place of a text of a wrong kind, so that rules find no second fault in it.
const placeholder = "x"

// text returns a member that must be a string; nil means missing.
func (f *fields) text(name string) *string {
	n := f.root.Find(name)
	if n == nil {
		return nil
	}
	value := n.Text
	if !n.IsString() {
		f.fault(name, "a string")
		value = placeholder
	}
	return &value
}

// labels returns the member "metadata"; nil means missing. Values that are not strings are left for
// the rules to refuse.
func (f *fields) labels() *map[string]any {
	n := f.root.Find("metadata")
	if n == nil {
		return nil
	}
	if !n.IsObject() {
		f.fault("metadata", "an object")
		return nil
	}
	labels := make(map[string]any, len(n.Members))
	for _, m := range n.Members {
		if m.Value.IsString() {
			labels[m.Name] = m.Value.Text
		} else {
			labels[m.Name] = m.Value
		}
	}
	return &labels
}

// integration returns the member "integration"; nil means missing or null.
func (f *fields) integration() *record.Integration {
	n := f.root.Find("integration")
	if n == nil || n.Kind == jsontree.Null {
		return nil
	}
	pair, ok := f.pair("integration", n)
	if !ok {
		return nil
	}
	return &pair
}

// integrations returns the list "integrations".
func (f *fields) integrations() []record.Integration {
	n := f.root.Find("integrations")
	if n == nil || n.Kind != jsontree.Array {
		f.fault("integrations", "a list of objects with framework and library")
		return nil
	}
	var pairs []record.Integration
	for i, item := range n.Items() {
		pair, _ := f.pair(fmt.Sprintf("integrations[%d]", i), item)
		pairs = append(pairs, pair)
	}
	return pairs
}

func (f *fields) pair(at string, n *jsontree.Node) (record.Integration, bool) {
	framework, library := n.Find("framework"), n.Find("library")
	if !framework.IsString() || !library.IsString() {
		f.fault(at, "an object with the strings framework and library")
		return record.Integration{}, false
	}
	return record.Integration{Framework: framework.Text, Library: library.Text}, true
}

// with refuses the body for the members of a wrong kind and for what a rule says of the others, all
// at once; it returns nil if every member is of its kind.
func (f *fields) with(rule error) error {
	if len(f.faults) == 0 {
		return nil
	}
	var refusal *theming.Error
	if errors.As(rule, &refusal) && refusal.Cause == theming.Validation {
		return invalid(append(f.faults, refusal.Messages...)...)
	}
	return invalid(f.faults...)
}

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

// edit reads the parameters and the batch of a PATCH. shapes are the operations that it may hold.
func (q *request) edit(shapes []shape) (e theming.Edit, err error) {
	params := q.params()
	e = theming.Edit{Claim: params.claim(), Strict: params.boolean("strict"), Limits: q.limits.patch()}
	if err := params.err(); err != nil {
		return e, err
	}
	root, err := q.object()
	if err != nil {
		return e, err
	}
	var faults []string
	e.Operations, faults = q.operations(root, shapes)
	return e, invalid(faults...)
}

// operations reads the batch of an object, and lists everything in which its operations differ from their shapes.
func (q *request) operations(n *jsontree.Node, shapes []shape) (batch []patch.Operation, faults []string) {
	list := n.Find("operations")
	if list == nil || list.Kind != jsontree.Array {
		return nil, []string{"operations: must be a list"}
	}
	if n := len(list.Items()); n > q.limits.Operations {
		return nil, []string{fmt.Sprintf("operations: a batch may hold %d operations, not %d", q.limits.Operations, n)}
	}
	batch = make([]patch.Operation, len(list.Items()))
	for i, item := range list.Items() {
		op, of := &batch[i], item.Find("operation")
		known := slices.IndexFunc(shapes, func(s shape) bool { return of.IsString() && of.Text == s.name })
		var what []string
		switch {
		case !item.IsObject():
			what = []string{"must be an object"}
		case known < 0:
			what = []string{"operation: must be one of " + names(shapes)}
		default:
			op.Op, what = of.Text, shapes[known].faults(item)
		}
		if path := item.Find("path"); path.IsString() {
			op.Path = path.Text
		} else if item.IsObject() {
			what = append(what, "path: must be a string")
		}
		if from := item.Find("from"); from.IsString() {
			op.From = from.Text
		}
		op.Value = item.Find("value")
		for _, w := range what {
			faults = append(faults, fmt.Sprintf("operations[%d]: %s", i, w))
		}
	}
	return batch, faults
}

// claim reads what the caller believes of the draft: nothing, an empty text and "null" are "there was
// none".
func (p *params) claim() theming.Claim {
	r := p.review()
	c := theming.Claim{IfMatch: r.IfMatch}
	if r.ETag != nil {
		c.ETag = *r.ETag
	}
	return c
}

// review reads which draft the caller saw before it publishes. An empty etag and "null" say that it saw none.
func (p *params) review() (r theming.Review) {
	etag, given := p.text("etag")
	if etag == "null" {
		etag = ""
	}
	if r.IfMatch = p.ifMatchValue(); given {
		r.ETag = &etag
	}
	if r.IfMatch.Differs(etag) {
		p.fault("etag", "differs from the If-Match header")
	}
	return r
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

// patch returns the limits of a document and of its operations.
func (l *Limits) patch() patch.Limits {
	return patch.Limits{MaxBytes: l.DocumentBytes, MaxDepth: l.Depth, MaxName: l.NameCharacters}
}
