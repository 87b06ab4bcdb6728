package loop

import (
	"bufio"
	"cmp"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"

	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

// errPartial says that more of a request has to come before it can be read.
var errPartial = errors.New("loop: more of the request has to come")

const continueLine = "HTTP/1.1 100 Continue\r\n\r\n"

// fullReader reads requests that are not plain: fasthttp parses them. It keeps nothing of a request that has not come as a
// whole, which is read again from its beginning when there is more of it.
type fullReader struct {
	buffer *bufio.Reader // as long as a head may be, which is how fasthttp bounds heads
	rest   []byte        // of what was received, what is not in buffer yet
	end    error         // what Read returns behind it
	short  bool          // fasthttp wanted more than was received
	uri    fasthttp.URI
}

func newFullReader(l *Limits) *fullReader {
	return &fullReader{buffer: bufio.NewReaderSize(nil, l.Head)}
}

// Read implements io.Reader for buffer.
func (r *fullReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		r.short = true
		return 0, r.end
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// read reads the request that b begins with into ctx, and returns its length. end is why nothing will follow b, or nil: then
// the error is errPartial if the request has not come as a whole. waits says that the client waits for 100 (Continue) before
// it sends the body. Any other error is what is wrong with the request; io.EOF: there is none.
func (r *fullReader) read(ctx *fasthttp.RequestCtx, l *Limits, b []byte, end error) (n int, waits bool, err error) {
	var head guard.Head
	if _, _, err = head.Scan(b[:min(len(b), l.Head)]); err != nil {
		return 0, false, err // fasthttp would wait for another end of the head
	}
	r.rest, r.end, r.short = b, cmp.Or(end, errPartial), false
	r.buffer.Reset(r)
	waits, err = r.parse(ctx, l)
	switch {
	case !r.short || end != nil:
	case len(b) > l.Head+l.Body: // in many chunks
		return 0, false, fasthttp.ErrBodyTooLarge
	default:
		return 0, waits, errPartial
	}
	return len(b) - len(r.rest) - r.buffer.Buffered(), waits, err
}

// parse reads a head, and the body, which is dropped.
func (r *fullReader) parse(ctx *fasthttp.RequestCtx, l *Limits) (waits bool, err error) {
	h := &ctx.Request.Header
	if err := h.Read(r.buffer); err != nil {
		return false, err
	}
	if guard.Closes(h.RawHeaders()) { // fasthttp knows "close" only alone, in lower case and on the last Connection line
		h.SetConnectionClose()
	}
	if err := r.uri.Parse(h.Host(), h.RequestURI()); err != nil {
		return false, err
	}
	waits = ctx.Request.MayContinue()
	err = ctx.Request.ContinueReadBody(r.buffer, l.Body, false)
	ctx.Request.ResetBody()
	return waits, err
}

// refuse answers a request that cannot be read. Its connection ends.
func refuse(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	p := guard.Malformed
	switch {
	case errors.As(err, &small):
		p = guard.HeadTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		p = guard.BodyTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		p = guard.TooSlow
	}
	ctx.Request.Reset() // half of it was read
	ctx.Response.Reset()
	p.Send(ctx)
	ctx.SetConnectionClose()
}

// appendResponse appends the head of the response in ctx to dst as fasthttp would send it, and returns the body behind it.
func appendResponse(dst []byte, ctx *fasthttp.RequestCtx, closing bool) (out, body []byte) {
	h := &ctx.Response.Header
	switch {
	case closing:
		h.SetConnectionClose()
	case !ctx.Request.Header.IsHTTP11():
		h.Set(fasthttp.HeaderConnection, "keep-alive")
	}
	body = ctx.Response.Body()
	switch status := h.StatusCode(); {
	case StreamOf(ctx) != nil && !ctx.IsHead():
		h.SetContentLength(-2) // fasthttp: until the connection ends
		body = nil
	case ctx.IsHead(), status < fasthttp.StatusOK, status == fasthttp.StatusNoContent, status == fasthttp.StatusNotModified:
		if len(body) > 0 {
			h.SetContentLength(len(body))
		}
		body = nil
	default:
		h.SetContentLength(len(body))
	}
	return append(dst, h.Header()...), body
}

// ends reports whether the connection ends with the response in ctx.
func ends(ctx *fasthttp.RequestCtx) bool {
	return ctx.Request.Header.ConnectionClose() || ctx.Response.Header.ConnectionClose()
}

var contexts = sync.Pool{New: func() any { return new(fasthttp.RequestCtx) }}

// newContext returns the context of a request from a peer.
func newContext(peer netip.AddrPort) *fasthttp.RequestCtx {
	ctx := contexts.Get().(*fasthttp.RequestCtx)
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.Response.Header.SetNoDefaultContentType(true)
	ctx.SetRemoteAddr(net.TCPAddrFromAddrPort(peer))
	return ctx
}

// releaseContext takes back the context of a request whose response was sent.
func releaseContext(ctx *fasthttp.RequestCtx) {
	ctx.Response.Reset() // the body is the handler's
	ctx.ResetUserValues()
	contexts.Put(ctx)
}
