package edge

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/valyala/fasthttp"
)

// problem is one refusal: a status and the error body of the API.
type problem struct {
	status       int
	body         []byte
	cacheControl []byte
}

// refusal makes a problem. cause and message hold nothing that JSON would escape.
func refusal(status int, cause, message, cacheControl string) *problem {
	messages := "[]"
	if message != "" {
		messages = `["` + message + `"]`
	}
	body := `{"status":"error","cause":"` + cause + `","messages":` + messages + `}`
	return &problem{status, []byte(body), []byte(cacheControl)}
}

// The refusals. A 404 may be kept as long as it is asked about again each time; a 403 may not.
var (
	notFound      = refusal(fasthttp.StatusNotFound, "notFound", "", "no-cache")
	forbidden     = refusal(fasthttp.StatusForbidden, "forbidden", "", "no-store")
	notAllowed    = refusal(fasthttp.StatusMethodNotAllowed, "payload", "only GET, HEAD and OPTIONS are answered here", "no-store")
	notFramed     = refusal(fasthttp.StatusBadRequest, "payload", "the request's framing is ambiguous", "no-store")
	malformed     = refusal(fasthttp.StatusBadRequest, "payload", "the request is malformed", "no-store")
	wrongHTTP     = refusal(fasthttp.StatusHTTPVersionNotSupported, "payload", "only HTTP/1.0 and HTTP/1.1 are answered here", "no-store")
	notMatched    = refusal(fasthttp.StatusPreconditionFailed, "conflict", "If-Match does not hold", "no-store")
	outOfRange    = refusal(fasthttp.StatusRequestedRangeNotSatisfiable, "payload", "the range lies outside the file", "no-store")
	namesTrailers = refusal(fasthttp.StatusBadRequest, "payload", "the request names trailers", "no-store")
	tooSlow       = refusal(fasthttp.StatusRequestTimeout, "payload", "the request did not arrive in time", "no-store")
	bodyTooLarge  = refusal(fasthttp.StatusRequestEntityTooLarge, "payload", "the request's body is too large", "no-store")
	headTooLarge  = refusal(fasthttp.StatusRequestHeaderFieldsTooLarge, "payload", "the request's head is too large", "no-store")
	internal      = refusal(fasthttp.StatusInternalServerError, "internal", "", "no-store")
	upstreamAway  = refusal(fasthttp.StatusServiceUnavailable, "internal", "", "no-store")
	overloaded    = refusal(fasthttp.StatusServiceUnavailable, "internal", "", "no-store")
)

// unanswered returns the problem of a question that upstream did not answer, or was not asked.
func unanswered(err error) *problem {
	if errors.Is(err, errBusy) {
		return overloaded
	}
	return upstreamAway
}

// send writes the problem with what every error carries, and returns its status.
func (p *problem) send(ctx *fasthttp.RequestCtx) int {
	h := &ctx.Response.Header
	ctx.Response.SetStatusCode(p.status)
	ctx.Response.SetBodyRaw(p.body)
	h.SetContentTypeBytes(jsonType)
	h.SetCanonical(keyCacheControl, p.cacheControl)
	h.SetCanonical(keyContentTypeOptions, valueNosniff)
	h.SetCanonical(keyResourcePolicy, valueCrossOrigin)
	h.Set("X-Request-Id", requestID())
	if p.status == fasthttp.StatusServiceUnavailable {
		h.Set(fasthttp.HeaderRetryAfter, "1")
	}
	return p.status
}

// whole returns the problem as an answer that ends its connection.
func (p *problem) whole() []byte {
	var ctx fasthttp.RequestCtx
	var whole bytes.Buffer
	p.send(&ctx)
	ctx.Response.Header.Del("X-Request-Id") // the same for everybody
	ctx.Response.SetConnectionClose()
	_, _ = ctx.Response.WriteTo(&whole) // memory takes everything
	return whole.Bytes()
}

// requestID names a refused request in logs and to whoever asks about it; it is no secret.
func requestID() string {
	const digits = 16
	id := strconv.FormatUint(rand.Uint64(), digits)
	for len(id) < digits {
		id = "0" + id
	}
	return id
}

// libraryError answers what fasthttp refuses before a handler sees it; fasthttp closes the
// connection then.
func libraryError(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	var network net.Error
	p := malformed
	switch {
	case errors.As(err, &small):
		p = headTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		p = bodyTooLarge
	case errors.As(err, &network) && network.Timeout():
		p = tooSlow
	}
	ctx.Response.Reset()
	p.send(ctx)
}
