// Package cors lets pages of the origins that the operator names call the API from a browser (the Fetch standard, "CORS
// protocol"). It grants no rights: every request still needs an access token, and cookies mean nothing.
package cors

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
)

// Policy is the list of origins whose pages may call the API. The nil Policy lets none. It may be used concurrently.
type Policy struct{ origins map[string]bool }

// New returns the policy of a list, nil if it is empty. It returns an error that names the entry which is not an origin,
// scheme://host[:port] in lower case, as browsers send it.
func New(origins []string) (*Policy, error) {
	if len(origins) == 0 {
		return nil, nil
	}
	p := &Policy{origins: map[string]bool{}}
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != origin || strings.ToLower(origin) != origin {
			return nil, fmt.Errorf("cors: %q must be an origin such as https://app.example.com, in lower case and without a path", origin)
		}
		p.origins[origin] = true
	}
	return p, nil
}

// What pages may send and read beside what every page may.
const (
	methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	headers = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer"
	exposed = "ETag, Idempotency-Replayed, Livery-Reason, Livery-Variant, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"

	preflightSeconds = "600" // how long a browser keeps the answer to a preflight
)

// Preflight answers the question of a browser whether a page of an allowed origin may send a request; ok is false for every
// other request.
func (p *Policy) Preflight(h *fasthttp.RequestHeader) (a httpserver.Answer, ok bool) {
	if !p.allows(h) || !h.IsOptions() || len(h.Peek(fasthttp.HeaderAccessControlRequestMethod)) == 0 {
		return a, false
	}
	a = httpserver.Answer{Status: fasthttp.StatusNoContent}
	a = a.With(fasthttp.HeaderAccessControlAllowMethods, methods).With(fasthttp.HeaderAccessControlAllowHeaders, headers)
	return a.With(fasthttp.HeaderAccessControlMaxAge, preflightSeconds), true
}

// Share returns the answer with what lets a page of an allowed origin read it. An answer to another origin differs, so that
// every answer says that it varies.
func (p *Policy) Share(h *fasthttp.RequestHeader, a httpserver.Answer) httpserver.Answer {
	if p == nil {
		return a
	}
	a = a.Varying(fasthttp.HeaderOrigin)
	if !p.allows(h) {
		return a
	}
	a = a.With(fasthttp.HeaderAccessControlAllowOrigin, string(h.Peek(fasthttp.HeaderOrigin)))
	return a.With(fasthttp.HeaderAccessControlExposeHeaders, exposed)
}

func (p *Policy) allows(h *fasthttp.RequestHeader) bool {
	return p != nil && p.origins[string(h.Peek(fasthttp.HeaderOrigin))]
}
