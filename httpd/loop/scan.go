package loop

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"time"

	"example.com/livery/httpd/guard"
)

// scanResult is what a scan says of the bytes that were received.
type scanResult uint8

const (
	partial scanResult = iota // so far nothing is odd, and the head has not ended
	plain                     // a whole request that a Source may answer
	odd                       // the server's: it is not plain, or not well formed
)

const (
	maxPath    = 512
	maxQuery   = 512
	maxHeaders = 256 // what has come of a head is scanned anew with each read
)

// PlainRequest is one plain request with how its connection goes on. It is used again and again.
type PlainRequest struct {
	Request
	close bool   // a Connection header lists "close"
	seen  uint64 // a bit for each field that has come
	count int
}

// NewPlainRequest returns a PlainRequest for a Session that puts requests together with Begin and Add.
func NewPlainRequest() *PlainRequest {
	return &PlainRequest{Request: Request{Scratch: make([]byte, 0, scratchBytes)}}
}

// reset forgets the request and keeps what belongs to the connection and the loop.
func (s *PlainRequest) reset() {
	s.Request = Request{Remote: s.Remote, Now: s.Now, Scratch: s.Scratch[:0]}
	s.close, s.seen, s.count = false, 0, 0
}

// Begin begins the request of GET target to host, and reports whether it may be plain so far.
func (s *PlainRequest) Begin(remote netip.AddrPort, now time.Time, target, host []byte) bool {
	s.Remote, s.Now = remote, now
	s.reset()
	if len(target) == 0 || target[0] != '/' {
		return false
	}
	path, end := targetEnd(target, 1)
	if end < len(target) || path > maxPath || end-path > maxQuery {
		return false
	}
	if s.Path = target[:path]; path < end {
		s.Query = target[path+1:]
	}
	return s.Add(fieldHost, host)
}

// scan reads the request at the start of b into s, whose slices are parts of b, and returns its
// length. s must be reset. It takes one spelling only (RFC 9112): a request line of "GET", a path and a query of
// plain characters and "HTTP/1.1", header lines of a name, a colon directly behind it and a
// value of printable characters, each line ended by CRLF. Everything else is odd, so that no two
// readers can disagree about where a request that the loop answers ends. A head of more than limit
// bytes is odd.
func (s *PlainRequest) scan(b []byte, limit int) (int, scanResult) {
	if len(b) > limit {
		b = b[:limit]
	} else {
		limit = len(b) + 1 // so that what is cut off differs from what has not come
	}
	at, v := s.scanLine(b)
	for v == plain {
		if rest := b[at:]; len(rest) >= 2 && rest[0] == '\r' {
			if rest[1] != '\n' || s.seen&(1<<fieldHost) == 0 {
				return 0, odd
			}
			return at + 2, plain
		}
		at, v = s.scanHeader(b, at)
	}
	if v == partial && len(b) >= limit {
		return 0, odd
	}
	return 0, v
}

const (
	methodAndSlash = "GET /"
	protocol       = " HTTP/1.1\r\n"
)

// scanLine reads the request line and returns where it ends.
func (s *PlainRequest) scanLine(b []byte) (int, scanResult) {
	if len(b) < len(methodAndSlash) {
		return 0, started(b, methodAndSlash)
	}
	if string(b[:len(methodAndSlash)]) != methodAndSlash {
		return 0, odd
	}
	path, end := targetEnd(b, len(methodAndSlash))
	rest := b[end:]
	if path > maxPath || end-path > maxQuery {
		return 0, odd
	}
	if len(rest) < len(protocol) {
		return 0, started(rest, protocol)
	}
	if string(rest[:len(protocol)]) != protocol {
		return 0, odd
	}
	s.Path = b[len(methodAndSlash)-1 : path]
	if path < end {
		s.Query = b[path+1 : end]
	}
	return end + len(protocol), plain
}

// targetEnd returns where the path ends whose plain characters begin before b[at], and where the query behind it does.
func targetEnd(b []byte, at int) (path, end int) {
	end = at
	for end < len(b) && pathBytes[b[end]] {
		end++
	}
	path = end
	if end < len(b) && b[end] == '?' {
		for end++; end < len(b) && queryBytes[b[end]]; {
			end++
		}
	}
	return path, end
}

// started reports whether b may become want.
func started(b []byte, want string) scanResult {
	if string(b) == want[:len(b)] {
		return partial
	}
	return odd
}

