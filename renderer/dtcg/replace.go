package dtcg

import (
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// builder builds one value with its aliases replaced. Nodes without aliases are shared with the
// document. After the first failure it only returns.
type builder struct {
	*resolver
	refs   []int32 // what the aliases that come next name
	failed *failure
	bytes  int // of the value so far
	depth  int // the deepest level reached so far
}

func (b *builder) fail(kind, why string) {
	if b.failed == nil {
		b.failed = &failure{kind, why}
	}
}

// count adds to the extent of the value and fails if it passes the bounds.
func (b *builder) count(bytes, depth int) {
	b.bytes += bytes
	b.depth = max(b.depth, depth)
	if b.bytes > maxValueBytes {
		b.fail(ValueMisfit, "the value grows past 1 MiB when its aliases are replaced")
	}
	if b.depth > maxValueDepth {
		b.fail(ValueMisfit, "the value nests deeper than 64 levels when its aliases are replaced")
	}
}

// replace returns n, which stands depth levels deep, with its aliases replaced.
func (b *builder) replace(n *jsontree.Node, depth int) *jsontree.Node {
	if b.failed != nil {
		return n
	}
	if n.IsLiteral() {
		b.literal(n, depth)
		return n
	}
	b.steps++
	if n.Kind == jsontree.String {
		if path, ok := wholeAlias(n.Text); ok {
			return b.alias(path, depth)
		}
		if strings.IndexByte(n.Text, '{') >= 0 {
			return b.embedded(n, depth)
		}
	}
	b.count(ownBytes(n), depth)
	switch n.Kind {
	case jsontree.Array:
		return b.items(n, depth)
	case jsontree.Object:
		return b.members(n, depth)
	}
	return n
}

// literal counts a value that holds no alias.
func (b *builder) literal(n *jsontree.Node, depth int) {
	b.steps++
	b.count(ownBytes(n), depth)
	for _, item := range n.Items() {
		b.literal(item, depth+1)
	}
	for i := range n.Members {
		b.count(n.NameLength(i), depth)
		b.literal(n.Members[i].Value, depth+1)
	}
}

// ref returns what the alias at hand names.
func (b *builder) ref() int32 {
	ref := b.refs[0]
	b.refs = b.refs[1:]
	return ref
}

// alias returns the value of the token that path names.
func (b *builder) alias(path string, depth int) *jsontree.Node {
	i := b.ref()
	if !b.need(path, i) {
		return nil
	}
	m := b.measure(i)
	b.count(m.bytes, depth+m.depth-1)
	return b.at(i).Served
}

// need reports whether token i, which path names, has a value, and fails if it has none.
func (b *builder) need(path string, i int32) bool {
	if i >= 0 && b.at(i).Served != nil {
		return true
	}
	if i < 0 {
		if b.d.isGroup(path) {
			b.fail(AliasToGroup, "{"+clip(path)+"} names a group; an alias must name a token")
		} else {
			b.fail(AliasMissing, "{"+clip(path)+"} names no token")
		}
		return false
	}
	f := b.failureOf(i)
	why := f.why
	if !strings.HasPrefix(why, "needs ") {
		why = "needs " + clip(b.at(i).Path) + ", which is left out: " + why
	}
	b.fail(f.kind, why)
	return false
}

// items replaces the aliases in an array. An element that is an alias of a list becomes its
// elements: the layers of a shadow, the stops of a gradient, the families of a font.
func (b *builder) items(n *jsontree.Node, depth int) *jsontree.Node {
	var out []*jsontree.Node
	for i, item := range n.Items() {
		replaced := b.replace(item, depth+1)
		if out == nil && replaced == item {
			continue
		}
		if out == nil {
			out = append(make([]*jsontree.Node, 0, len(n.Items())), n.Items()[:i]...)
		}
		if replaced != item && replaced != nil && item.Kind == jsontree.String && replaced.Kind == jsontree.Array {
			out = append(out, replaced.Items()...)
		} else {
			out = append(out, replaced)
		}
	}
	if out == nil {
		return n
	}
	return b.built.node(jsontree.ArrayOf(out))
}

func (b *builder) members(n *jsontree.Node, depth int) *jsontree.Node {
	var out []jsontree.Member
	for i, m := range n.Members {
		b.count(n.NameLength(i), depth)
		replaced := b.replace(m.Value, depth+1)
		if replaced == m.Value {
			continue
		}
		if out == nil {
			out = b.built.copy(n.Members)
		}
		out[i].Value = replaced
	}
	if out == nil {
		return n
	}
	return b.built.node(n.WithMembers(out))
}

// embedded replaces the aliases inside a longer string by their CSS text.
func (b *builder) embedded(n *jsontree.Node, depth int) *jsontree.Node {
	s, from := n.Text, 0
	var out []byte
	for {
		start, end, ok := b.d.nextAlias(s, from)
		if !ok {
			break
		}
		inner := b.text(s[start+1 : end-1])
		out = append(append(out, s[from:start]...), inner...)
		b.count(jsontree.StringLength(s[from:start])+jsontree.StringLength(inner), depth)
		if b.failed != nil {
			return nil
		}
		from = end
	}
	b.count(jsontree.StringLength(s[from:])+1, depth)
	if from == 0 {
		return n // no alias, which would have moved it on
	}
	built := string(append(out, s[from:]...))
	if _, _, again := b.d.nextAlias(built, 0); again {
		b.fail(AliasMissing, "an alias that only appears when others are replaced is not one")
		return nil
	}
	return jsontree.NewString(built)
}

// text returns what the token that path names becomes inside a string: a string as it is, any
// other value as CSS.
func (b *builder) text(path string) string {
	i := b.ref()
	if !b.need(path, i) {
		return ""
	}
	t := b.at(i)
	k, _ := KindOf(t.Resolved)
	if t.Served.IsString() && (k == css.String || k == css.Unknown) {
		return t.Served.Text
	}
	known, ok := b.texts[i]
	if !ok {
		out, misfit := css.Append(nil, k, t.Served)
		b.steps += b.measure(i).bytes
		known = embeddedText{string(out), misfit == nil}
		if b.texts == nil {
			b.texts = map[int32]embeddedText{}
		}
		b.texts[i] = known
	}
	if !known.fits {
		b.fail(ValueMisfit, "needs "+clip(t.Path)+", whose value cannot stand inside a string")
	}
	return known.css
}
