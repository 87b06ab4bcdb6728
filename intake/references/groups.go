package references

import (
	"slices"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// merge is a group after its own references were applied; those inside it are not.
type merge struct {
	group *jsontree.Node
	own   []*jsontree.Node // the references that were
}

// group returns a group with all references in it applied. isTyped says that a group above it has a $type.
func (a *applier) group(n *jsontree.Node, at jsontree.Pointer, isTyped bool) *jsontree.Node {
	if len(at) >= jsontree.MaxDepth-8 {
		a.budget = -1 // no document is as deep
	}
	if a.again || a.budget < 0 || a.where[n] != at.String() && !a.spend(len(n.Members)) {
		return n
	}
	if site := a.circular(n); site != nil {
		return n
	}
	m := a.inherit(n)
	above := len(a.above)
	a.above = append(a.above, m.own...)
	n = a.typed(m, isTyped)
	isTyped = isTyped || n.Find("$type") != nil
	result := tree.MapMembers(n, func(member jsontree.Member) jsontree.Member {
		done := a.member(n, member, append(at[:len(at):len(at)], member.Name), isTyped)
		if a.again { // the next member may be in other circles
			a.again = false
			clear(a.merged)
			clear(a.opened)
			clear(a.values)
		}
		return done
	})
	a.above = a.above[:above]
	return result
}

// sites lists the references of a group that are not broken.
func (a *applier) sites(n *jsontree.Node) (list []*jsontree.Node) {
	if two, ok := a.pending[n]; ok {
		return append(a.sites(two[1]), a.sites(two[0])...)
	}
	for _, name := range referenceNames {
		if site := n.Find(name); site != nil && !a.isBroken(site) {
			list = append(list, site)
		}
	}
	return list
}

// mostRepeats is how often a reference may make groups above a place: a group may have it from several.
const mostRepeats = 3

// isRepeated reports whether a reference is so often among those that made the groups above a place that it is without end.
func isRepeated(above []*jsontree.Node, site *jsontree.Node) bool {
	repeats := 0
	for _, other := range above {
		if other == site {
			repeats++
		}
	}
	return repeats >= mostRepeats
}

// circular breaks a reference of a group that made a group above it too, or that leads to one that it is written in.
func (a *applier) circular(n *jsontree.Node) *jsontree.Node {
	for _, site := range a.sites(n) {
		if isRepeated(a.above, site) {
			a.circle(a.above, site)
			return site
		}
		if p, _, ok := a.parse(site); ok && strings.HasPrefix(a.where[n]+"/", p.String()+"/") {
			a.circle(nil, site)
			return site
		}
	}
	return nil
}

// member returns a member of a group with the references in it applied; without a value if it is left out.
func (a *applier) member(group *jsontree.Node, m jsontree.Member, at jsontree.Pointer, isTyped bool) jsontree.Member {
	switch {
	case m.Name == "$extensions" || m.Name == "$defs":
	case m.Name == "$extends" || m.Name == "$ref":
		owner := a.owner[m.Value] // it is broken, and stays as it is written, but not in a group that inherits it
		a.fault(m.Value, owner+"/"+m.Name, false)
		if owner != a.where[group] {
			m.Value = nil
		}
	case dtcg.IsMetadata(m.Name):
		m.Value = a.metadata(m.Value, a.where[group]+"/"+m.Name)
	case m.Value.IsObject():
		if origin := a.where[m.Value]; origin != at.String() {
			a.result.Origins[at.String()] = origin
		}
		m.Value = a.tokenOrGroup(m.Value, at, isTyped)
	}
	return m
}

func (a *applier) tokenOrGroup(n *jsontree.Node, at jsontree.Pointer, isTyped bool) *jsontree.Node {
	switch {
	case a.again:
		return n
	case dtcg.IsToken(n):
		return a.token(n, isTyped)
	}
	if site := n.Find("$ref"); site != nil && !hasGroup(n) {
		return a.reference(n, site, at, isTyped)
	}
	return a.group(n, at, isTyped)
}

// hasGroup reports whether an object without $value is a group by what stands in it.
func hasGroup(n *jsontree.Node) bool {
	for _, m := range n.Members {
		if !dtcg.IsMetadata(m.Name) || m.Name == "$extends" {
			return true
		}
	}
	return false
}

// typed gives a group that has its tokens from another the $type which they have there, if nothing else gives them one.
func (a *applier) typed(m merge, isTyped bool) *jsontree.Node {
	if len(m.own) == 0 || isTyped || m.group.Find("$type") != nil {
		return m.group
	}
	for _, site := range m.own {
		p, _, ok := a.parse(site)
		if typ := a.typeAbove(p); ok && typ != nil {
			n := tree.With(m.group, "$type", typ)
			a.where[n] = a.where[m.group]
			return n
		}
	}
	return m.group
}

// typeAbove returns the $type of the nearest group above a place, or nil.
func (a *applier) typeAbove(p jsontree.Pointer) (typ *jsontree.Node) {
	n := a.root
	for _, name := range p {
		n = a.open(n)
		if own := n.Find("$type"); own != nil {
			typ = own
		}
		n = n.Find(name)
	}
	return typ
}

// inherit lays a group over the groups that its own references lead to.
func (a *applier) inherit(n *jsontree.Node) merge {
	if m, ok := a.merged[n]; ok {
		return m
	}
	partial, m := a.partial, merge{group: n}
	if two, ok := a.pending[n]; ok {
		under, over := merge{group: two[0]}, a.inherit(two[1])
		if _, isTwo := a.pending[two[0]]; isTwo {
			under = a.inherit(two[0])
		}
		m.own = slices.Concat(over.own, under.own)
		m.group = a.join(under.group, over.group)
		a.where[m.group] = a.where[n]
	}
	for _, name := range referenceNames {
		site := m.group.Find(name)
		if site == nil || a.isBroken(site) || dtcg.IsToken(m.group) {
			continue
		}
		a.follow(site, func() { a.extend(&m, name, site) })
	}
	if partial == a.partial && !a.again {
		a.merged[n] = m
	}
	return m
}

// extend lays a group over the one that one of its references leads to.
func (a *applier) extend(m *merge, name string, site *jsontree.Node) {
	p, target := a.target(site)
	if target == nil || a.again {
		return
	}
	if a.leadsToToken(target) || !target.IsObject() || inValue(p) {
		a.broken[site] = problem{name + " " + textOf(site) + " leads to a token, and a group has its tokens from a group", "Name a group, or write the tokens."}
		return
	}
	if !a.again && a.leadsToBroken(target) {
		a.breakAfter(site)
		return
	}
	base := a.inherit(target)
	where := a.where[m.group]
	own := tree.With(m.group, name, nil)
	a.where[own] = where
	m.group = a.join(base.group, own)
	a.where[m.group] = where
	m.own = append(m.own, site)
}

// join lays a group over another. Groups that both have wait until they are looked at, since their references may lead
// through this group.
func (a *applier) join(under, over *jsontree.Node) *jsontree.Node {
	if !a.spend(len(under.Members) + len(over.Members)) {
		return over
	}
	result := jsontree.NewObject(make([]jsontree.Member, 0, len(under.Members)+len(over.Members))...)
	for _, m := range under.Members {
		if (m.Name == "$extends" || m.Name == "$ref") && a.isBroken(m.Value) {
			continue // it is named in its own place
		}
		result.Members = append(result.Members, m)
	}
	result.Index()
	for _, m := range over.Members {
		i := result.IndexOf(m.Name)
		if i < 0 {
			result.Members = append(result.Members, m)
			continue
		}
		below := result.Members[i].Value
		if !dtcg.IsMetadata(m.Name) && isGroup(below) && isGroup(m.Value) && !isPlainReference(m.Value) && !isPlainReference(below) {
			both := jsontree.NewObject()
			a.pending[both] = [2]*jsontree.Node{below, m.Value}
			a.where[both] = a.where[m.Value]
			m.Value = both
		} else if dtcg.IsToken(below) && isGroup(m.Value) && !isPlainReference(m.Value) {
			a.nameReplaced(below, m.Value)
		}
		result.Members[i].Value = m.Value
	}
	result.Index()
	return result
}

// nameReplaced names a group that takes the place of a token which its group would have from another.
func (a *applier) nameReplaced(token, group *jsontree.Node) {
	at, ok := a.where[group]
	if !ok || a.named[group] {
		return
	}
	a.named[group] = true
	a.result.Faults = append(a.result.Faults, Fault{
		Pointer: at, Path: dotted(at), Lost: true,
		Message: "it has no $value, and takes the place of the token at " + dotted(a.where[token]), Next: "Give it a $value, or remove it.",
	})
}

func dotted(pointer string) string {
	p, _ := jsontree.ParsePointer(pointer)
	return strings.Join(p, ".")
}

func isGroup(n *jsontree.Node) bool { return n.IsObject() && !dtcg.IsToken(n) }

// isPlainReference reports whether an object says nothing but the place of another token or group.
func isPlainReference(n *jsontree.Node) bool { return n.Find("$ref") != nil && !hasGroup(n) }
