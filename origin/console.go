package origin

import (
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/console"
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
	})
	return err
}

// newSessions returns the sessions of the console, nil without one.
func newSessions(c Config, keys *auth.Keys) *session.Sessions {
	if c.Console == nil {
		return nil
	}
	return &session.Sessions{Keys: keys, Now: c.Now, Secure: strings.HasPrefix(c.PublicURL, "https://")}
}

// consoleURL returns the address of the console, "" without one.
func (o *Origin) consoleURL() string {
	if o.console == nil {
		return ""
	}
	return o.config.PublicURL + "/console/"
}

// servePublic answers with the console what is its, and all else with the public API.
func (o *Origin) servePublic() fasthttp.RequestHandler {
	if o.console == nil {
		return o.api.Serve
	}
	page := o.framed(o.console.Serve)
	return func(ctx *fasthttp.RequestCtx) {
		if console.Owns(ctx.URI().PathOriginal()) {
			page(ctx)
			return
		}
		o.api.Serve(ctx)
	}
}
