package httpserver

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/share"
	"example.com/livery/origin/theming"
)

// The causes of refusals that are not about what is themed.
const (
	CauseRateLimit    theming.Cause = "rateLimit"    // too many requests
	CauseUnauthorized theming.Cause = "unauthorized" // what should prove who the caller is does not
)

// Answer is what a request is answered with.
type Answer struct {
	Status  int
	Body    []byte // nil means none
	Headers []Header
	Closes  bool // the connection is closed afterwards
	Secret  bool // the body holds a secret, so that it is never compressed

	ContentType string // of the body; empty means JSON

	// Stream writes server-sent events in place of Body until the context ends, which it does when the client has closed
	// the connection; nil: there are none.
	Stream func(ctx context.Context, w *bufio.Writer, flush func(*bufio.Writer) error)
}

// Header is a header of an answer. Its value is never a caller's text.
type Header struct{ Name, Value string }

// Write puts the answer to the request of that id on the wire.
func (a Answer) Write(ctx *fasthttp.RequestCtx, id string) {
	ctx.Response.Reset()
	header := &ctx.Response.Header
	ctx.SetStatusCode(a.Status)
	header.Set("X-Request-Id", id)
	if a.Body != nil {
		header.SetContentType(cmp.Or(a.ContentType, "application/json"))
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		ctx.Response.SetBodyRaw(a.Body)
	}
	if a.Stream != nil {
		a.stream(ctx)
	}
	for _, h := range a.Headers {
		header.Set(h.Name, h.Value)
	}
	if a.Closes {
		ctx.SetConnectionClose()
		if c, ok := ctx.Conn().(*guardedConn); ok {
			c.lingers.Store(true)
		}
	}
}

// ReleaseWhenWritten releases what is reserved for the answer to a request once the client has taken it, or is gone.
func ReleaseWhenWritten(ctx *fasthttp.RequestCtx, room *share.Reservation) {
	if c, ok := ctx.Conn().(*guardedConn); ok {
		c.answer.Store(room)
	}
}

// stream sends what the answer's function writes, as long as the client takes it. The connection ends with the stream,
// so that nothing but the end of the connection can follow the request.
func (a Answer) stream(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.SetContentType("text/event-stream")
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.Response.Header.Set("X-Accel-Buffering", "no") // a proxy must not wait for the end
	conn := ctx.Conn().(*guardedConn)
	ctx.SetConnectionClose()
	_ = conn.SetReadDeadline(time.Time{})
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
		client, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, conn.Conn) // until either side has closed
			cancel()
		}()
		a.Stream(client, w, (*bufio.Writer).Flush)
	})
}

// NewRequestID returns 32 hexadecimal digits that no other request has.
func NewRequestID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
