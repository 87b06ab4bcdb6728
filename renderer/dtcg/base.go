package dtcg

import "example.com/livery/renderer/jsontree"

// Base is a Theme, and what it takes to lay a Variant over it without looking at all of it again:
// which tokens need each token, and what came of resolving them. It is not changed after ReadBase and
// may be used concurrently.
type Base struct {
	Theme *Document

	first      []int32 // by token: where in dependents those that need it begin; one more than there are tokens
	dependents []int32
	failures   map[int32]failure
	measures   []measure
	total      int  // bytes of the values with aliases
	entangled  bool // what becomes of one token may depend on any other
}

// ReadBase is Read for a Theme whose Variants are wanted.
func ReadBase(root *jsontree.Node) *Base {
	r := read(root)
	b := &Base{Theme: r.d, failures: r.failures, measures: r.measures, total: r.total}
	// If the bound of all aliases is reached, each value takes the room of another. Tokens that share a
	// path are told apart by nothing but their order, and those that are not listed by nothing at all.
	b.entangled = r.tooMuch || r.d.tooLong || r.d.byPath.Len() != len(r.d.Tokens)
	b.link()
	return b
}

// link turns the references around.
func (b *Base) link() {
	tokens := b.Theme.Tokens
	next := make([]int32, len(tokens)+2) // next[i+1] is where the next dependent of token i goes
	count := 0
	for i := range tokens {
		for _, ref := range tokens[i].refs {
			if ref >= 0 {
				next[ref+2]++
				count++
			}
		}
	}
	for i := 2; i < len(next); i++ {
		next[i] += next[i-1]
	}
	b.dependents = make([]int32, count)
	for i := range tokens {
		for _, ref := range tokens[i].refs {
			if ref >= 0 {
				b.dependents[next[ref+1]] = int32(i)
				next[ref+1]++
			}
		}
	}
	b.first = next[:len(tokens)+1]
}

// totalWithout returns the bytes that the aliases of all tokens build that are not picked.
func (b *Base) totalWithout(p *tokenSet) int {
	total := b.total
	for _, i := range p.positions {
		if len(b.Theme.Tokens[i].refs) > 0 {
			total -= b.measures[i].bytes // none of a token that is left out
		}
	}
	return total
}

// Delta is a Variant laid over a Base, as Overlay would lay it, given by the tokens that it reaches:
// those it overrides and those that need them, directly or not. It belongs to its Base, is not changed
// and may be read concurrently.
type Delta struct {
	At      []int32      // the positions of the tokens that are reached among those of the Theme, ascending
	Tokens  []Token      // these tokens as the Variant has them, in the same order
	Reports []Diagnostic // about overrides that do not count, in no order
	Found   []Diagnostic // about the tokens that are reached, in no order but for those of one token

	base   *Base
	picked *tokenSet
}

// Overlay lays overrides over the Theme, at the cost of what they reach. It returns nil if that
// tells too little, and the function Overlay must be called: if something is, or comes to be, left out
// for the length of the whole document.
func (b *Base) Overlay(overrides []Override) *Delta {
	if b.entangled {
		return nil
	}
	overrides = lastOfEach(overrides)
	p := b.reach(overrides)
	o := overlay{theme: b.Theme, base: b, doubtful: map[int32]bool{}}
	o.states = states{b.Theme.Tokens, p, make([]Token, len(p.positions))}
	for place, i := range p.positions {
		o.some[place] = b.Theme.Tokens[i]
	}
	o.layAll(overrides)
	if o.tooMuch {
		return nil
	}
	return &Delta{At: p.positions, Tokens: o.some, Reports: o.reports, Found: o.found, base: b, picked: p}
}

// reach picks the tokens that are overridden and all that need them. References of the overrides add
// none: they begin at tokens that are picked.
func (b *Base) reach(overrides []Override) *tokenSet {
	p := newTokenSet(len(b.Theme.Tokens))
	for _, override := range overrides {
		if i := b.Theme.at(override.Path); i >= 0 {
			p.add(i)
		}
	}
	for next := 0; next < len(p.positions); next++ {
		i := p.positions[next]
		for _, dependent := range b.dependents[b.first[i]:b.first[i+1]] {
			p.add(dependent)
		}
	}
	p.order()
	return p
}

// Reaches reports whether the token at a dotted path is one of those that are reached.
func (d *Delta) Reaches(path string) bool {
	i := d.base.Theme.at(path)
	return i >= 0 && d.picked.has(i)
}

// Alias returns where among the tokens that are reached the one stands that token k of these is an alias
// of. It is negative if k is not an alias, or the alias of a token that is not reached.
func (d *Delta) Alias(k int) int32 {
	i := d.Tokens[k].alias()
	if i < 0 {
		return refMissing
	}
	return d.picked.place(i)
}
