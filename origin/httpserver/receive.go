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

	"example.com/livery/httpd/guard"
	"example.com/livery/origin/share"
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
	if guard.Closes(h.RawHeaders()) {
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
	return guard.Framing(h.RawHeaders())
}

// UnreadError says that a body could not be read.
type UnreadError struct{ error }

// Unwrap returns why.
func (e UnreadError) Unwrap() error { return e.error }

// ErrBodyTooLong refuses a body that is longer than bodies may be.
var ErrBodyTooLong error = UnreadError{fasthttp.ErrBodyTooLarge}

// ReadBody returns the body of the request, read while the caller waits, or an UnreadError. Memory is reserved in room as
// the body arrives; share.ErrFull if there is none. A body of more than maxBytes is fasthttp.ErrBodyTooLarge; one whose
// length the head says is refused unread. Each 64 KiB of the body must arrive within the server's ReadTimeout.
func ReadBody(ctx *fasthttp.RequestCtx, maxBytes int, room *share.Reservation) (body string, err error) {
	c, h := ctx.Conn().(*guardedConn), &ctx.Request.Header
	length := BodyLength(h)
	if length == 0 {
		return "", nil
	}
	if length > maxBytes {
		return "", ErrBodyTooLong
	}
	if len(h.Peek(bodyExpect)) > 0 {
		_, err = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	switch {
	case err != nil:
	case length == chunkedLength:
		body, err = c.readChunks(h, maxBytes, room)
	default:
		body, err = c.readAll(io.LimitReader(bodyReader{c}, int64(length)), length, room)
		if err == nil && len(body) < length {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		return "", UnreadError{fmt.Errorf("origin: read a body: %w", err)}
	}
	c.open = false
	return body, nil
}

// step is how many bytes of a body or of an answer must be on their way within a timeout.
const step = 64 << 10

// readAll reads r to its end, at most maxBytes, into memory that grows as bytes arrive.
func (c *guardedConn) readAll(r io.Reader, maxBytes int, room *share.Reservation) (string, error) {
	body := new(strings.Builder)
	buffer := make([]byte, min(step/4, maxBytes))
	for {
		next := min(step, maxBytes+1-body.Len())
		if body.Cap()-body.Len() < next {
			capacity := min(max(2*body.Len(), step), maxBytes+1)
			if err := room.Resize(int64(capacity)); err != nil {
				return "", err
			}
			grown := new(strings.Builder)
			grown.Grow(capacity)
			grown.WriteString(body.String())
			body = grown
		}
		_ = c.SetReadDeadline(time.Now().Add(c.readTimeout))
		n, err := io.CopyBuffer(body, io.LimitReader(r, int64(next)), buffer)
		switch {
		case err != nil:
			return "", err
		case body.Len() > maxBytes:
			return "", fasthttp.ErrBodyTooLarge
		case n < int64(next):
			return body.String(), nil
		}
	}
}

// readChunks reads a chunked body and its trailer.
func (c *guardedConn) readChunks(h *fasthttp.RequestHeader, maxBytes int, room *share.Reservation) (string, error) {
	r := bufio.NewReader(bodyReader{c})
	body, err := c.readAll(httputil.NewChunkedReader(r), maxBytes, room)
	if err != nil {
		return "", err
	}
	return body, c.endChunks(h, r)
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
