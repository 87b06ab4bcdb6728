package origin

import (
	"errors"
	"fmt"
	"strings"

	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// wrapping is the nesting that a request body puts around a value of a document.
const wrapping = 8

// object parses the body, which must be one strict JSON text: payload where it is not, validation
// where it nests too deep or is no object.
func (o *Origin) object(q *request) (*jsontree.Node, error) {
	if e := q.contentEncoding; e != "" && !strings.EqualFold(e, "identity") {
		return nil, payload("Content-Encoding: the body must be sent as it is")
	}
	root, err := jsontree.ParseDepth(q.body, o.config.Limits.Depth+wrapping)
	var deep *jsontree.DepthError
	switch {
	case errors.As(err, &deep):
		return nil, invalid(fmt.Sprintf("the body nests deeper than %d levels", o.config.Limits.Depth))
	case err != nil:
		return nil, payload(err.Error())
	case !root.IsObject():
		return nil, invalid("the body must be an object, not " + root.Kind.String())
	}
	return root, nil
}

// fields reads the members of a body and collects those of a wrong kind.
type fields struct {
	root   *jsontree.Node
	faults []string
}

func (f *fields) fault(name, want string) {
	f.faults = append(f.faults, name+": must be "+want)
}

// standIn takes the place of a text of a wrong kind, so that rules find no second fault in it.
const standIn = "x"

// text returns a member that must be a string; nil means missing.
func (f *fields) text(name string) *string {
	n := f.root.Find(name)
	if n == nil {
		return nil
	}
	value := n.Text
	if !n.IsString() {
		f.fault(name, "a string")
		value = standIn
	}
	return &value
}

// labels returns the member "metadata"; nil means missing. Values that are no strings are left for
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
	for i, item := range n.Items {
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
// at once; it returns nil where every member is of its kind.
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
