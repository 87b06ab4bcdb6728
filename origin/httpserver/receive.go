package httpserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpguard"
)

// What a head says of its body, out of the server's sight. No client can send a name that begins with a
// colon.
const (
	bodyLength = ":content-length" // bytes; -1: chunked
	bodyExpect = ":expect"         // there if the client waits for "100 Continue"
)

// chunkedLength is the length of a body that says its length chunk by chunk.
const chunkedLength = -1

// withoutBody has the server call the handler as soon as it has a head: it takes from the head what would
// have the server read the body, or ask for it.
func withoutBody(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if httpguard.Closes(h.RawHeaders()) {
		h.SetConnectionClose()
	}
	if length := h.ContentLength(); length > 0 || length == chunkedLength {
		h.Set(bodyLength, strconv.Itoa(length))
		h.SetContentLength(0)
	}
	if expect := h.Peek(fasthttp.HeaderExpect); len(expect) > 0 {
		if h.IsHTTP11() && bytes.EqualFold(expect, []byte("100-continue")) {
			h.Set(bodyExpect, "100-continue")
		}
		h.Del(fasthttp.HeaderExpect)
	}
	return fasthttp.RequestConfig{}
}

// BodyLength returns how many bytes of body follow a head; -1 if the body says it chunk by chunk.
func BodyLength(h *fasthttp.RequestHeader) int {
	length, _ := strconv.Atoi(string(h.Peek(bodyLength))) // "" is 0
	return length
}

// closing runs a handler and then opens the connection for the next head. If the handler left the body
// unread, or the server is shut down, the connection is closed after the answer instead.
func (s *Servers) closing(handler fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		c := ctx.Conn().(*guardedConn)
		c.open = BodyLength(&ctx.Request.Header) != 0
		handler(ctx)
		if c.open || s.Closed() {
			ctx.SetConnectionClose()
			c.lingers.Store(c.open)
		}
	}
}

// FramingFault says what makes a request ambiguous to some server or proxy on its way, or "". The server
// reads such requests one way; another reader may see a second request inside, so they are refused and the
// connection is closed.
func FramingFault(h *fasthttp.RequestHeader) string {
	if p := h.Protocol(); !bytes.Equal(p, []byte("HTTP/1.1")) && !bytes.Equal(p, []byte("HTTP/1.0")) {
		return "the HTTP version must be 1.1 or 1.0"
	}
	return httpguard.Framing(h.RawHeaders())
}

// UnreadError says that a body could not be read.
type UnreadError struct{ error }

// Unwrap returns why.
func (e UnreadError) Unwrap() error { return e.error }

// ErrBodyTooLong refuses a body that is longer than bodies may be.
var ErrBodyTooLong error = UnreadError{fasthttp.ErrBodyTooLarge}

// ReadBody returns the body of the request, read while the caller waits, or an UnreadError. Memory is reserved
// in room before it is taken; ErrBodyBudget if there is none. A body of more than maxBytes is
// fasthttp.ErrBodyTooLarge; one whose length the head says is refused unread.
func ReadBody(ctx *fasthttp.RequestCtx, maxBytes int, room *Reservation) (body string, err error) {
	c, h := ctx.Conn().(*guardedConn), &ctx.Request.Header
	length := BodyLength(h)
	if length == 0 {
		return "", nil
	}
	if length > maxBytes {
		return "", ErrBodyTooLong
	}
	first := int64(length)
	if length == chunkedLength {
		first = chunkStep
	}
	if err = room.Grow(first); err == nil && len(h.Peek(bodyExpect)) > 0 {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, err = io.WriteString(c.Conn, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	switch {
	case err != nil:
	case length == chunkedLength:
		body, err = c.readChunks(h, maxBytes, room)
	default:
		body, err = c.readBytes(length)
	}
	if err != nil {
		return "", UnreadError{fmt.Errorf("origin: read a body: %w", err)}
	}
	c.open = false
	return body, nil
}

// readBytes reads so many bytes into memory of that size.
func (c *guardedConn) readBytes(length int) (string, error) {
	var body strings.Builder
	body.Grow(length)
	if _, err := io.CopyN(&body, bodyReader{c}, int64(length)); err == io.EOF {
		return "", io.ErrUnexpectedEOF
	} else if err != nil {
		return "", err
	}
	return body.String(), nil
}

// chunkStep is how many bytes of a chunked body memory is reserved for at a time.
const chunkStep = 64 << 10

// readChunks reads a chunked body and its trailer; memory for the first step is reserved.
func (c *guardedConn) readChunks(h *fasthttp.RequestHeader, maxBytes int, room *Reservation) (string, error) {
	var body strings.Builder
	r := bufio.NewReader(bodyReader{c})
	chunks := httputil.NewChunkedReader(r)
	for {
		_, err := io.CopyN(&body, chunks, chunkStep)
		switch {
		case body.Len() > maxBytes:
			return "", fasthttp.ErrBodyTooLarge
		case err == io.EOF:
			return body.String(), c.endChunks(h, r)
		case err != nil:
			return "", err
		}
		if err := room.Grow(chunkStep); err != nil {
			return "", err
		}
	}
}

// endChunks reads the trailer and puts back what r read beyond it.
func (c *guardedConn) endChunks(h *fasthttp.RequestHeader, r *bufio.Reader) error {
	if err := h.ReadTrailer(r); err == io.EOF {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	next, _ := r.Peek(r.Buffered())
	c.buffered = append(bytes.Clone(next), c.buffered...)
	return nil
}

// bodyReader reads what follows a head.
type bodyReader struct{ *guardedConn }

// Read reads what comes next on the connection.
func (f bodyReader) Read(p []byte) (int, error) { return f.readBuffered(p) }
