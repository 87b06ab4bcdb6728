package guard

import (
	"bytes"
	"errors"
)

// ErrLineEnd says that a line of a head ends with a bare CR or LF (RFC 9112 section 2.2).
var ErrLineEnd = errors.New("guard: a line of the head must end with CR LF")

// Framing returns what makes the end of a request ambiguous (RFC 9112 sections 5.1, 5.2, 6.1 and 6.3),
// or "". headers is the header block as it came, without the request line. The answer to a request with
// such a fault must close the connection.
func Framing(headers []byte) string {
	length, chunked := false, false
	for len(headers) > 0 {
		var line []byte
		line, headers = nextLine(headers)
		if len(line) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case line[0] == ' ' || line[0] == '\t':
			return "a header line must not be folded"
		case len(name) == 0 || len(name) == len(line):
			return "a header line must be a name, a colon and a value"
		case bytes.ContainsAny(name, " \t"):
			return "a header name must not hold a space"
		case bytes.EqualFold(name, []byte("Content-Length")):
			length = true
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			if chunked || !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return "the only transfer encoding is chunked"
			}
			chunked = true
		}
	}
	if length && chunked {
		return "Content-Length and Transfer-Encoding must not both be sent"
	}
	return ""
}

// Closes reports whether the client wants the connection closed after the answer: whether "close", in any
// case, is among the tokens of all Connection lines (RFC 9112 section 9.6). headers is as Framing takes it.
func Closes(headers []byte) bool {
	for len(headers) > 0 {
		var line []byte
		line, headers = nextLine(headers)
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Connection")) && ListsClose(value) {
			return true
		}
	}
	return false
}

// ListsClose reports whether "close", in any case, is among the tokens of one Connection header's value.
func ListsClose(value []byte) bool {
	for len(value) > 0 {
		var token []byte
		token, value, _ = bytes.Cut(value, []byte(","))
		if bytes.EqualFold(bytes.Trim(token, " \t"), []byte("close")) {
			return true
		}
	}
	return false
}

// nextLine returns the first line of b without its end, and what follows it.
func nextLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// Head finds the end of a request's head in bytes that arrive in pieces. The zero Head stands before the
// first byte of a request; empty lines before the request line are skipped.
type Head struct {
	started bool // a line that is not empty has begun
	inLine  bool // the line that has begun is not empty
	cr      bool // the last byte was the CR of a line end
}

// Scan reads the next piece. It returns how many bytes of p belong to the head, and whether it ends with
// them; then the Head stands before the next request. If a line ends with a bare CR or LF, Scan returns
// ErrLineEnd, and n bytes of p stand before the fault. It does not look at p[n:].
func (h *Head) Scan(p []byte) (n int, done bool, err error) {
	for n < len(p) {
		if !h.cr {
			n += h.text(p[n:])
			if n == len(p) {
				break
			}
			if p[n] == '\n' {
				return n, false, ErrLineEnd
			}
			h.cr = true
			n++
			continue
		}
		if p[n] != '\n' {
			return n, false, ErrLineEnd
		}
		n++
		if h.started && !h.inLine {
			*h = Head{}
			return n, true, nil
		}
		h.cr, h.inLine = false, false
	}
	return n, false, nil
}

// text returns how many bytes of p stand before the next CR or LF.
func (h *Head) text(p []byte) int {
	n := bytes.IndexByte(p, '\n')
	if n < 0 {
		n = len(p)
	}
	if cr := bytes.IndexByte(p[:n], '\r'); cr >= 0 {
		n = cr
	}
	if n > 0 {
		h.started, h.inLine = true, true
	}
	return n
}
