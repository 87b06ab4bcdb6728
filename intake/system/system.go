// Package system merges the declarations of token files into a document. For a choice of modes, it lays the declarations that hold over
// each other, resolves references and expressions, and corrects the result so that the origin accepts it. For a Variant, it returns the
// difference to another document.
package system

import (
	"maps"
	"slices"
	"strings"

	"example.com/livery/intake/check"
	"example.com/livery/intake/compute"
	"example.com/livery/intake/cssvalue"
	"example.com/livery/intake/model"
	"example.com/livery/intake/references"
	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Layer is a set of documents without an order. In a layer with several documents, a declaration with more conditions replaces a
// declaration with fewer conditions. In a layer with a single document, the order of the declarations counts.
type Layer []*model.Document

// Reading is the merged document for a choice of modes.
type Reading struct {
	Tree     *jsontree.Node
	Problems []model.Problem
	Laid     []*model.Decl // the declarations that hold, in order
	Replaced []Replacement // in the order of the declarations

	root  *place
	moved []map[string]string // for each pass over the tree: new pointer to old pointer
}

// Replacement is a declaration that replaces a different value from another document.
type Replacement struct {
	Was, By *model.Decl
	Layers  [2]int // indexes of the layers of Was and By
	Equals  bool   // Was and By have the same number of conditions
}

// Read lays the declarations over each other, resolves references and expressions, and corrects the document.
func Read(layers []Layer, c model.Choice) *Reading {
	r := Lay(layers, c)
	language := model.Plain
	var files []*model.File
	for _, document := range slices.Concat(layers...) {
		language, files = max(language, document.Language), append(files, document.Files...)
	}
	isFile := func(name string) bool {
		return slices.ContainsFunc(files, func(f *model.File) bool { return strings.HasSuffix("/"+f.Name, "/"+strings.TrimLeft(name, "./")) })
	}
	r.apply(references.Apply(r.Tree, isFile))
	r.apply(compute.Document(r.Tree, language))
	r.apply(check.Document(r.Tree))
	return r
}

// Lay lays the declarations that hold in a choice over each other. The last declaration of a token counts, at the position of the first.
// If the last declaration does not state a type, the token keeps its previous type.
func Lay(layers []Layer, c model.Choice) *Reading {
	l := newLayering(layers, c)
	l.resolveProperties()
	l.Tree = l.followRoots(l.root.node(""))
	return l.Reading
}

func newLayering(layers []Layer, c model.Choice) layering {
	l := layering{&Reading{root: &place{}}, map[string]bool{}}
	for i, layer := range layers {
		for _, d := range declarations(layer, c) {
			d.layer = i
			l.Laid = append(l.Laid, d.Decl)
			l.lay(d)
		}
	}
	return l
}

// resolveProperties computes the values of the custom properties. It leaves the value of a place nil if a property has no value.
func (l layering) resolveProperties() {
	var places []*place
	var decls []model.Decl
	l.root.eachToken(func(p *place) { places, decls = append(places, p), append(decls, *p.token.Decl) })
	resolved, problems := cssvalue.Resolve(decls)
	l.Problems = append(l.Problems, problems...)
	for _, p := range places {
		if len(resolved) > 0 && slices.Equal(resolved[0].Path, p.token.Path) {
			p.value, resolved = resolved[0].Node, resolved[1:]
		}
	}
}

// declared is a declaration with its document and layer.
type declared struct {
	*model.Decl
	document   *model.Document
	layer      int
	conditions int // in the longest context that holds
}

// declarations returns the declarations of a layer that hold in a choice, in the order in which Lay applies them.
func declarations(layer Layer, c model.Choice) (list []declared) {
	for _, document := range layer {
		own := choiceOf(document, c)
		for i := range document.Decls {
			if d := &document.Decls[i]; d.HoldsIn(own) {
				list = append(list, declared{d, document, 0, conditions(d, own)})
			}
		}
	}
	if len(layer) > 1 {
		slices.SortStableFunc(list, func(a, b declared) int { return a.conditions - b.conditions })
	}
	return list
}

// choiceOf returns the choice for a document. If a dimension of the document does not have the chosen mode, its default is chosen.
func choiceOf(document *model.Document, c model.Choice) model.Choice {
	own := maps.Clone(c)
	for _, d := range document.Dimensions {
		if d.Kind != model.CSS && !slices.Contains(d.Modes, c[d.Axis]) {
			own[d.Axis] = d.Default
		}
	}
	return own
}

func conditions(d *model.Decl, c model.Choice) (most int) {
	for _, context := range d.When {
		if c.Holds(context) {
			most = max(most, len(context))
		}
	}
	return most
}

// place is a token or group in a Reading.
type place struct {
	name  string
	token declared          // Decl is nil for a group
	typ   string            // type of the token; empty if it is not known
	value *jsontree.Node    // the token; nil if it is a custom property without a value
	group declared          // the last of its metadata
	meta  []jsontree.Member // members of the group that start with $
	below []*place
	index map[string]*place
}

// child returns the member of a group with a name, or nil.
func (p *place) child(name string) *place { return p.index[name] }

// add returns the member of a group with a name. It creates the member if it does not exist.
func (p *place) add(name string) *place {
	child := p.index[name]
	if child == nil {
		child = &place{name: name}
		if p.index == nil {
			p.index = map[string]*place{}
		}
		p.index[name], p.below = child, append(p.below, child)
	}
	return child
}

// eachToken calls visit for each token at or below p.
func (p *place) eachToken(visit func(*place)) {
	if p.token.Decl != nil {
		visit(p)
	}
	for _, child := range p.below {
		child.eachToken(visit)
	}
}

// layering builds a Reading. A token whose path is also a group becomes the $root of the group.
type layering struct {
	*Reading
	rooted map[string]bool // dotted paths of the tokens that are the $root of a group
}

func (l layering) lay(d declared) {
	if len(d.Path) == 0 && !d.Group {
		l.lose(d.Decl, "tokens without a name", "it is left out: the whole file is one token; put it below a name")
		return
	}
	p := l.root
	for _, name := range d.Path {
		l.moveToRoot(p)
		p = p.add(name)
	}
	if d.Group {
		p.meta = overlaid(p.meta, d.Node.Members, nil, func(at jsontree.Pointer) {
			if at[0] != "$defs" {
				l.replace(p.group, d)
				return
			}
			l.Problems = append(l.Problems, model.Problem{
				Place: model.Place{File: d.File, Pointer: d.Pointer + at.String()}, Path: strings.Join(at, "."), Kind: "definitions of one name",
				Message: "another file defines it too, and this one counts for both",
			})
		})
		p.group = d
		return
	}
	if len(p.below) > 0 {
		l.rooted[d.Name()] = true
		p = p.add(rootName)
	}
	if was := p.token; was.Decl != nil && !sameValue(was.Node, d.Node) {
		l.replace(was, d)
	}
	if p.token = d; d.Type != "" {
		p.typ = d.Type
	}
}

// replace notes that a declaration replaces one of another document.
func (l layering) replace(was, by declared) {
	if was.document != by.document {
		l.Replaced = append(l.Replaced, Replacement{was.Decl, by.Decl, [2]int{was.layer, by.layer}, was.conditions == by.conditions})
	}
}

// rootName is the name of the token of a group itself, which is served under the name of the group.
const rootName = "$root"

// moveToRoot moves the token at p, if there is one, below p, because p becomes a group.
func (l layering) moveToRoot(p *place) {
	if p.token.Decl == nil {
		return
	}
	l.rooted[p.token.Name()] = true
	root := p.add(rootName)
	root.token, root.typ = p.token, p.typ
	p.token, p.typ = declared{}, ""
}

// followRoots makes the aliases of tokens that were moved lead to them.
func (l layering) followRoots(root *jsontree.Node) *jsontree.Node {
	if len(l.rooted) == 0 {
		return root
	}
	return check.MapAliases(root, func(path string) string {
		if l.rooted[path] {
			return path + "." + rootName
		}
		return path
	})
}

func (l layering) lose(d *model.Decl, kind, message string) {
	l.Problems = append(l.Problems, model.Problem{Place: d.Place, Path: d.Name(), Kind: kind, Message: message, Lost: true})
}

// sameValue reports whether two tokens are equal except for the metadata.
func sameValue(a, b *jsontree.Node) bool {
	bare := func(token *jsontree.Node) *jsontree.Node {
		return tree.MapMembers(token, func(m jsontree.Member) jsontree.Member {
			if slices.Contains([]string{"$type", "$description", "$extensions", "$deprecated"}, m.Name) {
				m.Value = nil
			}
			return m
		})
	}
	return jsontree.Equal(bare(a), bare(b))
}

// overlaid lays the metadata of a group over other metadata. It merges the definitions in $defs, and replaces all other members. It calls
// replaced with the place of each definition and reference that another replaces.
func overlaid(under, over []jsontree.Member, at jsontree.Pointer, replaced func(at jsontree.Pointer)) []jsontree.Member {
	result := slices.Clone(under)
	for _, m := range over {
		i := slices.IndexFunc(result, func(other jsontree.Member) bool { return other.Name == m.Name })
		if i < 0 {
			result = append(result, m)
			continue
		}
		was, below := result[i].Value, append(at[:len(at):len(at)], m.Name)
		switch isDefinition := below[0] == "$defs"; {
		case isDefinition && isGroup(was) && isGroup(m.Value):
			m.Value = newObject(overlaid(was.Members, m.Value.Members, below, replaced))
		case (isDefinition || m.Name == "$extends" || m.Name == "$ref") && !jsontree.Equal(was, m.Value):
			replaced(below)
		}
		result[i].Value = m.Value
	}
	return result
}

func isGroup(n *jsontree.Node) bool { return n.IsObject() && !dtcg.IsToken(n) }

func newObject(members []jsontree.Member) *jsontree.Node {
	n := jsontree.NewObject(members...)
	n.Index()
	return n
}

// node builds the tree for p. It returns nil for a token without a value. A token gets a $type if it would otherwise inherit a different
// type than in its file. The root does not get a $type if a token without a type, from another file, would inherit it.
func (p *place) node(inherited string) *jsontree.Node {
	if p.token.Decl != nil {
		n := p.value
		if n != nil && p.typ != "" && p.typ != inherited && n.Find("$type") == nil {
			n = tree.With(n, "$type", jsontree.NewString(p.typ))
		}
		return n
	}
	members := make([]jsontree.Member, 0, len(p.meta)+len(p.below))
	for _, m := range p.meta {
		if m.Name == "$type" && m.Value.IsString() {
			if p.name == "" && p.hasUntyped() {
				continue
			}
			inherited = m.Value.Text
		}
		members = append(members, m)
	}
	for _, child := range p.below {
		if n := child.node(inherited); n != nil {
			members = append(members, jsontree.Member{Name: child.name, Value: n})
		}
	}
	return newObject(members)
}

// hasUntyped reports whether a token without a type would inherit the type of the group p.
func (p *place) hasUntyped() bool {
	return slices.ContainsFunc(p.below, func(child *place) bool {
		if child.token.Decl != nil {
			return child.typ == ""
		}
		isTyped := slices.ContainsFunc(child.meta, func(m jsontree.Member) bool { return m.Name == "$type" })
		return !isTyped && child.hasUntyped()
	})
}

// Tokens calls visit for the declaration of each token in the reading.
func (r *Reading) Tokens(visit func(*model.Decl)) {
	r.root.eachToken(func(p *place) {
		if p.value != nil {
			visit(p.token.Decl)
		}
	})
}

func (r *Reading) apply(c model.Pass) {
	r.Tree = c.Tree
	if len(c.Moved) > 0 {
		r.moved = append(r.moved, c.Moved)
	}
	for _, p := range c.Problems {
		p.Place = r.Place(p.Pointer)
		r.Problems = append(r.Problems, p)
	}
}

// Place returns the place of the declaration for a pointer into Tree, or of the nearest group that contains it.
func (r *Reading) Place(pointer string) model.Place {
	for _, moved := range slices.Backward(r.moved) {
		pointer = origin(moved, pointer)
	}
	names, _ := jsontree.ParsePointer(pointer)
	p, rest := r.root, names
	for len(rest) > 0 && p.child(rest[0]) != nil {
		p, rest = p.child(rest[0]), rest[1:]
	}
	switch {
	case p.token.Decl != nil:
		return model.Place{File: p.token.File, Pointer: p.token.Pointer + rest.String()}
	case p.group.Decl != nil:
		return model.Place{File: p.group.File, Pointer: p.group.Pointer + rest.String()}
	}
	var first model.Place
	p.eachToken(func(t *place) {
		if first.File == nil {
			first = t.token.Place
		}
	})
	return first
}

// PlaceOf returns the place of the declaration for a dotted path.
func (r *Reading) PlaceOf(path string) model.Place {
	return r.Place(jsontree.Pointer(strings.Split(path, ".")).String())
}

// origin returns the pointer before a pass for a pointer after the pass.
func origin(moved map[string]string, pointer string) string {
	for at := pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if was, ok := moved[at]; ok {
			return was + pointer[len(at):]
		}
	}
	return pointer
}
