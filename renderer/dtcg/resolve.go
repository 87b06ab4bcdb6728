package dtcg

import (
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// Bounds of what aliases may build. A value is shared, not copied, if an alias is the whole of
// it, so these bound what the served files would hold, not what resolving holds in memory.
const (
	maxValueBytes = 1 << 20  // of one value, as its JSON text is written
	maxTotalBytes = 16 << 20 // of all values that hold aliases
	maxTypeBytes  = 256      // of a $type that a group or an alias passes on; those that are known have 15
	maxValueDepth = 64       // levels of arrays and objects in one value
	maxKeptBytes  = 4 << 10  // of the text of a value that is built, which the JSON files copy
)

// failure is why a token cannot be served.
type failure struct {
	kind string
	why  string // for the tokens that need this one
}

// embeddedText is what a token becomes inside a longer string.
type embeddedText struct {
	css  string
	fits bool // it can be written as CSS
}

// measure is the extent of a value. The zero measure is one that was not taken yet.
type measure struct{ bytes, depth int }

// resolver gives the tokens of a document, or some of them, their types and their served values.
type resolver struct {
	d *Document // whose paths and groups aliases name
	states
	typed    bool  // the types that are there stay: a Variant cannot retype
	base     *Base // of the tokens that are not resolved; nil if all are
	failures map[int32]failure
	measures []measure         // of the tokens that are resolved; nil: none is remembered, as for one value alone
	others   map[int32]measure // of tokens of base, which must not be changed
	texts    map[int32]embeddedText
	total    int          // bytes of the values with aliases so far
	tooMuch  bool         // total came to its bound
	found    []Diagnostic // in the order of resolving
	steps    int          // what was looked at

	built   nodeSlab // the values that were built
	kept    textSlab // their texts
	written []byte   // the text of the value at hand
}

func newResolver(d *Document, s states) *resolver {
	return &resolver{d: d, states: s, failures: map[int32]failure{}, measures: make([]measure, len(s.resolved()))}
}

// resolve sets Resolved, Inferred and Served of every token and reports those that have no value. It calls built for
// every token whose aliases were replaced, after those that it needs.
func (r *resolver) resolve(built func(token int32)) {
	tokens := r.resolved()
	for i := range tokens {
		t := &tokens[i]
		if t.HasChildren {
			r.report(t, TokenHasChildren, "a token has no members but the $… ones; the others are never read")
		}
		if len(t.refs) == 0 {
			r.setType(t, nil)
			t.Served = t.Value
		}
	}
	r.steps += components(&r.states, func(token int32) {
		if r.token(token) {
			built(token)
		}
	}, r.cycle)
}

// setType resolves the type of t: its own, else that of the token it is an alias of (nil when it
// is none), else the nearest group's, which is there already, else a guess from the value's shape.
func (r *resolver) setType(t, target *Token) {
	switch {
	case t.Typed || r.typed && t.Resolved != "":
	case target != nil && target.Resolved != "" && len(target.Resolved) <= maxTypeBytes:
		t.Resolved, t.Inferred = target.Resolved, target.Inferred
	case t.Resolved != "":
	default:
		t.Resolved = css.InferType(t.Value)
		t.Inferred = t.Resolved != ""
	}
}

// token resolves one token whose needs are resolved, and reports whether it has a value.
func (r *resolver) token(i int32) bool {
	t := r.at(i)
	var target *Token
	if ref := t.alias(); ref >= 0 {
		target = r.at(ref)
	}
	r.setType(t, target)
	if target != nil && r.share(i, t, target) {
		return true
	}
	b := builder{resolver: r, refs: t.refs}
	var served *jsontree.Node
	if t.isAlias {
		b.steps++
		served = b.alias(t.Value.Text[1:len(t.Value.Text)-1], 1)
	} else {
		served = b.replace(t.Value, 1)
	}
	if b.failed == nil && r.total+b.bytes > maxTotalBytes {
		r.tooMuch = true
		b.fail(ValueMisfit, "the aliases of the document build more than 16 MiB")
	}
	if b.failed != nil {
		r.fail(i, b.failed.kind, b.failed.why)
		return false
	}
	if !t.isAlias && served != t.Value && served.Kind != jsontree.String && b.bytes <= maxKeptBytes {
		r.written = jsontree.Append(r.written[:0], served)
		served.Text = r.kept.cut(r.written, "", len(r.built.nodes)) // as many as there are nodes in their slab
	}
	t.Served = served
	r.total += b.bytes
	r.measures[r.place(i)] = measure{b.bytes, b.depth}
	return true
}

// share gives a token the value of the one that it is an alias of, and reports whether that is all there is to do: that one
// has a value, and nothing comes to its bound.
func (r *resolver) share(i int32, t, target *Token) bool {
	if target.Served == nil || r.picked != nil {
		return false
	}
	r.steps++
	m := r.measures[t.refs[0]]
	if m.bytes == 0 {
		m = r.measure(t.refs[0])
	}
	if m.bytes > maxValueBytes || m.depth > maxValueDepth || r.total+m.bytes > maxTotalBytes {
		return false
	}
	t.Served = target.Served
	r.total += m.bytes
	r.measures[i] = m
	return true
}

// fail leaves a token out and remembers why.
func (r *resolver) fail(i int32, kind, why string) {
	t := r.at(i)
	t.Served = nil
	r.report(t, kind, why)
	r.failures[i] = failure{kind, why}
}

func (r *resolver) report(t *Token, kind, message string) {
	r.found = append(r.found, Diagnostic{t.Path, kind, message})
}

// failureOf returns why a token cannot be served that is not.
func (r *resolver) failureOf(i int32) failure {
	if r.place(i) < 0 {
		return r.base.failures[i]
	}
	return r.failures[i]
}

// measure returns the extent of the served value of a token.
func (r *resolver) measure(i int32) measure {
	if r.measures == nil {
		return measureNode(r.at(i).Served)
	}
	place := r.place(i)
	if place < 0 {
		return r.measureOther(i)
	}
	if r.measures[place].bytes == 0 {
		r.measures[place] = r.take(i)
	}
	return r.measures[place]
}

// measureOther is measure for a token of base.
func (r *resolver) measureOther(i int32) measure {
	if m := r.base.measures[i]; m.bytes != 0 {
		return m
	}
	m, ok := r.others[i]
	if !ok {
		if r.others == nil {
			r.others = map[int32]measure{}
		}
		m = r.take(i)
		r.others[i] = m
	}
	return m
}

func (r *resolver) take(i int32) measure {
	m := measureNode(r.at(i).Served)
	r.steps += m.bytes
	return m
}

func measureNode(n *jsontree.Node) measure {
	m := measure{bytes: ownBytes(n), depth: 1}
	for _, item := range n.Items() {
		m.add(len(`""`), measureNode(item))
	}
	for i := range n.Members {
		m.add(n.NameLength(i), measureNode(n.Members[i].Value))
	}
	return m
}

// add counts in a part of a value, with what its name takes.
func (m *measure) add(nameBytes int, part measure) {
	m.bytes += nameBytes + part.bytes
	m.depth = max(m.depth, part.depth+1)
}

// ownBytes is what n takes in a JSON text without the parts below it, and a comma.
func ownBytes(n *jsontree.Node) int {
	if n.Kind == jsontree.String {
		return jsontree.Length(n) + 1
	}
	if n.Kind == jsontree.Number {
		return len(n.Text) + 3
	}
	return 3
}
