// Package designsystem makes one Theme and its Variants of the modes of a design system: what the modes share is the
// Theme, and each other mode is a Variant that says only what differs. It is pure: it reads no file and asks no server,
// and it never changes a tree that it was given.
package designsystem

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Mode is one mode of a dimension, and all tokens if it is chosen and every other dimension has its default.
type Mode struct {
	Dimension, Name string
	Tree            *jsontree.Node // a DTCG document
	Of              []Variant      // the brand and the mode that it is both of; empty if it is a mode of one dimension
}

// Variant is what a mode says otherwise.
type Variant struct {
	Mode
	Slug      string
	Overrides *jsontree.Node // a flat map
}

// Plan is a Theme and its Variants.
type Plan struct {
	Theme    *jsontree.Node // the defaults, and behind them what only other modes have
	Added    []string       // the paths of the latter, with the values of the first mode that has them
	Clashes  []Clash        // what has no place
	Variants []Variant      // one for each mode that was given, in their order
}

// Clash is a token of a mode that has no place in the Theme: what is a token in one mode is a group in another.
type Clash struct{ Dimension, Mode, Path string }

// Make makes a plan of the tokens that the defaults of all dimensions give, of every other mode, and of what is a mode
// of elements of a page alone, of which no Variant is made. slugs are names that were decided before; they may be nil.
func Make(defaults *jsontree.Node, modes, elements []Mode, slugs map[[2]string]string) *Plan {
	p := &Plan{Theme: defaults}
	theme := dtcg.Read(defaults)
	var documents []*dtcg.Document
	for _, m := range slices.Concat(elements, modes) { // what an element has is usual, and a mode may have it otherwise
		documents = append(documents, dtcg.Read(m.Tree))
		if p.addMissing(theme, documents[len(documents)-1], m) {
			theme = dtcg.Read(p.Theme)
		}
	}
	documents = documents[len(elements):]
	names := slugsOf(modes, slugs)
	for i, m := range modes {
		p.Variants = append(p.Variants, Variant{Mode: m, Slug: names[i], Overrides: difference(theme, documents[i], m.Of)})
	}
	return p
}

// IsOfElements reports whether a mode of a stylesheet is one of elements of a page, such as .btn, and not of the page: no
// name, attribute or condition tells a mode of the page, and most of what it says is of tokens that the defaults lack.
func IsOfElements(defaults *dtcg.Document, m Mode, h tokenfile.Hint) bool {
	if m.Dimension != "" || kindOf(m.Name) != "" || attributeOf(h) != "" || h.When != "" || h.OfRoot {
		return false
	}
	own, others := 0, 0
	document := dtcg.Read(m.Tree)
	for i := range document.Tokens {
		switch t := defaults.Token(document.Tokens[i].Path); {
		case t == nil:
			own++
		case !jsontree.Equal(t.Value, document.Tokens[i].Value):
			others++
		}
	}
	return own > others
}

// Both returns the mode that two others are together, and the tokens that have another value in it than the overrides
// of both laid over the Theme give them.
func (p *Plan) Both(first, second Variant, both *jsontree.Node) (together Mode, differ []string) {
	return Mode{first.Dimension, first.Name + " " + second.Name, both, []Variant{first, second}}, p.apart(both, first, second)
}

// apart lists the tokens that have another value in a tree than the overrides of Variants, laid over the Theme in their
// order, give them.
func (p *Plan) apart(tree *jsontree.Node, of ...Variant) (differ []string) {
	theme, document := dtcg.Read(p.Theme), dtcg.Read(tree)
	for i := range document.Tokens {
		t := &document.Tokens[i]
		var value *jsontree.Node
		if own := theme.Token(t.Path); own != nil {
			value = own.Value
		}
		for _, v := range of {
			value = cmp.Or(v.Overrides.Find(t.Path), value)
		}
		if document.Names(t) && (value == nil || !jsontree.Equal(value, t.Value)) {
			differ = append(differ, t.Path)
		}
	}
	return differ
}

// Join finds the modes of one dimension that are several of its modes together, as dark-acme is of acme and dark. One
// of a brand and a mode has them in Of from then on. Of the others it lists the tokens that have another value than all
// of them laid over each other give.
func (p *Plan) Join(all []tokenfile.Dimension, modes []Mode) (apart []string) {
	m := modeList{plan: p.Variants, all: all, names: map[string]bool{}}
	m.addAll()
	for i, v := range p.Variants {
		of := m.together(v)
		isKnown := func(other Mode) bool {
			return slices.EqualFunc(other.Of, of, func(a, b Variant) bool { return a.Slug == b.Slug })
		}
		if len(of) == 2 && m.isLeft(of[0]) && len(of[0].Overrides.Members) > 0 && !slices.ContainsFunc(modes, isKnown) {
			modes[i].Of = of
		} else if len(of) > 0 {
			apart = append(apart, p.apart(v.Tree, of...)...)
		}
	}
	return apart
}

