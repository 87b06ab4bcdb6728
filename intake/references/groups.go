package references

import (
	"slices"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// A place at which groups lie over each other has them in a list, the strongest first. What is no group has a list of its own.

// group returns the group of a place in the result, with all references in it applied. list are the groups that were written for the
// place or come from above it, and above the sites that brought what stands above it. isTyped says that a group above has a $type.
func (a *applier) group(list []*jsontree.Node, at jsontree.Pointer, above []*jsontree.Node, isTyped bool) *jsontree.Node {
	first := list[0]
	if len(at) >= jsontree.MaxDepth-8 {
		a.budget = -1 // no document is as deep
	}
	var layers, own []*jsontree.Node
	for _, n := range list {
		for _, site := range a.sites(n) {
			if isRepeated(above, site) {
				a.breakCircle(above, site)
				return first
			}
		}
		layers = append(layers, a.expanded(n)...)
		own = append(own, a.sites(n)...)
	}
	n := first
	if len(layers) > 1 {
		n = joined(layers)
	}
	if a.budget < 0 || (len(layers) > 1 || a.where[first] != at.String()) && !a.spend(len(n.Members)) {
		return first
	}
	if isTyped = isTyped || n.Find("$type") != nil; !isTyped {
		if typ := a.typeOf(own); typ != nil {
			n, isTyped = tree.With(n, "$type", typ), true
		}
	}
	above = append(above[:len(above):len(above)], own...)
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		below := append(at[:len(at):len(at)], m.Name)
		switch {
		case isSite(m):
			if !a.isBroken(m.Value) {
				m.Value = nil
				break
			}
			a.fault(m.Value, a.where[first]+"/"+m.Name, false) // it stays as it is written
		case m.Name == "$extensions" || m.Name == "$defs":
		case dtcg.IsMetadata(m.Name):
			m.Value = a.metadata(m.Value, a.where[first]+"/"+m.Name)
		case m.Value.IsObject():
			m.Value = a.member(a.collect(layers, m.Name), below, above, isTyped)
		}
		return m
	})
}

// member returns a token or group in a group; nil if it is left out.
func (a *applier) member(list []*jsontree.Node, at jsontree.Pointer, above []*jsontree.Node, isTyped bool) *jsontree.Node {
	n, where := list[0], a.where[list[0]]
	if where != at.String() {
		a.result.Moved[at.String()] = where
	}
	switch {
	case dtcg.IsToken(n):
		return a.token(n, where, isTyped)
	case !isPlainReference(n):
		return a.group(list, at, above, isTyped)
	}
	site := n.Find("$ref")
	if p, found := a.target(site); len(found) > 0 && isGroup(found[0]) && !inValue(p) {
		return a.group(list, at, above, isTyped)
	}
	return a.referredToken(n, site, where, isTyped)
}

// pile is what stands under one name in groups that lie over each other: groups, the strongest first, or what is no group.
type pile struct {
	list     []*jsontree.Node
	isClosed bool // what comes under it does not count
}

// add lays nodes under the pile. It returns the token whose place a group on the pile takes.
func (p *pile) add(nodes ...*jsontree.Node) (replaced *jsontree.Node) {
	for _, n := range nodes {
		isOpen := isGroup(n) && !isPlainReference(n)
		switch {
		case p.isClosed:
		case isOpen || p.list == nil:
			p.list = append(p.list, n)
		case dtcg.IsToken(n):
			replaced = n
		}
		p.isClosed = p.isClosed || !isOpen
	}
	return replaced
}

// collect returns what stands under a name in groups that lie over each other. A group over a token is named, since it takes its place.
func (a *applier) collect(layers []*jsontree.Node, name string) []*jsontree.Node {
	var p pile
	for _, layer := range layers {
		if n := layer.Find(name); n != nil {
			if token := p.add(n); token != nil {
				a.nameReplaced(token, p.list[len(p.list)-1])
			}
		}
	}
	return p.list
}

// nameReplaced names a group that takes the place of a token which its group would have from another.
func (a *applier) nameReplaced(token, group *jsontree.Node) {
	if a.named[group] {
		return
	}
	a.named[group] = true
	why := problem{"it has no $value, and takes the place of the token at " + pathOf(a.where[token]), "Give it a $value, or remove it."}
	report(&a.result, a.where[group], why, true)
}

// expanded returns the groups of which a written group consists: itself, and under it those that its references bring.
func (a *applier) expanded(n *jsontree.Node) []*jsontree.Node {
	if known, ok := a.layers[n]; ok {
		return known
	}
	partial, layers := a.partial, []*jsontree.Node{n}
	for _, site := range a.sites(n) {
		p, found := a.target(site)
		if len(found) > 0 && (!isGroup(found[0]) || inValue(p)) {
			name := "$ref"
			if n.Find("$extends") == site {
				name = "$extends"
			}
			a.broken[site] = problem{name + " " + textOf(site) + " leads to a token, and a group has its tokens from a group", "Name a group, or write the tokens."}
		}
		var under []*jsontree.Node
		a.follow(site, func() {
			for _, base := range found {
				under = append(under, a.expanded(base)...)
			}
		})
		if !a.isBroken(site) {
			layers = append(layers, under...)
		}
	}
	if partial == a.partial {
		a.layers[n] = layers
	}
	return layers
}

// joined returns a group with the members of several, those of the strongest first in the list.
func joined(layers []*jsontree.Node) *jsontree.Node {
	n, positions := jsontree.NewObject(), map[string]int{}
	for i, layer := range slices.Backward(layers) {
		for _, m := range layer.Members {
			if position, known := positions[m.Name]; known {
				n.Members[position].Value = m.Value
			} else if i == 0 || !isSite(m) {
				positions[m.Name] = len(n.Members)
				n.Members = append(n.Members, m)
			}
		}
	}
	n.Index()
	return n
}

// sites lists the references of a group that are not broken.
func (a *applier) sites(n *jsontree.Node) (list []*jsontree.Node) {
	if dtcg.IsToken(n) {
		return nil
	}
	for _, name := range referenceNames {
		if site := n.Find(name); site != nil && !a.isBroken(site) {
			list = append(list, site)
		}
	}
	return list
}

// isRepeated reports whether a site is so often among those that brought what stands above a place that the groups are without end: a
// group may have it from several.
func isRepeated(above []*jsontree.Node, site *jsontree.Node) bool {
	repeats := 0
	for _, other := range above {
		if other == site {
			repeats++
		}
	}
	return repeats >= 3
}

// typeOf returns the $type that the tokens which sites bring have where they are written, or nil.
func (a *applier) typeOf(sites []*jsontree.Node) *jsontree.Node {
	for _, site := range sites {
		if p, _, ok := a.parse(site); ok {
			if typ := a.typeAbove(p); typ != nil {
				return typ
			}
		}
	}
	return nil
}

func isSite(m jsontree.Member) bool { return slices.Contains(referenceNames, m.Name) }

func isGroup(n *jsontree.Node) bool { return n.IsObject() && !dtcg.IsToken(n) }

// isPlainReference reports whether an object says nothing but the place of another token or group, and metadata.
func isPlainReference(n *jsontree.Node) bool {
	return isGroup(n) && n.Find("$ref") != nil && !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool {
		return !dtcg.IsMetadata(m.Name) || m.Name == "$extends"
	})
}
