package httpserver

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/theming"
)

// CauseRateLimit is the cause of a refusal for the number of requests.
const CauseRateLimit theming.Cause = "rateLimit"

// Answer is what a request is answered with.
type Answer struct {
	Status  int
	Body    []byte // nil means none
	Headers []Header
	Closes  bool // the connection is closed afterwards
	Secret  bool // the body holds a secret, so that it is never compressed

	ContentType string // of the body; empty means JSON
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

// NewRequestID returns 32 hexadecimal digits that no other request has.
func NewRequestID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