// Overlaps reports whether a Variant overrides a token that another does.
func (v Variant) Overlaps(other Variant) bool {
	return slices.ContainsFunc(v.Overrides.Members, func(m jsontree.Member) bool { return other.Overrides.Find(m.Name) != nil })
}

// addMissing adds the tokens of a mode that the Theme lacks, for an override of them would do nothing. It reports
// whether there were any.
func (p *Plan) addMissing(theme, mode *dtcg.Document, m Mode) bool {
	missing := jsontree.NewObject()
	for i := range mode.Tokens {
		t := &mode.Tokens[i]
		if theme.Token(t.Path) != nil || !mode.Names(t) {
			continue
		}
		if hasNoRoom(p.Theme, t.Segments()) {
			p.Clashes = append(p.Clashes, Clash{m.Dimension, m.Name, t.Path})
			continue
		}
		tree.Put(missing, t.Segments(), typed(t))
		p.Added = append(p.Added, t.Path)
	}
	if len(missing.Members) == 0 {
		return false
	}
	tree.Index(missing)
	p.Theme = tokentree.JoinGroups(p.Theme, missing)
	return true
}

// hasNoRoom reports whether a path leads through a token of a tree, or ends at a group of it.
func hasNoRoom(n *jsontree.Node, segments []string) bool {
	for _, name := range segments {
		if n = n.Find(name); n == nil {
			return false
		}
		if !tokentree.IsGroup(n) {
			return true
		}
	}
	return true
}

// typed is a token's object with the type that it has from its groups.
func typed(t *dtcg.Token) *jsontree.Node {
	if t.Typed || t.Resolved == "" || t.Inferred {
		return t.Node
	}
	kind := jsontree.Member{Name: "$type", Value: jsontree.NewString(t.Resolved)}
	return jsontree.NewObject(append([]jsontree.Member{kind}, t.Node.Members...)...)
}

// difference returns the values that a mode gives to tokens of the Theme otherwise than the Theme does. under are what
// it is both of: what the first, a brand, overrides is in the result too, and of either what the mode has no token for.
func difference(theme, mode *dtcg.Document, under []Variant) *jsontree.Node {
	overrides := jsontree.NewObject()
	for i := range mode.Tokens {
		t := &mode.Tokens[i]
		own := theme.Token(t.Path)
		isUnder := len(under) > 0 && under[0].Overrides.Find(t.Path) != nil
		if own != nil && mode.Names(t) && (isUnder || !jsontree.Equal(own.Value, t.Value)) {
			overrides.Members = append(overrides.Members, jsontree.Member{Name: t.Path, Value: t.Value})
		}
	}
	for _, v := range under { // a file of a brand in a mode may say no more than what the mode changes
		overrides.Index()
		for _, m := range v.Overrides.Members {
			if mode.Token(m.Name) == nil && overrides.Find(m.Name) == nil {
				overrides.Members = append(overrides.Members, m)
			}
		}
	}
	overrides.Index()
	return overrides
}

// slugsOf names each mode in lower case, with the dimension in front of each of those that would have one name. A name
// that no letter or digit is left of, or that is still taken, has a number.
func slugsOf(modes []Mode, decided map[[2]string]string) []string {
	count, names, taken := map[string]int{}, make([]string, len(modes)), map[string]bool{}
	for i, m := range modes {
		names[i] = decided[[2]string{m.Dimension, m.Name}]
		taken[names[i]] = true
		count[slugOf(m.Name)]++
	}
	for i, m := range modes {
		if names[i] != "" {
			continue
		}
		name := slugOf(m.Name)
		if count[name] > 1 || taken[name] {
			name = slugOf(m.Dimension + "-" + m.Name)
		}
		names[i] = numbered(cmp.Or(name, "mode"), maxSlug, taken)
		taken[names[i]] = true
	}
	return names
}

// numbered returns a name of at most longest characters that is not taken.
func numbered(name string, longest int, taken map[string]bool) string {
	free := name
	for n := 2; taken[free]; n++ {
		free = name[:min(len(name), longest-4)] + "-" + strconv.Itoa(n)
	}
	return free
}

// maxSlug is the length of the longest slug that the API takes.
const maxSlug = 64

// slugOf spells a name as a slug: letters and digits of ASCII in lower case, with single hyphens between.
func slugOf(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	slug := b.String()
	return strings.TrimRight(slug[:min(len(slug), maxSlug)], "-")
}
