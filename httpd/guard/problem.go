package guard

import (
	"bytes"
	"math/rand/v2"
	"strconv"

	"github.com/valyala/fasthttp"
)

// Problem is one refusal: a status and the error body of the API. It is not changed.
type Problem struct {
	Status       int
	body         []byte
	cacheControl []byte
}

// NewProblem makes a problem. cause and message hold nothing that JSON would escape.
func NewProblem(status int, cause, message, cacheControl string) *Problem {
	messages := "[]"
	if message != "" {
		messages = `["` + message + `"]`
	}
	body := `{"status":"error","cause":"` + cause + `","messages":` + messages + `}`
	return &Problem{status, []byte(body), []byte(cacheControl)}
}

// The refusals of requests that no handler sees, or that a server has no room for.
var (
	NotFramed     = NewProblem(fasthttp.StatusBadRequest, "payload", "the request's framing is ambiguous", "no-store")
	Malformed     = NewProblem(fasthttp.StatusBadRequest, "payload", "the request is malformed", "no-store")
	NamesTrailers = NewProblem(fasthttp.StatusBadRequest, "payload", "the request names trailers", "no-store")
	WrongHTTP     = NewProblem(fasthttp.StatusHTTPVersionNotSupported, "payload", "only HTTP/1.0 and HTTP/1.1 are answered here", "no-store")
	TooSlow       = NewProblem(fasthttp.StatusRequestTimeout, "payload", "the request did not arrive in time", "no-store")
	BodyTooLarge  = NewProblem(fasthttp.StatusRequestEntityTooLarge, "payload", "the request's body is too large", "no-store")
	HeadTooLarge  = NewProblem(fasthttp.StatusRequestHeaderFieldsTooLarge, "payload", "the request's head is too large", "no-store")
	Overloaded    = NewProblem(fasthttp.StatusServiceUnavailable, "internal", "", "no-store")
)

// Send answers ctx with the problem and returns its status.
func (p *Problem) Send(ctx *fasthttp.RequestCtx) int {
	h := &ctx.Response.Header
	ctx.Response.SetStatusCode(p.Status)
	ctx.Response.SetBodyRaw(p.body)
	h.SetContentType("application/json")
	h.SetBytesV(fasthttp.HeaderCacheControl, p.cacheControl)
	h.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Request-Id", requestID())
	if p.Status == fasthttp.StatusServiceUnavailable {
		h.Set(fasthttp.HeaderRetryAfter, "1")
	}
	return p.Status
}

// Bytes returns the problem as an answer in HTTP/1.1 that ends its connection.
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
