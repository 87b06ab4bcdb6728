package coding

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/andybalholm/brotli/matchfinder"
)

// The alphabets of DEFLATE (RFC 1951 section 3.2.5).
const (
	endOfBlock    = 256
	literalCount  = 286
	distanceCount = 30
	leastLength   = 3
	mostLength    = 258
	maxCodeLength = 15

	firstLength = 257 // the symbol of leastLength
)

// lengthSymbol returns the symbol of a length, less 257, and the bits that follow it.
func lengthSymbol(length int) (symbol int, extra bitString) {
	if length == mostLength {
		return 28, 0
	}
	n := length - leastLength
	if n < 8 {
		return n, 0
	}
	shift := bits.Len(uint(n)) - 3
	return shift<<2 + n>>shift, bitsOf(uint32(n&(1<<shift-1)), shift)
}

// distanceSymbol returns the symbol of a distance, and the bits that follow it.
func distanceSymbol(distance int) (symbol int, extra bitString) {
	n := distance - 1
	if n < 4 {
		return n, 0
	}
	shift := bits.Len(uint(n)) - 2
	return shift<<1 + n>>shift, bitsOf(uint32(n&(1<<shift-1)), shift)
}

// pieceOf returns how much of a match is sent first: DEFLATE has no longer ones, and none that are very short.
func pieceOf(length int) int {
	switch {
	case length <= mostLength:
		return length
	case length-mostLength < leastLength:
		return length - leastLength
	}
	return mostLength
}

// deflateCode is a Huffman code for a text and what is like it: every symbol has a place in it. It is not changed.
type deflateCode struct {
	begin     bitWriter // a gzip stream up to the first symbol
	literals  [endOfBlock + 1]bitString
	lengths   [mostLength + 1]bitString // with the bits that follow
	distances [distanceCount]bitString
}

// seenOften is what an occurrence counts: what does not occur counts 1, in case it does in what is like the text.
const seenOften = 16

// newDeflateCode returns the code for the matches of a text.
func newDeflateCode(text []byte, matches []matchfinder.Match) *deflateCode {
	literals, distances := make([]int, literalCount), make([]int, distanceCount)
	for i := range literals {
		literals[i] = 1
	}
	for i := range distances {
		distances[i] = 1
	}
	at := 0
	for _, m := range matches {
		for _, c := range text[at : at+m.Unmatched] {
			literals[c] += seenOften
		}
		at += m.Unmatched + m.Length
		for rest := m.Length; rest > 0; {
			piece := pieceOf(rest)
			rest -= piece
			symbol, _ := lengthSymbol(piece)
			literals[firstLength+symbol] += seenOften
			symbol, _ = distanceSymbol(m.Distance)
			distances[symbol] += seenOften
		}
	}
	lengths := append(huffmanLengths(literals, maxCodeLength), huffmanLengths(distances, maxCodeLength)...)
	literalCode, c := huffmanCode(lengths[:literalCount]), &deflateCode{}
	copy(c.literals[:], literalCode)
	copy(c.distances[:], huffmanCode(lengths[literalCount:]))
	for length := leastLength; length <= mostLength; length++ {
		symbol, extra := lengthSymbol(length)
		c.lengths[length] = literalCode[firstLength+symbol].then(extra)
	}
	c.begin.out = []byte(gzipHead)
	c.begin.writeHead(lengths)
	return c
}

// lengthOrder is the order of the code of code lengths.
var lengthOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// repeatLength says that the length before comes 3 to 6 times more.
const repeatLength = 16

// writeHead writes the head of the last block, whose codes for literals and lengths and for distances have these lengths, none
// of them 0.
func (w *bitWriter) writeHead(lengths []uint8) {
	var symbols []bitString // the bits that follow above the symbol
	counts := make([]int, len(lengthOrder))
	add := func(symbol int, extra bitString) {
		counts[symbol]++
		symbols = append(symbols, bitsOf(uint32(symbol)|uint32(extra.value())<<8, int(extra.length())))
	}
	for i := 0; i < len(lengths); {
		run := 1
		for i+run < len(lengths) && lengths[i+run] == lengths[i] {
			run++
		}
		add(int(lengths[i]), 0)
		i++
		for run--; run >= 3; {
			n := min(run, 6)
			add(repeatLength, bitsOf(uint32(n-3), 2))
			run, i = run-n, i+n
		}
	}
	own := huffmanLengths(counts, 7)
	last := len(lengthOrder) - 1
	for last > 3 && own[lengthOrder[last]] == 0 {
		last--
	}
	w.write(bitsOf(1|2<<1|(literalCount-257)<<3|(distanceCount-1)<<8|uint32(last-3)<<13, 17))
	for _, symbol := range lengthOrder[:last+1] {
		w.write(bitsOf(uint32(own[symbol]), 3))
	}
	code := huffmanCode(own)
	for _, s := range symbols {
		w.write(code[s.value()&0xff].then(bitsOf(uint32(s.value()>>8), int(s.length()))))
	}
}

