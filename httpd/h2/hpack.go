package h2

import (
	"errors"

	"example.com/livery/httpd/loop"
)

// nameClass is what a field of a name means to a request (RFC 9113 section 8).
type nameClass uint8

const (
	nameOrdinary nameClass = iota
	nameMethod
	nameScheme
	nameAuthority
	namePath
	nameMalformed // no request may have it
	nameHost
	nameLength
	nameTE
	nameTrailer
	nameUnread // ordinary, and neither a source nor the handler reads its value
)

// field is one field of a head. Its slices are those of the head that it was read from, or of the table.
type field struct {
	name, value []byte
	class       nameClass
	known       loop.Field
	wrong       bool // no field may have value
}

// classify sets what the name of f says.
func (f *field) classify() {
	switch string(f.name) {
	case ":method":
		f.class = nameMethod
	case ":scheme":
		f.class = nameScheme
	case ":authority":
		f.class = nameAuthority
	case ":path":
		f.class = namePath
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		f.class = nameMalformed
	case "host":
		f.class = nameHost
	case "content-length":
		f.class = nameLength
	case "te":
		f.class = nameTE
	case "trailer":
		f.class = nameTrailer
	default:
		f.class = nameOrdinary
		if len(f.name) == 0 {
			f.class = nameMalformed
		}
		for _, c := range f.name {
			if !nameBytes[c] {
				f.class = nameMalformed
			}
		}
		f.known = loop.FieldOf(f.name)
		if f.class == nameOrdinary && f.known.Ignored() && !handlerFields[string(f.name)] {
			f.class = nameUnread
		}
	}
}

