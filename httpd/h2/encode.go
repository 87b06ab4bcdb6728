package h2

import (
	"bytes"
	"hash/maphash"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2/hpack"
)

// headCache has the coded heads of answers that were sent more than once. It may be used concurrently.
type headCache struct {
	seed  maphash.Seed
	slots [headSlots]atomic.Pointer[codedHead]
	last  [headSlots]atomic.Uint64 // the hash of what was asked for last and is not there
}

const headSlots = 1024 // of some 1 KiB, once used

// codedHead is one head in both forms.
type codedHead struct{ text, block []byte }

func newHeadCache() *headCache { return &headCache{seed: maphash.MakeSeed()} }

// append appends the block of a loop.Answer's head to dst.
func (h *headCache) append(dst, text []byte) []byte {
	hash := maphash.Bytes(h.seed, text)
	slot := hash % headSlots
	if c := h.slots[slot].Load(); c != nil && bytes.Equal(c.text, text) {
		return append(dst, c.block...)
	}
	at := len(dst)
	dst = appendHead(dst, text)
	if h.last[slot].Swap(hash) == hash {
		h.slots[slot].Store(&codedHead{bytes.Clone(text), bytes.Clone(dst[at:])})
	}
	return dst
}

// appendHead appends the fields of the head of an answer in HTTP/1.1: a status line and header lines.
func appendHead(dst, text []byte) []byte {
	line, text, _ := bytes.Cut(text, crlf)
	dst = appendStatus(dst, string(line[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
	for len(text) > 0 {
		line, text, _ = bytes.Cut(text, crlf)
		if name, value, ok := bytes.Cut(line, colon); ok {
			dst = appendField(dst, name, bytes.TrimLeft(value, " "))
		}
	}
	return dst
}

var (
	crlf  = []byte("\r\n")
	colon = []byte(":")
)

// appendStatus appends the field of a status (RFC 9113 section 8.3.2).
func appendStatus(dst []byte, status string) []byte {
	for i := staticNames[":status"]; string(staticTable[i-1].name) == ":status"; i++ {
		if string(staticTable[i-1].value) == status {
			return append(dst, 0x80|byte(i))
		}
	}
	dst = appendInteger(dst, 0, 4, staticNames[":status"])
	return append(appendInteger(dst, 0, 7, len(status)), status...)
}

// appendField appends a literal field that is not indexed (RFC 7541 section 6.2.2). name may have capitals.
func appendField(dst, name, value []byte) []byte {
	var room [64]byte
	lower := append(room[:0], name...)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	if index := staticNames[string(lower)]; index != 0 {
		dst = appendInteger(dst, 0, 4, index)
	} else {
		dst = appendText(append(dst, 0), lower)
	}
	return appendText(dst, value)
}

// appendText appends a text, coded if that is shorter (RFC 7541 section 5.2).
func appendText(dst, text []byte) []byte {
	if n := int(hpack.HuffmanEncodeLength(string(text))); n < len(text) {
		return hpack.AppendHuffmanString(appendInteger(dst, 0x80, 7, n), string(text))
	}
	return append(appendInteger(dst, 0, 7, len(text)), text...)
}

// appendInteger appends n with a prefix of so many bits behind those of first (RFC 7541 section 5.1).
func appendInteger(dst []byte, first byte, bits, n int) []byte {
	most := 1<<bits - 1
	if n < most {
		return append(dst, first|byte(n))
	}
	dst = append(dst, first|byte(most))
	for n -= most; n >= 0x80; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return append(dst, byte(n))
}

// dateField is the coded Date of a second.
type dateField struct {
	second int64
	block  []byte
}

var currentDate atomic.Pointer[dateField]

// appendDate appends the field of the current second.
func appendDate(dst []byte, now time.Time) []byte {
	second := now.Unix()
	d := currentDate.Load()
	if d == nil || d.second != second {
		text := now.UTC().AppendFormat(nil, http.TimeFormat)
		d = &dateField{second, appendField(nil, []byte("date"), text)}
		currentDate.Store(d)
	}
	return append(dst, d.block...)
}

// appendResponse appends the fields of what the handler answers, but for those of a connection of HTTP/1.1.
func appendResponse(dst []byte, res *fasthttp.Response, bytes int) []byte {
	status := res.StatusCode()
	dst = appendStatus(dst, strconv.Itoa(status))
	for name, value := range res.Header.All() {
		switch string(name) {
		case fasthttp.HeaderConnection, fasthttp.HeaderContentLength, fasthttp.HeaderDate:
		default:
			dst = appendField(dst, name, value)
		}
	}
	if bytes >= 0 && status != fasthttp.StatusNoContent && status != fasthttp.StatusNotModified {
		dst = appendField(dst, []byte("content-length"), strconv.AppendInt(nil, int64(bytes), 10))
	}
	return dst
}
