package references

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func itoa(n int) string { return strconv.Itoa(n) }

// token returns a token with the references in its value and its metadata applied; nil if one of its value cannot be.
func (a *applier) token(n *jsontree.Node, isTyped bool) *jsontree.Node {
	where := a.where[n]
	if site := n.Find("$ref"); site != nil {
		n = a.typedBy(n, site, isTyped)
		a.where[n] = where
	}
	members, changed := make([]jsontree.Member, 0, len(n.Members)), false
	for _, m := range n.Members {
		done := m
		switch {
		case m.Name == "$value":
			value, wrong := a.value(m.Value)
			if wrong != nil {
				a.fault(wrong, where, true)
				return nil
			}
			done.Value = value
			eachReference(m.Value, nil, func(_ jsontree.Pointer, site *jsontree.Node) { a.noteCopy(site, where) })
		case m.Name == "$extends":
			if !a.isBroken(m.Value) {
				a.broken[m.Value] = problem{"$extends has no effect in a token: only groups extend groups", "Remove it, or make it a $ref."}
			}
			a.fault(m.Value, where+"/$extends", false)
		case m.Name == "$ref":
			a.fault(m.Value, where+"/$ref", false)
		case m.Name != "$extensions" && dtcg.IsMetadata(m.Name):
			done.Value = a.metadata(m.Value, where+"/"+m.Name)
		}
		changed = changed || done != m
		members = append(members, done)
	}
	if !changed {
		return n
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

// typedBy returns a token that has a value beside its $ref without the $ref, and with the type that it says.
func (a *applier) typedBy(n, site *jsontree.Node, isTyped bool) *jsontree.Node {
	p, target := a.target(site)
	if target == nil {
		return n
	}
	n = tree.With(n, "$ref", nil)
	if n.Find("$type") == nil {
		if typ := a.open(target).Find("$type"); typ != nil {
			return tree.With(n, "$type", typ)
		}
		if typ := a.typeAbove(p); typ != nil && !isTyped {
			return tree.With(n, "$type", typ)
		}
	}
	return n
}

// metadata returns the value of a $… member with its references applied, or as it is if one cannot be.
func (a *applier) metadata(n *jsontree.Node, pointer string) *jsontree.Node {
	if !holdsReference(n) {
		return n
	}
	value, wrong := a.value(n)
	if wrong != nil {
		a.fault(wrong, pointer, false)
		return n
	}
	if isAlias(value) { // which has no meaning in metadata
		return a.aliased(value)
	}
	return value
}

// reference returns what an object that has a $ref and neither value nor children stands for; nil if that is nothing.
func (a *applier) reference(n, site *jsontree.Node, at jsontree.Pointer, isTyped bool) *jsontree.Node {
	p, target := a.target(site)
	switch {
	case a.isBroken(site):
		a.fault(site, a.where[n], true)
		return nil
	case target == nil || a.leadsToToken(target) || inValue(p) || !target.IsObject():
	case !a.again && a.leadsToBroken(target):
		a.breakAfter(site)
		a.fault(site, a.where[n], true)
		return nil
	default:
		return a.group(n, at, isTyped)
	}
	value, wrong := a.value(jsontree.NewObject(jsontree.Member{Name: "$ref", Value: site}))
	if wrong != nil {
		a.fault(wrong, a.where[n], true)
		return nil
	}
	a.noteCopy(site, a.where[n])
	own := tree.With(n, "$ref", nil)
	a.where[own] = a.where[n]
	result := a.token(tree.With(own, "$value", value), isTyped)
	if result != nil && !isAlias(value) && result.Find("$type") == nil {
		if typ := a.open(target).Find("$type"); typ != nil {
			return tree.With(result, "$type", typ)
		}
		if typ := a.typeAbove(p); typ != nil && !inValue(p) {
			return tree.With(result, "$type", typ)
		}
	}
	return result
}

func isAlias(n *jsontree.Node) bool {
	return n.IsString() && strings.HasPrefix(n.Text, "{") && strings.IndexByte(n.Text, '}') == len(n.Text)-1
}

// value returns a value with its references applied, or the first reference that cannot be.
func (a *applier) value(n *jsontree.Node) (value, wrong *jsontree.Node) {
	if !holdsReference(n) {
		return n, nil
	}
	if site := n.Find("$ref"); site != nil {
		if known, ok := a.values[site]; ok {
			a.spend(a.size(known))
			return known, nil
		}
		partial := a.partial
		a.follow(site, func() { value = a.pointed(n, site) })
		if value == nil && !a.isBroken(site) && !a.again {
			a.breakAfter(site)
		}
		if value == nil {
			return nil, site
		}
		if partial == a.partial && !a.again {
			a.values[site] = value
		}
		return value, nil
	}
	changed := jsontree.Node{Kind: n.Kind}
	for _, m := range n.Members {
		if m.Value, wrong = a.value(m.Value); wrong != nil {
			return nil, wrong
		}
		changed.Members = append(changed.Members, m)
	}
	for _, item := range n.Items() {
		if item, wrong = a.value(item); wrong != nil {
			return nil, wrong
		}
		changed.AddItem(item)
	}
	changed.Index()
	return &changed, nil
}

// pointed returns what the $ref of an object in a value stands for: an alias if it is a token, else a value. It is nil if
// the reference is broken.
func (a *applier) pointed(n, site *jsontree.Node) *jsontree.Node {
	p, target := a.target(site)
	if target == nil || a.again {
		return nil
	}
	alias := a.aliasTo(p, target)
	if alias != nil && len(n.Members) == 1 {
		return alias
	}
	a.copied[site] = a.source(p, target)
	found := target
	if opened := a.open(target); !inValue(p) && isDefinition(p, opened) {
		found = opened
	} else if !inValue(p) {
		if found = opened.Find("$value"); found == nil {
			a.broken[site] = problem{"$ref " + textOf(site) + " leads to a group, and a value is wanted here", "Name a token, or a part of its $value."}
			return nil
		}
	}
	value, wrong := a.value(found)
	if wrong == nil && isAlias(value) && len(n.Members) > 1 {
		value, wrong = a.value(a.aliased(value))
	}
	if wrong != nil || len(n.Members) == 1 {
		a.spend(a.size(value))
		return value
	}
	if !value.IsObject() {
		a.broken[site] = problem{"$ref " + textOf(site) + " leads to no object, and other members stand beside it", "Leave the $ref alone in its object."}
		return nil
	}
	return a.overlaid(value, n)
}

// source returns what a reference copies that leads to a place; nothing if no token that can be overridden has it.
func (a *applier) source(p jsontree.Pointer, target *jsontree.Node) source {
	i := slices.Index(p, "$value")
	switch {
	case slices.Contains(p, "$defs"):
	case i > 0:
		return source{strings.Join(p[:i], "."), i < len(p)-1}
	case !inValue(p) && a.leadsToToken(target):
		return source{strings.Join(p, "."), false}
	}
	return source{}
}

// isDefinition reports whether what stands at a place is a value, or one in $defs: an object without tokens.
func isDefinition(p jsontree.Pointer, n *jsontree.Node) bool {
	return !n.IsObject() || slices.Index(p, "$defs") == 0 && !holdsToken(n)
}

func holdsToken(n *jsontree.Node) bool {
	return n.IsObject() && (dtcg.IsToken(n) || slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return holdsToken(m.Value) }))
}

// overlaid returns an object with the members that stand beside a $ref to it laid over its own.
func (a *applier) overlaid(value, n *jsontree.Node) *jsontree.Node {
	for _, m := range n.Members {
		if m.Name == "$ref" {
			continue
		}
		own, wrong := a.value(m.Value)
		if wrong != nil {
			return nil
		}
		i := value.IndexOf(m.Name)
		value = tree.With(value, m.Name, own)
		if i < 0 { // with puts it first
			value.Members = append(value.Members[1:len(value.Members):len(value.Members)], value.Members[0])
			value.Index()
		}
	}
	a.spend(a.size(value))
	return value
}

// size counts what is in a value, up to what the budget has left.
func (a *applier) size(n *jsontree.Node) int {
	left := a.budget
	var counted func(n *jsontree.Node)
	counted = func(n *jsontree.Node) {
		if n == nil || left < 0 {
			return
		}
		left -= 1 + len(n.Members) + len(n.Items())
		for _, m := range n.Members {
			counted(m.Value)
		}
		for _, item := range n.Items() {
			counted(item)
		}
	}
	counted(n)
	return a.budget - left
}
