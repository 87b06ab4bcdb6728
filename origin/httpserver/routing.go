package httpserver

import (
	"strings"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/theming"
)

// NewRouter returns a router without routes. It redirects nothing, and calls missing for a request that has no route.
func NewRouter(missing fasthttp.RequestHandler) *router.Router {
	r := router.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath = false, false
	r.HandleOPTIONS, r.HandleMethodNotAllowed = false, false
	r.NotFound = missing
	return r
}

// PathParam returns a copy of a parameter of the path: the server lends it for the request only. It is "" if the route has none
// of that name.
func PathParam(ctx *fasthttp.RequestCtx, name string) string {
	value, _ := ctx.UserValue(name).(string)
	return strings.Clone(value)
}

// Lines returns the values of a header that may stand in several lines.
func Lines(h *fasthttp.RequestHeader, name string) (all []string) {
	for _, line := range h.PeekAll(name) {
		all = append(all, string(line))
	}
	return all
}

// NotAllowed refuses a method that a path does not know. allowed are those that it knows.
func NotAllowed(allowed string) Answer {
	a := Refused(fasthttp.StatusMethodNotAllowed, theming.Payload, "the method must be one of "+allowed)
	return a.With(fasthttp.HeaderAllow, allowed)
}
