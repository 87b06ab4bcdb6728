package coding

import (
	"cmp"
	"math/bits"
	"slices"
)

// huffmanLengths returns the lengths of a Huffman code for symbols that occur so often, none longer than limit; 0 for what
// does not occur. If one symbol alone occurs it has one bit.
func huffmanLengths(counts []int, limit int) []uint8 {
	counts, sum := slices.Clone(counts), 0
	for _, n := range counts {
		sum += n
	}
	for {
		if sum < 1<<limit { // a rarer symbol would get more bits, as likely as not
			if lengths := optimalLengths(counts); int(slices.Max(lengths)) <= limit {
				return lengths
			}
		}
		sum = 0
		for i, n := range counts { // nearer to each other: their codes are, too
			counts[i] = (n + 1) / 2
			sum += counts[i]
		}
	}
}

// huffmanNode is a symbol, or two nodes together.
type huffmanNode struct{ count, symbol, left, right int }

// optimalLengths is huffmanLengths without a limit.
func optimalLengths(counts []int) []uint8 {
	var nodes []huffmanNode
	for symbol, n := range counts {
		if n > 0 {
			nodes = append(nodes, huffmanNode{count: n, symbol: symbol})
		}
	}
	slices.SortStableFunc(nodes, func(a, b huffmanNode) int { return cmp.Compare(a.count, b.count) })
	lengths, leaves := make([]uint8, len(counts)), len(nodes)
	if leaves == 1 {
		lengths[nodes[0].symbol] = 1
	}
	if leaves < 2 {
		return lengths
	}
	leaf, pair := 0, leaves
	least := func() (i int) { // of the leaves and the pairs that are in none yet
		if pair == len(nodes) || leaf < leaves && nodes[leaf].count <= nodes[pair].count {
			leaf++
			return leaf - 1
		}
		pair++
		return pair - 1
	}
	for len(nodes) < 2*leaves-1 {
		a, b := least(), least()
		nodes = append(nodes, huffmanNode{count: nodes[a].count + nodes[b].count, left: a, right: b})
	}
	depths := make([]uint8, len(nodes))
	for i, n := range slices.Backward(nodes) {
		if i < leaves {
			lengths[n.symbol] = depths[i]
			continue
		}
		depths[n.left], depths[n.right] = depths[i]+1, depths[i]+1
	}
	return lengths
}

// bitString is up to 24 bits, the first one lowest, and how many there are.
type bitString uint32

func bitsOf(value uint32, length int) bitString { return bitString(value | uint32(length)<<24) }

func (b bitString) value() uint64 { return uint64(b & (1<<24 - 1)) }
func (b bitString) length() uint  { return uint(b >> 24) }

// then returns the bits of b and behind them those of more.
func (b bitString) then(more bitString) bitString {
	return bitsOf(uint32(b.value()|more.value()<<b.length()), int(b.length()+more.length()))
}

// huffmanCode returns the code that lengths stand for (RFC 1951 section 3.2.2).
func huffmanCode(lengths []uint8) []bitString {
	var count, next [17]uint32
	for _, length := range lengths {
		count[length]++
	}
	count[0] = 0
	for length := 1; length < len(next); length++ {
		next[length] = (next[length-1] + count[length-1]) << 1
	}
	code := make([]bitString, len(lengths))
	for symbol, length := range lengths {
		if length > 0 {
			code[symbol] = bitsOf(bits.Reverse32(next[length])>>(32-length), int(length))
			next[length]++
		}
	}
	return code
}