// scanHeader reads the header line at b[at:] and returns where it ends.
func (s *PlainRequest) scanHeader(b []byte, at int) (int, scanResult) {
	name := tokenOf(b[at:])
	switch colon := at + len(name); {
	case colon == len(b) || len(name) == 0 && len(b) == at+1 && b[at] == '\r':
		return 0, partial
	case len(name) == 0 || b[colon] != ':':
		return 0, odd
	}
	end := lineEnd(b, at+len(name))
	if end+1 >= len(b) {
		if end < len(b) && b[end] != '\r' {
			return 0, odd
		}
		return 0, partial
	}
	if b[end] != '\r' || b[end+1] != '\n' {
		return 0, odd
	}
	s.count++
	if f := FieldOf(name); s.count > maxHeaders || f != fieldIgnored && !s.Add(f, trimSpaces(b[at+len(name)+1:end])) {
		return 0, odd
	}
	return end + 2, plain
}

// tokenOf returns the token (RFC 9110, section 5.6.2) that b begins with. It looks at four bytes at a time: BenchmarkScan.
func tokenOf(b []byte) []byte {
	n, table := 0, &tokenBytes
	for n < len(b)-3 && table[b[n]] && table[b[n+1]] && table[b[n+2]] && table[b[n+3]] {
		n += 4
	}
	for n < len(b) && table[b[n]] {
		n++
	}
	return b[:n]
}

// Add adds a header whose value has no space around it, and reports whether the request may still be plain.
func (s *PlainRequest) Add(f Field, value []byte) bool {
	switch f {
	case fieldIgnored:
		return true
	case fieldServers:
		return false
	case fieldConnection: // may be repeated: its lines make one list
		s.close = s.close || guard.ListsClose(value)
		return true
	}
	if s.seen&(1<<f) != 0 || len(value) == 0 {
		return false
	}
	s.seen |= 1 << f
	switch f {
	case fieldHost:
		s.Host = value
		return plainHost(value)
	case fieldContentLength:
		return string(value) == "0"
	case fieldAcceptEncoding:
		s.AcceptEncoding = value
	case fieldIfNoneMatch:
		s.IfNoneMatch = value
	case fieldOrigin:
		s.Origin = value
	case fieldReferer:
		s.Referer = value
	case fieldAvailableDictionary:
		s.AvailableDictionary = value
	case fieldSecFetchMode:
		s.SecFetchMode = value
	case fieldSecFetchSite:
		s.SecFetchSite = value
	case fieldSecFetchDest:
		s.SecFetchDest = value
	case fieldSecCHUA:
		s.SecCHUA = value
	case fieldUserAgent:
		s.UserAgent = value
	case fieldForwardedFor:
		s.ForwardedFor = value
	case fieldRange:
		s.Range = value
	case fieldIfRange:
		s.IfRange = value
	}
	return true
}

// plainHost reports whether host is a name or an IPv4 address, perhaps with a port.
func plainHost(host []byte) bool {
	n := 0
	for n < len(host) && hostBytes[host[n]] {
		n++
	}
	if n == 0 || n == len(host) {
		return n > 0
	}
	port := host[n+1:]
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	return host[n] == ':' && len(port) > 0 && len(port) <= 5
}

func trimSpaces(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// lineEnd returns the position of the first control character in b[at:], or len(b).
func lineEnd(b []byte, at int) int {
	for ; at <= len(b)-8; at += 8 {
		if found := controls(binary.LittleEndian.Uint64(b[at : at+8])); found != 0 {
			return at + bits.TrailingZeros64(found)>>3
		}
	}
	for at < len(b) && b[at] >= 0x20 && b[at] != 0x7f {
		at++
	}
	return at
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// controls returns the highest bit of each of the eight bytes of word that is a control character. Bit 7 of a byte of
// below is clear if the lower seven bits are less than 0x20, and that of a byte of del is set if they are 0x7f.
func controls(word uint64) uint64 {
	below := (word | highs) - 0x20*ones
	del := word&^highs + ones
	return (^below | del) &^ word & highs
}

// Bytes that need no second thought.
var (
	pathBytes  = bytesOf("-._~/")
	queryBytes = bytesOf("-._~/?:@!$&'()*+,;=%")
	hostBytes  = bytesOf("-.")
	tokenBytes = bytesOf("!#$%&'*+-.^_`|~")
)

// bytesOf is the table of letters, digits and more.
func bytesOf(more string) (table [256]bool) {
	for c := range table {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80
		table[c] = letter || c >= '0' && c <= '9'
	}
	for _, c := range []byte(more) {
		table[c] = true
	}
	return table
}
