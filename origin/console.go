package origin

import (
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/console"
	"example.com/livery/origin/documents"
	"example.com/livery/origin/session"
	"example.com/livery/wasm"
)

// openConsole makes what serves the console, if there is one.
func (o *Origin) openConsole() (err error) {
	c := o.config
	if c.Console == nil {
		return nil
	}
	o.console, err = console.NewHandler(console.Config{
		Context: o.ctx, Files: c.Console, Module: c.Guest, Script: wasm.Script, Edges: []string{c.CDNURL}, Keys: o.keys, Sessions: o.sessions,
		Issuers: session.NewIssuers(o.keys, c.Now), Store: o.store, Logger: c.Logger, Metrics: o.metrics, Now: c.Now,
		TrustedProxies: c.TrustedProxies,
	})
	return err
}

// newSessions returns the sessions of the console, nil without one.
func newSessions(c Config, keys *auth.Keys) *session.Sessions {
	if c.Console == nil {
		return nil
	}
	return &session.Sessions{Keys: keys, Now: c.Now, Secure: c.overHTTPS()}
}

// consoleURL returns the address of the console, "" without one.
func (o *Origin) consoleURL() string {
	if o.console == nil {
		return ""
	}
	return o.config.PublicURL + "/console/"
}

// servePublic answers with the console and the documentation what is theirs, and all else with the public API.
func (o *Origin) servePublic() fasthttp.RequestHandler {
	serve := fasthttp.RequestHandler(o.api.Serve)
	if o.console != nil {
		serve = split(console.Owns, o.framed(o.console.Serve), serve)
	}
	if o.documents != nil {
		serve = split(documents.Owns, o.framed(o.documents.Serve), serve)
	}
	if o.config.overHTTPS() {
		serve = strictTransport(serve)
	}
	return serve
}

// overHTTPS reports whether callers reach the API over https, whatever the origin itself sees.
func (c Config) overHTTPS() bool { return strings.HasPrefix(c.PublicURL, "https://") }

// strictTransport tells browsers to come over https alone for a year (RFC 6797).
func strictTransport(handler fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		handler(ctx)
		ctx.Response.Header.Set(fasthttp.HeaderStrictTransportSecurity, "max-age=31536000")
	}
}

// split answers requests for the paths that owns names with theirs, and all others with rest.
func split(owns func(path []byte) bool, theirs, rest fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if owns(ctx.URI().PathOriginal()) {
			theirs(ctx)
			return
		}
		rest(ctx)
	}
}
