package dtcg

import "math/bits"

// states are the tokens of a document while they are resolved: all of them or, of a Theme that is
// resolved, some, which stand in the place of the Theme's own.
type states struct {
	all    []Token   // of the document
	picked *tokenSet // nil: all are resolved
	some   []Token   // those of picked, in their order
}

// at returns the token at a position.
func (s *states) at(i int32) *Token {
	if s.picked != nil {
		if place := s.picked.place(i); place >= 0 {
			return &s.some[place]
		}
	}
	return &s.all[i]
}

// resolved returns the tokens that are resolved.
func (s *states) resolved() []Token {
	if s.picked == nil {
		return s.all
	}
	return s.some
}

// place returns where among those that are resolved the token at position i stands; it is negative if
// it is not resolved, or i names no token.
func (s *states) place(i int32) int32 {
	if s.picked == nil || i < 0 {
		return i
	}
	return s.picked.place(i)
}

// position is the inverse of place.
func (s *states) position(place int32) int32 {
	if s.picked == nil {
		return place
	}
	return s.picked.positions[place]
}

// tokenSet is a set of tokens that knows their order: one bit for each token of the document, so that it
// costs next to nothing to make. It is not changed once it is ordered.
type tokenSet struct {
	bits      []uint64 // by position
	before    []int32  // how many are picked before each word of bits
	positions []int32  // of those that are picked: in document order once it is ordered
}

func newTokenSet(tokens int) *tokenSet {
	words := (tokens + 63) / 64
	return &tokenSet{bits: make([]uint64, words), before: make([]int32, words)}
}

func (p *tokenSet) has(i int32) bool { return p.bits[i>>6]>>(i&63)&1 != 0 }

// add adds the token at position i.
//
//go:noinline
func (p *tokenSet) add(i int32) {
	if !p.has(i) {
		p.bits[i>>6] |= 1 << (i & 63)
		p.positions = append(p.positions, i)
	}
}

// order brings the positions into document order; after it nothing may be added.
func (p *tokenSet) order() {
	next := p.positions[:0]
	for word, set := range p.bits {
		p.before[word] = int32(len(next))
		for ; set != 0; set &= set - 1 {
			next = append(next, int32(word<<6+bits.TrailingZeros64(set)))
		}
	}
}

// place returns how many are picked before position i, which is picked itself, or -1.
func (p *tokenSet) place(i int32) int32 {
	word := p.bits[i>>6]
	if word>>(i&63)&1 == 0 {
		return -1
	}
	return p.before[i>>6] + int32(bits.OnesCount64(word&(1<<(i&63)-1)))
}
