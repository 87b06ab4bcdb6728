package modesheet

import (
	"iter"
	"math/bits"
	"slices"
)

// subset is a set of dimensions, a bit each.
type subset uint

// chosen is the set of the dimensions of which the choice of a key has a mode.
func chosen(key string) (s subset) {
	for i := range key {
		if key[i] != 0 {
			s |= 1 << i
		}
	}
	return s
}

func (s subset) has(dimension int) bool { return s>>dimension&1 != 0 }

func (s subset) size() int { return bits.OnesCount(uint(s)) }

// list returns the dimensions in s, in order.
func (s subset) list() (dimensions []int) {
	for i := 0; s>>i != 0; i++ {
		if s.has(i) {
			dimensions = append(dimensions, i)
		}
	}
	return dimensions
}

// proper yields the parts of s that are neither empty nor s.
func (s subset) proper() iter.Seq[subset] {
	return func(yield func(subset) bool) {
		for part := (s - 1) & s; part != 0; part = (part - 1) & s {
			if !yield(part) {
				return
			}
		}
	}
}

// restrict returns choice without the modes of the dimensions that are not in s.
func (s subset) restrict(choice []int) []int {
	restricted := slices.Clone(choice)
	for i := range restricted {
		if !s.has(i) {
			restricted[i] = -1
		}
	}
	return restricted
}

// key is a choice as the key of a map.
func key(choice []int) string {
	b := make([]byte, len(choice))
	for i, mode := range choice {
		b[i] = byte(mode + 1)
	}
	return string(b)
}