// mostBits is what a byte of content takes at most: a literal does, and a match has no more for its three.
const mostBits = 16

// codedText is a text by a code, without a head.
type codedText struct {
	bits []byte   // and some zeros
	at   []uint32 // the bit at which the literals before each match begin, and the end
}

// codeText codes a text by its matches.
func (c *deflateCode) codeText(text []byte, matches []matchfinder.Match) (coded codedText) {
	w, at := bitWriter{}, 0
	for _, m := range matches {
		coded.at = append(coded.at, uint32(len(w.out)*8)+uint32(w.count))
		for _, b := range text[at : at+m.Unmatched] {
			w.write(c.literals[b])
		}
		at += m.Unmatched + m.Length
		for rest := m.Length; rest > 0; {
			piece := pieceOf(rest)
			rest -= piece
			symbol, extra := distanceSymbol(m.Distance)
			w.write(c.lengths[piece])
			w.write(c.distances[symbol])
			w.write(extra)
		}
	}
	coded.at = append(coded.at, uint32(len(w.out)*8)+uint32(w.count))
	coded.bits = append(w.end(), make([]byte, 8)...)
	return coded
}

// appendGzip appends a gzip stream of content by these matches, of which those at a negative distance stand for runs of
// what is coded already.
func (c *deflateCode) appendGzip(dst, content []byte, matches []matchfinder.Match, runs []run, coded *codedText) []byte {
	dst = append(dst, c.begin.out...)
	end := len(dst)
	dst = slices.Grow(dst, len(content)*mostBits/8+64)
	out, held, count := dst[:cap(dst)], c.begin.bits, c.begin.count
	at := 0
	for i := range matches { // at most 47 bits are held before a symbol; what is written of them beyond whole bytes is written again
		m := &matches[i]
		for _, b := range content[at : at+m.Unmatched] {
			symbol := c.literals[b]
			held |= symbol.value() << (count & 63)
			if count += symbol.length(); count >= 48 {
				binary.LittleEndian.PutUint64(out[end:], held)
				end, held, count = end+int(count>>3), held>>(count&^7&63), count&7
			}
		}
		at += m.Unmatched + m.Length
		if m.Length == 0 {
			continue
		}
		if m.Distance < 0 {
			r := runs[-1-m.Distance]
			for from, to := coded.at[r.from], coded.at[r.to]; from < to; { // 56 bits at a time
				binary.LittleEndian.PutUint64(out[end:], held)
				end, held, count = end+int(count>>3), held>>(count&^7&63), count&7
				n := min(to-from, 56)
				held |= binary.LittleEndian.Uint64(coded.bits[from>>3:]) >> (from & 7) & (1<<n - 1) << count
				count += uint(n)
				from += n
			}
			if count >= 48 {
				binary.LittleEndian.PutUint64(out[end:], held)
				end, held, count = end+int(count>>3), held>>(count&^7&63), count&7
			}
			continue
		}
		symbol, extra := distanceSymbol(m.Distance)
		distance := c.distances[symbol].value() | extra.value()<<c.distances[symbol].length()
		distanceBits := c.distances[symbol].length() + extra.length()
		for rest := m.Length; rest > 0; {
			piece := pieceOf(rest)
			rest -= piece
			binary.LittleEndian.PutUint64(out[end:], held)
			end, held, count = end+int(count>>3), held>>(count&^7&63), count&7
			length := c.lengths[piece]
			held |= (length.value() | distance<<length.length()) << count
			count += length.length() + distanceBits
		}
	}
	w := bitWriter{dst[:end], held, count}
	w.write(c.literals[endOfBlock])
	dst = binary.LittleEndian.AppendUint32(w.end(), crc32.ChecksumIEEE(content))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(content)))
}

// bitWriter writes bits, the first one lowest.
type bitWriter struct {
	out   []byte
	bits  uint64 // those that are not in out yet, less than 32
	count uint
}

func (w *bitWriter) write(b bitString) {
	w.bits |= b.value() << w.count
	w.count += b.length()
	if w.count >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits))
		w.bits >>= 32
		w.count -= 32
	}
}

// end returns what was written, with zeros up to the end of the last byte.
func (w *bitWriter) end() []byte {
	for ; w.count > 0; w.count -= min(w.count, 8) {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
	return w.out
}
