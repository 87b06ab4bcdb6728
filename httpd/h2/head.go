package h2

import (
	"bytes"
	"strconv"
	"sync"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
)

// head is the head of one request while it is read. Its slices are valid until it is put back.
type head struct {
	fields []field
	buffer []byte // texts that were coded
	kept   int    // of buffer, once the head is too long: nothing behind it is read again
	limit  int    // bytes of HTTP/1.1
	size   int    // so far
	count  int
	long   bool // there are more fields, or bytes, than a request may have: the others are left out

	regular   bool // a field has come that is not a pseudo-header
	malformed bool // no request may have one of the fields, or not there (RFC 9113 section 8.3)

	method, scheme, authority, path, host []byte // nil: absent
	length                                int64  // of the body, as declared; -1: it is not
	trailers                              bool   // a field names trailers
	plain                                 *loop.PlainRequest
}

var heads = sync.Pool{New: func() any { return &head{plain: loop.NewPlainRequest()} }}

// newHead returns an empty head of at most so many bytes.
func newHead(limit int) *head {
	h := heads.Get().(*head)
	if cap(h.buffer) < headRoom*limit {
		h.buffer = make([]byte, 0, headRoom*limit)
	}
	clear(h.fields)
	*h = head{fields: h.fields[:0], buffer: h.buffer[:0], limit: limit, size: len(" HTTP/1.1\r\n\r\n"), length: -1, plain: h.plain}
	return h
}

// text reads a text (RFC 7541 section 5.2).
func (h *head) text(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, nil, false
	}
	coded := b[0]&0x80 != 0
	n, b, ok := integer(b, 7)
	if !ok || n > len(b) {
		return nil, nil, false
	}
	if !coded {
		return b[:n], b[n:], true
	}
	if h.long {
		h.buffer = h.buffer[:h.kept]
	}
	at := len(h.buffer)
	h.buffer, ok = huffman.appendText(h.buffer, b[:n])
	return h.buffer[at:], b[n:], ok
}

// add adds a field, unless there are too many. What is not read is checked and counted alone.
func (h *head) add(f *field) {
	h.count++
	h.size += len(f.name) + len(f.value) + len(": \r\n")
	switch {
	case h.long:
		return
	case h.count > maxFields || h.size > h.limit:
		h.long, h.kept = true, len(h.buffer)
		return
	}
	pseudo := f.class >= nameMethod && f.class <= namePath
	h.malformed = h.malformed || f.wrong || f.class == nameMalformed || pseudo && h.regular
	if h.regular = h.regular || !pseudo; f.class != nameUnread {
		h.fields = append(h.fields, *f)
	}
}

// read sorts the fields, and reports whether they make a request (RFC 9113 section 8).
func (h *head) read() bool {
	if h.malformed {
		return false
	}
	for i := range h.fields {
		if !h.take(&h.fields[i]) {
			return false
		}
	}
	return h.long || h.isComplete() // one that is too long is refused for that
}

// take keeps f if it is not ordinary, and reports whether a request may have it so.
func (h *head) take(f *field) bool {
	var place *[]byte
	switch f.class {
	case nameMethod:
		place = &h.method
	case nameScheme:
		place = &h.scheme
	case nameAuthority:
		place = &h.authority
	case namePath:
		place = &h.path
	case nameHost:
		place = &h.host
	case nameLength:
		n, err := strconv.ParseUint(string(f.value), 10, 62)
		if err != nil || h.length >= 0 && h.length != int64(n) {
			return false
		}
		h.length = int64(n)
		return true
	case nameTE:
		return string(f.value) == "trailers"
	case nameTrailer:
		h.trailers = true
		return true
	default:
		return true
	}
	if *place != nil || len(f.value) == 0 {
		return false
	}
	*place = f.value
	return true
}

// isComplete reports whether method, scheme, authority and path are there and well formed (RFC 9113 sections 8.3.1 and
// 8.5). The host field stands in for an authority that is absent.
func (h *head) isComplete() bool {
	if h.authority == nil {
		h.authority = h.host
	}
	if !consistsOf(h.method, &methodBytes) || !consistsOf(h.authority, &authorityBytes) {
		return false
	}
	if string(h.method) == fasthttp.MethodConnect {
		return h.scheme == nil && h.path == nil
	}
	return consistsOf(h.scheme, &schemeBytes) && consistsOf(h.path, &pathBytes) &&
		(h.path[0] == '/' || string(h.path) == "*" && string(h.method) == fasthttp.MethodOptions)
}

// problem returns why the request is refused before the handler sees it, or nil.
func (h *head) problem() *guard.Problem {
	switch {
	case h.long:
		return guard.HeadTooLarge
	case h.trailers:
		return guard.NamesTrailers
	case h.host != nil && !bytes.Equal(h.host, h.authority):
		return guard.Malformed // two hosts (RFC 9113 section 8.3.1)
	}
	return nil
}

// isPlain reports whether a loop.Source may answer the request, which h.plain is then. now and remote are of it.
func (h *head) isPlain(c *conn) bool {
	if h.problem() != nil || string(h.method) != fasthttp.MethodGet || h.length > 0 || !h.plain.Begin(c.remote, c.now, h.path, h.authority) {
		return false
	}
	for i := range h.fields {
		if f := &h.fields[i]; f.class == nameOrdinary && !h.plain.Add(f.known, f.value) {
			return false
		}
	}
	return true
}

// handlerFields are the fields that the handler reads beside those that an answer to a GET for a file depends on. It is
// not given others: they would take memory alone.
var handlerFields = map[string]bool{"last-event-id": true, "traceparent": true}

var contexts = sync.Pool{New: func() any { return new(fasthttp.RequestCtx) }}

// context returns the request for the handler.
func (h *head) context(c *conn) *fasthttp.RequestCtx {
	ctx := contexts.Get().(*fasthttp.RequestCtx)
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.Response.Header.SetNoDefaultContentType(true)
	ctx.SetRemoteAddr(c.address)
	r := &ctx.Request.Header
	r.SetMethodBytes(h.method)
	r.SetRequestURIBytes(h.path)
	r.SetHostBytes(h.authority)
	for i := range h.fields {
		if f := &h.fields[i]; f.class == nameOrdinary {
			r.AddBytesKV(f.name, f.value)
		}
	}
	return ctx
}
