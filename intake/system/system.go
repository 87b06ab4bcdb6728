// Package system makes one document of the declarations of token files: it lays those that hold in a choice of modes over each
// other, applies references and expressions, corrects what the origin would refuse, and finds what a Variant overrides.
package system

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/intake/cssvalue"
	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Layer holds documents without an order among them. In a layer of several documents a declaration under more conditions is laid
// over one under fewer, whatever their files are called. The declarations of a single document keep its order.
type Layer []*model.Document

// Reading is the document that files make for one choice of modes.
type Reading struct {
	Tree     *jsontree.Node
	Problems []model.Problem
	Laid     []*model.Decl // the declarations that hold, in the order in which they were laid
	Replaced []Replacement // in the same order

	root  *place
	moved []map[string]string // of each pass over the tree: pointer after it -> pointer before it
}

// Replacement is a declaration of a token over that of another document which gives the token another value.
type Replacement struct {
	Was, By *model.Decl
	Layers  [2]int // the layers of Was and By
	Equals  bool   // both hold under as many conditions
}

// Read lays the declarations that hold in a choice over each other, resolves the result and corrects it.
func Read(layers []Layer, c model.Choice) *Reading {
	r := Lay(layers, c)
	r.apply(resolve(r.Tree, slices.Concat(layers...)))
	r.apply(correct(r.Tree))
	return r
}

// Lay lays the declarations that hold in a choice over each other. A token stands where its first declaration puts it and has the
// last one; if that states no type, it keeps the type of the one before it.
func Lay(layers []Layer, c model.Choice) *Reading {
	l := layering{Reading: &Reading{root: &place{}}}
	for i, layer := range layers {
		for _, d := range declarations(layer, c) {
			d.layer = i
			l.Laid = append(l.Laid, d.Decl)
			l.lay(d)
		}
	}
	l.resolveProperties()
	l.Tree = l.root.node("")
	return l.Reading
}

// resolveProperties gives the custom properties of stylesheets the values that they have in the choice, and leaves out those without
// one.
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

// declared is a declaration with where it comes from.
type declared struct {
	*model.Decl
	document   *model.Document
	layer      int
	conditions int // the most that one of its contexts has that hold
}

// declarations lists the declarations of a layer that hold in a choice, in the order in which they are laid.
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

// choiceOf is the choice with the default of each dimension of which a document lacks the chosen mode.
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

// place is a token or group of the document that is being laid.
type place struct {
	name  string
	token declared       // without a Decl: a group
	typ   string         // of the token; empty if no declaration of it states one
	value *jsontree.Node // the token; nil if a stylesheet gives it no value
	group *model.Decl
	meta  []jsontree.Member // of the group
	below []*place
	index map[string]*place
}

// child returns the place of a name in a group, or nil.
func (p *place) child(name string) *place { return p.index[name] }

// add returns the place of a name in a group. It makes the place if there is none.
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

// eachToken visits the tokens at and below a place.
func (p *place) eachToken(visit func(*place)) {
	if p.token.Decl != nil {
		visit(p)
	}
	for _, child := range p.below {
		child.eachToken(visit)
	}
}

// layering makes a Reading.
type layering struct{ *Reading }

func (l layering) lay(d declared) {
	if len(d.Path) == 0 && !d.Group {
		l.lose(d.Decl, "tokens without a name", "it is left out: the whole file is one token; put it below a name")
		return
	}
	p := l.root
	for i, name := range d.Path {
		p = p.add(name)
		if p.token.Decl != nil && (d.Group || i < len(d.Path)-1) {
			l.lose(p.token.Decl, misplaced, fmt.Sprintf("it is left out: %s makes %s a group", d.Place, p.token.Name()))
			*p = place{name: name}
		}
	}
	if d.Group {
		p.group = d.Decl
		p.meta = overlaid(p.meta, d.Node.Members)
		return
	}
	for _, child := range p.below {
		child.eachToken(func(t *place) {
			l.lose(t.token.Decl, misplaced, fmt.Sprintf("it is left out: %s makes %s a token", d.Place, d.Name()))
		})
	}
	if was := p.token; was.Decl != nil && was.document != d.document && !sameValue(was.Node, d.Node) {
		l.Replaced = append(l.Replaced, Replacement{was.Decl, d.Decl, [2]int{was.layer, d.layer}, was.conditions == d.conditions})
	}
	typ := d.Type
	if typ == "" {
		typ = p.typ
	}
	*p = place{name: p.name, token: d, typ: typ}
}

