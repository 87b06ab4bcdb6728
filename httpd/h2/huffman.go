package h2

import (
	"bytes"

	"golang.org/x/net/http2/hpack"
)

// huffmanStep is what four bits of a Huffman code do at a place within a code (RFC 7541 section 5.2).
type huffmanStep struct {
	next   uint8 // the place behind them
	symbol uint8
	emits  bool // symbol ends within them
	wrong  bool // no code goes on so
}

// huffmanTable has the steps from every place, and whether a text may end there: with less than eight bits, all 1.
type huffmanTable struct {
	steps [256][16]huffmanStep
	ends  [256]bool
}

var huffman = newHuffmanTable()

// newHuffmanTable makes the table from the codes of package hpack.
func newHuffmanTable() *huffmanTable {
	type node struct {
		child  [2]int // 0: none; below 0: the symbol -1-n
		padded bool
	}
	nodes := []node{{padded: true}}
	for symbol := range 256 {
		text := string([]byte{byte(symbol)})
		bits := int(hpack.HuffmanEncodeLength(string(bytes.Repeat([]byte(text), 8)))) // of eight codes in bytes: of one in bits
		code := hpack.AppendHuffmanString(nil, text)
		at := 0
		for i := range bits {
			bit := int(code[i/8]>>(7-i%8)) & 1
			switch {
			case i == bits-1:
				nodes[at].child[bit] = -1 - symbol
			case nodes[at].child[bit] == 0:
				nodes = append(nodes, node{padded: nodes[at].padded && bit == 1 && i < 7})
				nodes[at].child[bit] = len(nodes) - 1
			}
			at = max(0, nodes[at].child[bit])
		}
	}
	t := new(huffmanTable)
	for place := range nodes {
		t.ends[place] = nodes[place].padded
		for bits := range 16 {
			step, at := &t.steps[place][bits], place
			for i := 3; i >= 0 && !step.wrong; i-- {
				switch to := nodes[at].child[bits>>i&1]; {
				case to > 0:
					at = to
				case to < 0:
					step.symbol, step.emits, at = uint8(-1-to), true, 0
				default:
					step.wrong = true // the end of strings, which no text holds
				}
			}
			step.next = uint8(at)
		}
	}
	return t
}

// appendText appends what code stands for to dst, while that has room.
func (t *huffmanTable) appendText(dst, code []byte) (text []byte, ok bool) {
	place := uint8(0)
	for _, b := range code {
		for _, bits := range [2]byte{b >> 4, b & 0xf} {
			step := &t.steps[place][bits]
			if step.emits {
				if len(dst) == cap(dst) {
					return dst, false
				}
				dst = append(dst, step.symbol)
			}
			if step.wrong {
				return dst, false
			}
			place = step.next
		}
	}
	return dst, t.ends[place]
}