// checkValue notes whether the value of f has spaces around it or holds a control character (RFC 9113, section 8.2.1,
// and RFC 9110, section 5.5).
func (f *field) checkValue() {
	f.wrong = false
	for _, c := range f.value {
		f.wrong = f.wrong || c < ' ' && c != '\t' || c == 0x7f
	}
	if n := len(f.value); n > 0 {
		f.wrong = f.wrong || isSpace(f.value[0]) || isSpace(f.value[n-1])
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// The bytes of which parts of a request consist.
var (
	nameBytes      = bytesOf("!#$%&'*+-.^_`|~", '0', '9', 'a', 'z')               // a token (RFC 9110 section 5.6.2) in lower case
	methodBytes    = bytesOf("!#$%&'*+-.^_`|~", '0', '9', 'a', 'z', 'A', 'Z')     // a token
	schemeBytes    = bytesOf("+-.", '0', '9', 'a', 'z', 'A', 'Z')                 // RFC 3986 section 3.1
	authorityBytes = bytesOf("-._~!$&'()*+,;=%:[]", '0', '9', 'a', 'z', 'A', 'Z') // host and port, without user information
	pathBytes      = bytesOf("", '!', '~', 0x80, 0xff)                            // what a request line of HTTP/1.1 can carry
)

// bytesOf returns the table of some bytes and of those in ranges, which are pairs of the first and the last.
func bytesOf(some string, ranges ...byte) (table [256]bool) {
	for _, c := range []byte(some) {
		table[c] = true
	}
	for c := range table {
		for i := 0; i < len(ranges); i += 2 {
			table[c] = table[c] || c >= int(ranges[i]) && c <= int(ranges[i+1])
		}
	}
	return table
}

// consistsOf reports whether b is not empty and has bytes of table only.
func consistsOf(b []byte, table *[256]bool) bool {
	for _, c := range b {
		if !table[c] {
			return false
		}
	}
	return len(b) > 0
}

// errCompression is the error of a head that cannot be read. The connection cannot go on.
var errCompression = errors.New("h2: the head cannot be decompressed")

// table is the dynamic table of a connection's heads (RFC 7541 section 2.3.2).
type table struct {
	entries []tableEntry // the newest last
	text    []byte       // what entries name; behind its length nothing refers to it
	size    int          // as RFC 7541 section 4.1 counts it
	most    int
}

// tableEntry is one field of a table.
type tableEntry struct {
	at          uint32 // at which byte of text its name begins; its value follows
	name, value uint16 // lengths
	class       nameClass
	known       loop.Field
	wrong       bool
}

const entryOverhead = 32 // RFC 7541 section 4.1

// resize changes the most that t may hold.
func (t *table) resize(most int) {
	t.most = most
	t.evict(0)
}

// evict makes room for so many bytes.
func (t *table) evict(room int) {
	gone := 0
	for t.size+room > t.most && gone < len(t.entries) {
		e := &t.entries[gone]
		t.size -= int(e.name) + int(e.value) + entryOverhead
		gone++
	}
	if gone > 0 {
		t.entries = t.entries[:copy(t.entries, t.entries[gone:])]
	}
}

// add adds f. What earlier fields of the head under way refer to stays as it is.
func (t *table) add(f *field) {
	need := len(f.name) + len(f.value)
	t.evict(need + entryOverhead)
	if need+entryOverhead > t.most {
		return // RFC 7541 section 4.4
	}
	if len(t.text)+need > cap(t.text) {
		t.compact(need)
	}
	at := len(t.text)
	t.text = append(append(t.text, f.name...), f.value...)
	t.entries = append(t.entries, tableEntry{uint32(at), uint16(len(f.name)), uint16(len(f.value)), f.class, f.known, f.wrong})
	t.size += need + entryOverhead
}

// compact moves what t holds to a new text with room for so many bytes more.
func (t *table) compact(need int) {
	live := need
	for i := range t.entries {
		live += int(t.entries[i].name) + int(t.entries[i].value)
	}
	text := make([]byte, 0, min(max(256, live+live/2), live+tableBytes/4))
	for i := range t.entries {
		e := &t.entries[i]
		at := len(text)
		text = append(text, t.text[e.at:int(e.at)+int(e.name)+int(e.value)]...)
		e.at = uint32(at)
	}
	t.text = text
}

// get sets f to the field of an index (RFC 7541 section 2.3.3), and reports whether there is one.
func (t *table) get(index int, f *field) bool {
	if index <= len(staticTable) {
		if index == 0 {
			return false
		}
		*f = staticTable[index-1]
		return true
	}
	i := len(t.entries) - (index - len(staticTable))
	if i < 0 {
		return false
	}
	e := &t.entries[i]
	name := t.text[e.at : int(e.at)+int(e.name)]
	value := t.text[int(e.at)+int(e.name) : int(e.at)+int(e.name)+int(e.value)]
	*f = field{name, value, e.class, e.known, e.wrong}
	return true
}

// decode reads the fields of block into h (RFC 7541 section 6).
func (t *table) decode(block []byte, h *head) error {
	var f field
	for first := true; len(block) > 0; {
		b, n, ok := block[0], 0, true
		switch {
		case b&0x80 != 0:
			n, block, ok = integer(block, 7)
			switch {
			case !ok || n == 0 || n > len(staticTable)+len(t.entries):
				return errCompression
			case h.long: // it would be left out, as those behind it
				first, block = false, t.skip(block)
				continue
			}
			t.get(n, &f)
		case b&0xe0 == 0x20:
			n, block, ok = integer(block, 5)
			if !ok || !first && t.size > 0 || n > tableBytes {
				return errCompression
			}
			t.resize(n)
			continue
		default:
			bits := 4
			if b&0x40 != 0 {
				bits = 6
			}
			if block, ok = t.literal(block, bits, &f, h); !ok {
				return errCompression
			}
			if bits == 6 {
				t.add(&f)
			}
		}
		first = false
		h.add(&f)
	}
	return nil
}

// skip returns block behind the indexed fields of one byte that it begins with.
func (t *table) skip(block []byte) []byte {
	last := byte(0x80 | min(len(staticTable)+len(t.entries), 0x7e))
	i := 0
	for i < len(block) && block[i] > 0x80 && block[i] <= last {
		i++
	}
	return block[i:]
}

// literal reads a literal field (RFC 7541 section 6.2), whose index has so many bits.
func (t *table) literal(block []byte, bits int, f *field, h *head) (rest []byte, ok bool) {
	index, block, ok := integer(block, bits)
	switch {
	case !ok:
		return nil, false
	case index == 0:
		*f = field{}
		if f.name, block, ok = h.text(block); !ok {
			return nil, false
		}
		f.classify()
	case !t.get(index, f):
		return nil, false
	}
	if f.value, block, ok = h.text(block); ok {
		f.checkValue()
	}
	return block, ok
}

// integer reads a number with a prefix of so many bits (RFC 7541 section 5.1).
func integer(b []byte, bits int) (n int, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	most := 1<<bits - 1
	if n = int(b[0]) & most; n < most {
		return n, b[1:], true
	}
	for i, shift := 1, 0; i < len(b) && shift < 63; i, shift = i+1, shift+7 {
		n += int(b[i]&0x7f) << shift
		if b[i]&0x80 == 0 {
			return n, b[i+1:], n >= 0
		}
	}
	return 0, nil, false
}
