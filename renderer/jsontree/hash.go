package jsontree

import (
	"hash/maphash"
	"math/bits"
)

// Seed is what a hash table multiplies its names by. It is random, so that no author can choose names that meet in one
// slot.
type Seed struct{ first, second uint64 }

// NewSeed returns a seed that no other table has.
func NewSeed() Seed {
	random := maphash.MakeSeed()
	return Seed{maphash.String(random, "first") | 1, maphash.String(random, "second") | 1}
}

// Hash hashes a text as wyhash does, which Go's maps use on processors without AES: eight bytes at a time are mixed with
// the seed and multiplied. It costs a third of maphash for texts as short as names are.
func Hash[T string | []byte](seed Seed, text T) uint64 {
	n := len(text)
	a, b, state := uint64(0), uint64(0), seed.first
	switch {
	case n > 16:
		for rest := text; len(rest) > 16; rest = rest[16:] {
			state = mix(load64(rest)^seed.second, load64(rest[8:])^state)
		}
		a, b = load64(text[n-16:]), load64(text[n-8:])
	case n >= 8:
		a, b = load64(text), load64(text[n-8:])
	case n >= 4:
		a, b = load32(text), load32(text[n-4:])
	case n > 0:
		a = uint64(text[0])<<16 | uint64(text[n>>1])<<8 | uint64(text[n-1])
	}
	return mix(seed.second^uint64(n), mix(a^seed.second, b^state))
}

// mix returns both halves of a product as one.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