// misplaced is the kind of problems of tokens whose place is that of a group, or the other way round.
const misplaced = "tokens in the place of a group, or above one"

func (l layering) lose(d *model.Decl, kind, message string) {
	l.Problems = append(l.Problems, model.Problem{Place: d.Place, Path: d.Name(), Kind: kind, Message: message, Lost: true})
}

// sameValue reports whether two tokens are the same but for their metadata.
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

// overlaid lays metadata over metadata of the same group: definitions are joined, of all other members the later one counts.
func overlaid(under, over []jsontree.Member) []jsontree.Member {
	result := slices.Clone(under)
	for _, m := range over {
		i := slices.IndexFunc(result, func(other jsontree.Member) bool { return other.Name == m.Name })
		switch {
		case i < 0:
			result = append(result, m)
		case m.Name == "$defs":
			result[i].Value = joined(result[i].Value, m.Value)
		default:
			result[i].Value = m.Value
		}
	}
	return result
}

// joined lays a group of definitions over another.
func joined(under, over *jsontree.Node) *jsontree.Node {
	if !under.IsObject() || !over.IsObject() || dtcg.IsToken(under) || dtcg.IsToken(over) {
		return over
	}
	members := slices.Clone(under.Members)
	for _, m := range over.Members {
		if i := slices.IndexFunc(members, func(other jsontree.Member) bool { return other.Name == m.Name }); i >= 0 {
			members[i].Value = joined(members[i].Value, m.Value)
		} else {
			members = append(members, m)
		}
	}
	return newObject(members)
}

func newObject(members []jsontree.Member) *jsontree.Node {
	n := jsontree.NewObject(members...)
	n.Index()
	return n
}

// node makes the tree of a place; it is nil if that is a token without a value. A token has its own $type where it would inherit another one than that of its file. The $type of
// the root is that of one file: it is left out if a token of another file, which states none, would inherit it.
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

// hasUntyped reports whether a token below a group has no type but that of the group.
func (p *place) hasUntyped() bool {
	return slices.ContainsFunc(p.below, func(child *place) bool {
		if child.token.Decl != nil {
			return child.typ == ""
		}
		isTyped := slices.ContainsFunc(child.meta, func(m jsontree.Member) bool { return m.Name == "$type" })
		return !isTyped && child.hasUntyped()
	})
}

// Tokens visits the declarations of the tokens that the reading has, in the order of the document before it was corrected.
func (r *Reading) Tokens(visit func(*model.Decl)) {
	r.root.eachToken(func(p *place) {
		if p.value != nil {
			visit(p.token.Decl)
		}
	})
}

// change is a tree after a pass over it.
type change struct {
	Tree     *jsontree.Node
	Problems []model.Problem   // without a file: their pointers lead into the tree before or after the pass
	Moved    map[string]string // pointer to a token or group after the pass -> pointer to where it was
}

func (r *Reading) apply(c change) {
	r.Tree = c.Tree
	if len(c.Moved) > 0 {
		r.moved = append(r.moved, c.Moved)
	}
	for _, p := range c.Problems {
		p.Place = r.Place(p.Pointer)
		r.Problems = append(r.Problems, p)
	}
}

// Place returns where a file declares what a pointer into Tree leads to, or the nearest group around it.
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
	case p.group != nil:
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

// PlaceOf is Place of a dotted path.
func (r *Reading) PlaceOf(path string) model.Place {
	return r.Place(jsontree.Pointer(strings.Split(path, ".")).String())
}

// origin returns the pointer to where what a pointer leads to was before a pass.
func origin(moved map[string]string, pointer string) string {
	for at := pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if was, ok := moved[at]; ok {
			return was + pointer[len(at):]
		}
	}
	return pointer
}
