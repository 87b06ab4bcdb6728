package coding

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
)

// rows is content of so many bytes with something to find in it.
func rows(length int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < length; i++ {
		b.WriteString("--color-" + strings.Repeat("ab", i%7) + "-step: #")
		b.WriteByte("0123456789abcdef"[i*7919%16])
		b.WriteString("a64d2;\n")
	}
	return b.Bytes()[:length]
}

// Encoders are used again, and the idle ones stay within their bound.
func TestIdleEncodersStayWithinTheirBound(t *testing.T) {
	p := NewEncoders(1)
	small := rows(20 << 10)
	if _, err := p.Encode(small, Brotli, Fast); err != nil {
		t.Fatal(err)
	}
	first := p.idle[0]
	for range 3 {
		if _, err := p.Encode(small, Brotli, Fast); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.idle) != 1 || p.idle[0] != first {
		t.Errorf("%d encoders are idle after four contents, want the one that was made for the first", len(p.idle))
	}
	for _, length := range []int{20 << 10, 300 << 10, 2 << 20} {
		for enc := Gzip; int(enc) < Count; enc++ {
			for _, how := range []Effort{Fast, Best} {
				if how == Best && length > MaxBestBytes {
					continue
				}
				if _, err := p.Encode(rows(length), enc, how); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	sum := 0
	for _, e := range p.idle {
		sum += e.bytes()
	}
	if sum != p.idleBytes || sum > p.maxIdleBytes || len(p.idle) < 2 {
		t.Errorf("%d encoders of %d bytes are idle, %d are counted, the bound is %d", len(p.idle), sum, p.idleBytes, p.maxIdleBytes)
	}
}

// What an encoder is said to take is what it takes, within a quarter.
func TestEncodersAreWeighed(t *testing.T) {
	race.Skip(t)
	for _, length := range []int{20 << 10, 600 << 10, 3 << 20} {
		content := rows(length)
		for enc := Gzip; int(enc) < Count; enc++ {
			for _, how := range []Effort{Fast, Best} {
				t.Run(fmt.Sprintf("%s %d of %d bytes", Names[enc], how, length), func(t *testing.T) {
					heaptest.Agree(t, 0.8, 1.25, func() (counted, taken int64) {
						p := NewEncoders(32)
						taken = heaptest.Taken(func() {
							if _, err := p.Encode(content, enc, how); err != nil {
								t.Fatal(err)
							}
						})
						return int64(p.idleBytes), taken
					})
				})
			}
		}
	}
}

// A client need not have more than 8 MB of memory for zstd (RFC 9659 section 3).
func TestZstandardWindowsAreThoseThatClientsHave(t *testing.T) {
	for _, length := range []int{5 << 10, 200 << 10, 900 << 10, 12 << 20} {
		for _, how := range []Effort{Fast, Best} {
			encoded, err := NewEncoders(1).Encode(rows(length), Zstd, how)
			if err != nil {
				t.Fatal(err)
			}
			var h zstd.Header
			if err := h.Decode(encoded); err != nil {
				t.Fatal(err)
			}
			if needed := max(h.WindowSize, h.FrameContentSize); needed > 8<<20 {
				t.Errorf("%d bytes need a window of %d", length, needed)
			}
		}
	}
}
