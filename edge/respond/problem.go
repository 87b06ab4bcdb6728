package respond

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/valyala/fasthttp"
)

// Problem is one refusal: a status and the error body of the API.
type Problem struct {
	status       int
	body         []byte
	cacheControl []byte
}

// refusal makes a problem. cause and message hold nothing that JSON would escape.
func refusal(status int, cause, message, cacheControl string) *Problem {
	messages := "[]"
	if message != "" {
		messages = `["` + message + `"]`
	}
	body := `{"status":"error","cause":"` + cause + `","messages":` + messages + `}`
	return &Problem{status, []byte(body), []byte(cacheControl)}
}

// The refusals. A 404 may be kept as long as it is asked about again each time; a 403 may not.
var (
	NotFound      = refusal(fasthttp.StatusNotFound, "notFound", "", "no-cache")
	Forbidden     = refusal(fasthttp.StatusForbidden, "forbidden", "", "no-store")
	NotAllowed    = refusal(fasthttp.StatusMethodNotAllowed, "payload", "only GET, HEAD and OPTIONS are answered here", "no-store")
	NotFramed     = refusal(fasthttp.StatusBadRequest, "payload", "the request's framing is ambiguous", "no-store")
	Malformed     = refusal(fasthttp.StatusBadRequest, "payload", "the request is malformed", "no-store")
	WrongHTTP     = refusal(fasthttp.StatusHTTPVersionNotSupported, "payload", "only HTTP/1.0 and HTTP/1.1 are answered here", "no-store")
	NotMatched    = refusal(fasthttp.StatusPreconditionFailed, "conflict", "If-Match does not hold", "no-store")
	OutOfRange    = refusal(fasthttp.StatusRequestedRangeNotSatisfiable, "payload", "the range lies outside the file", "no-store")
	NamesTrailers = refusal(fasthttp.StatusBadRequest, "payload", "the request names trailers", "no-store")
	TooSlow       = refusal(fasthttp.StatusRequestTimeout, "payload", "the request did not arrive in time", "no-store")
	BodyTooLarge  = refusal(fasthttp.StatusRequestEntityTooLarge, "payload", "the request's body is too large", "no-store")
	HeadTooLarge  = refusal(fasthttp.StatusRequestHeaderFieldsTooLarge, "payload", "the request's head is too large", "no-store")
	Internal      = refusal(fasthttp.StatusInternalServerError, "internal", "", "no-store")
	UpstreamAway  = refusal(fasthttp.StatusServiceUnavailable, "internal", "", "no-store")
	Overloaded    = refusal(fasthttp.StatusServiceUnavailable, "internal", "", "no-store")
)

// Send writes the problem with what every error carries, and returns its status.
func (p *Problem) Send(ctx *fasthttp.RequestCtx) int {
	h := &ctx.Response.Header
	ctx.Response.SetStatusCode(p.status)
	ctx.Response.SetBodyRaw(p.body)
	h.SetContentTypeBytes(JSONType)
	h.SetCanonical(cacheControl.name, p.cacheControl)
	h.SetCanonical(contentTypeOptions.name, contentTypeOptions.value)
	h.SetCanonical(resourcePolicy.name, resourcePolicy.value)
	h.Set("X-Request-Id", requestID())
	if p.status == fasthttp.StatusServiceUnavailable {
		h.Set(fasthttp.HeaderRetryAfter, "1")
	}
	return p.status
}

// Bytes returns the problem as an answer that ends its connection.
func (p *Problem) Bytes() []byte {
	var ctx fasthttp.RequestCtx
	var whole bytes.Buffer
	p.Send(&ctx)
	ctx.Response.Header.Del("X-Request-Id") // the same for every client
	ctx.Response.SetConnectionClose()
	_, _ = ctx.Response.WriteTo(&whole) // memory takes everything
	return whole.Bytes()
}

// requestID names a refused request in logs and in questions about it; it is not a secret.
func requestID() string {
	const digits = 16
	id := strconv.FormatUint(rand.Uint64(), digits)
	for len(id) < digits {
		id = "0" + id
	}
	return id
}

// FastHTTPError answers what fasthttp refuses before a handler sees it; fasthttp closes the
// connection then.
func FastHTTPError(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	var network net.Error
	p := Malformed
	switch {
	case errors.As(err, &small):
		p = HeadTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		p = BodyTooLarge
	case errors.As(err, &network) && network.Timeout():
		p = TooSlow
	}
	ctx.Response.Reset()
	p.Send(ctx)
}
