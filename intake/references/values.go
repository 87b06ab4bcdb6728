package references

import (
	"slices"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// token returns a token that is written at a place, with the references in its value and its metadata applied; nil if one of its value
// cannot be.
func (a *applier) token(n *jsontree.Node, where string, isTyped bool) *jsontree.Node {
	if site := n.Find("$ref"); site != nil {
		n = a.typedBy(n, site, isTyped)
	}
	isLost := false
	result := tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		switch {
		case m.Name == "$value":
			value, wrong := a.value(m.Value)
			if wrong != nil {
				a.fault(wrong, where, true)
				isLost = true
				return m
			}
			eachReference(m.Value, nil, func(_ jsontree.Pointer, site *jsontree.Node) { a.noteCopy(site, where) })
			m.Value = value
		case m.Name == "$extends":
			if !a.isBroken(m.Value) {
				a.broken[m.Value] = problem{"$extends has no effect in a token: only groups extend groups", "Remove it, or make it a $ref."}
			}
			a.fault(m.Value, where+"/$extends", false)
		case m.Name == "$ref":
			a.fault(m.Value, where+"/$ref", false)
		case m.Name != "$extensions" && dtcg.IsMetadata(m.Name):
			m.Value = a.metadata(m.Value, where+"/"+m.Name)
		}
		return m
	})
	if isLost {
		return nil
	}
	return result
}

// typedBy returns a token that has a value beside its $ref without the $ref, and with the type that it says.
func (a *applier) typedBy(n, site *jsontree.Node, isTyped bool) *jsontree.Node {
	p, found := a.target(site)
	if len(found) == 0 {
		return n
	}
	n = tree.With(n, "$ref", nil)
	if typ := a.typeAt(p, found, !isTyped); typ != nil && n.Find("$type") == nil {
		return tree.With(n, "$type", typ)
	}
	return n
}

// typeAt returns the $type of what stands at a place, or, if groups count, that of the nearest group above it.
func (a *applier) typeAt(p jsontree.Pointer, found []*jsontree.Node, countsGroups bool) *jsontree.Node {
	if own := a.child(found, "$type"); len(own) > 0 {
		return own[0]
	} else if !countsGroups {
		return nil
	}
	return a.typeAbove(p)
}

// metadata returns the value of a $… member with its references applied, or as it is if one cannot be.
func (a *applier) metadata(n *jsontree.Node, pointer string) *jsontree.Node {
	if !holdsReference(n) {
		return n
	}
	value, wrong := a.value(n)
	if wrong == nil && tree.IsAlias(value) { // which has no meaning in metadata
		value, wrong = a.value(a.aliased(value)[0])
	}
	if wrong != nil {
		a.fault(wrong, pointer, false)
		return n
	}
	return value
}

// referredToken returns the token that an object with a $ref and without a value stands for; nil if that is nothing.
func (a *applier) referredToken(n, site *jsontree.Node, where string, isTyped bool) *jsontree.Node {
	value, wrong := a.value(jsontree.NewObject(jsontree.Member{Name: "$ref", Value: site}))
	if wrong != nil {
		a.fault(wrong, where, true)
		return nil
	}
	a.noteCopy(site, where)
	result := a.token(tree.With(tree.With(n, "$ref", nil), "$value", value), where, isTyped)
	if result != nil && !tree.IsAlias(value) && result.Find("$type") == nil {
		p, found := a.target(site)
		if typ := a.typeAt(p, found, !inValue(p)); typ != nil {
			return tree.With(result, "$type", typ)
		}
	}
	return result
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
		p, found := a.target(site)
		a.follow(site, func() { value = a.pointed(n, site, p, found) })
		if value == nil && !a.isBroken(site) {
			a.breakAfter(site)
		}
		if a.isBroken(site) {
			return nil, site
		}
		if partial == a.partial {
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
func (a *applier) pointed(n, site *jsontree.Node, p jsontree.Pointer, target []*jsontree.Node) *jsontree.Node {
	if len(target) == 0 {
		return nil
	}
	alias := a.aliasTo(p, target)
	if alias != nil && len(n.Members) == 1 {
		return alias
	}
	a.copied[site] = a.source(p, target)
	found := target[0]
	if !inValue(p) && !isDefinition(p, found) {
		if found = found.Find("$value"); found == nil {
			a.broken[site] = problem{"$ref " + textOf(site) + " leads to a group, and a value is wanted here", "Name a token, or a part of its $value."}
			return nil
		}
	}
	value, wrong := a.value(found)
	if wrong == nil && tree.IsAlias(value) && len(n.Members) > 1 {
		value, wrong = a.value(a.aliased(value)[0])
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
func (a *applier) source(p jsontree.Pointer, target []*jsontree.Node) source {
	i := slices.Index(p, "$value")
	switch {
	case slices.Contains(p, "$defs"):
	case i > 0:
		return source{strings.Join(p[:i], "."), i < len(p)-1}
	case !inValue(p) && a.isTokenAt(target):
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

// overlaid returns an object with the members that stand beside a $ref to it laid over its own; nil if one cannot be applied.
func (a *applier) overlaid(value, n *jsontree.Node) *jsontree.Node {
	result := jsontree.NewObject(slices.Clone(value.Members)...)
	for _, m := range n.Members {
		if m.Name == "$ref" {
			continue
		}
		var wrong *jsontree.Node
		if m.Value, wrong = a.value(m.Value); wrong != nil {
			return nil
		}
		if i := value.IndexOf(m.Name); i >= 0 {
			result.Members[i] = m
		} else {
			result.Members = append(result.Members, m)
		}
	}
	result.Index()
	a.spend(a.size(result))
	return result
}

// size counts what is in a value, up to what the budget has left.
func (a *applier) size(n *jsontree.Node) int { return count(n, a.budget) }

// count counts what is in a value, up to a limit and a little more.
func count(n *jsontree.Node, limit int) int {
	if n == nil {
		return 0
	}
	total := 1
	for _, m := range n.Members {
		if total <= limit {
			total += count(m.Value, limit-total)
		}
	}
	for _, item := range n.Items() {
		if total <= limit {
			total += count(item, limit-total)
		}
	}
	return total
}
