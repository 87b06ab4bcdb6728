// Package console serves the web console at /console/: its files, the renderer module that its previews run, and the
// sessions of the people who use it. Everything else that the page shows and does goes through the public API.
package console

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/metrics"
	"example.com/livery/origin/session"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
)

// Config is what a Handler needs. Every field but Metrics, Edges and TrustedProxies must be given.
type Config struct {
	Context  context.Context // of what a request does; outlives the request
	Files    fs.FS           // with index.html; those below assets/ have digests in their names; .gz: in gzip
	Module   []byte          // the renderer module of this build
	Script   []byte          // livery.mjs, which runs the module in a browser
	Edges    []string        // base addresses of edges, whose files the page may read
	Keys     *auth.Keys
	Sessions *session.Sessions
	Issuers  *session.Issuers
	Store    storage.Store
	Logger   *slog.Logger
	Metrics  *metrics.Metrics
	Now      func() time.Time

	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is believed
}

// Handler serves the console. Its methods may be called concurrently.
type Handler struct {
	config   Config
	files    map[string]*httpserver.Static
	version  string                  // of the page
	failures *httpserver.RateLimiter // of logins, by the client's address
}

// failuresPerSecond is how many logins of one client may fail in a second.
const failuresPerSecond = 10

// NewHandler returns a Handler, or an error if the files are not those of a console.
func NewHandler(c Config) (*Handler, error) {
	files, err := readFiles(c)
	if err != nil {
		return nil, err
	}
	page, err := fs.ReadFile(c.Files, index)
	return &Handler{config: c, files: files, version: strings.Trim(httpserver.ETag(page), `"`), failures: httpserver.NewRateLimiter(failuresPerSecond)}, err
}

// root is the address of the console.
const root = "/console"

// The addresses below root that are not files or views.
const (
	sessionPath  = "session"
	settingsPath = "settings"
)

// Owns reports whether a request for the path is the console's.
func Owns(path []byte) bool {
	rest, ok := bytes.CutPrefix(path, []byte(root))
	return ok && (len(rest) == 0 || rest[0] == '/')
}

// Serve answers one request of the console. Its framing must be known to be sound.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	started, id := time.Now(), httpserver.NewRequestID()
	path := string(ctx.URI().PathOriginal())
	route, a, err := h.answer(ctx, strings.TrimPrefix(path, root+"/"), path == root)
	if err != nil {
		a = h.refusal(id, route, err)
	}
	a.Write(ctx, id)
	method := string(ctx.Method())
	if a.Status == fasthttp.StatusMethodNotAllowed {
		method = ""
	}
	h.config.Metrics.Observe(method, route, a.Status, started)
}

// answer returns the answer to a request for the path below root, and the name of its route for the metrics.
func (h *Handler) answer(ctx *fasthttp.RequestCtx, path string, bare bool) (route string, a httpserver.Answer, err error) {
	switch {
	case path == sessionPath:
		a, err = h.session(ctx)
		return root + "/" + sessionPath, a, err
	case !ctx.IsGet() && !ctx.IsHead():
		return root + "/", httpserver.NotAllowed("GET, HEAD"), nil
	case path == settingsPath:
		a, err = h.settings(ctx)
		return root + "/" + settingsPath, a, err
	case bare:
		return root + "/", httpserver.Answer{Status: fasthttp.StatusPermanentRedirect}.With(fasthttp.HeaderLocation, root+"/"), nil
	}
	file := h.files[path]
	if file == nil && strings.HasPrefix(path, assets) {
		return root + "/" + assets, httpserver.Refused(fasthttp.StatusNotFound, theming.NotFound), nil
	}
	if file == nil { // a view: its address is for the page to read
		file = h.files[index]
	}
	return root + "/", file.Answer(httpserver.Lines(&ctx.Request.Header, fasthttp.HeaderAcceptEncoding), httpserver.Lines(&ctx.Request.Header, fasthttp.HeaderIfNoneMatch)), nil
}

// refusal returns the answer to an error. What is not the client's fault is logged, and not shown.
func (h *Handler) refusal(id, route string, err error) httpserver.Answer {
	switch {
	case errors.Is(err, auth.ErrUnauthorized):
		h.config.Metrics.RefusedToken(auth.Reason(err))
		return unauthorized("the access token is not valid at this origin, or has expired")
	case errors.Is(err, session.ErrNoSession):
		return unauthorized("log in: the session is missing or has ended")
	case errors.Is(err, session.ErrCode):
		return unauthorized("the link was used, or is older than 5 minutes: livery console prints a new one")
	case errors.Is(err, session.ErrDenied):
		return unauthorized("the issuer refuses the code that it gave: log in there again")
	case errors.Is(err, session.ErrTooLong):
		return httpserver.Refused(fasthttp.StatusBadRequest, theming.Validation, err.Error()+": ask the issuer for fewer claims")
	case errors.Is(err, session.ErrNoIssuer), errors.Is(err, session.ErrVerifier), errors.Is(err, errBody):
		return httpserver.Refused(fasthttp.StatusBadRequest, theming.Validation, err.Error())
	case errors.Is(err, session.ErrOther):
		return httpserver.Refused(fasthttp.StatusConflict, theming.Conflict, err.Error())
	case errors.Is(err, errFailures):
		h.config.Metrics.RateLimited()
		return httpserver.Overloaded(fasthttp.StatusTooManyRequests, httpserver.CauseRateLimit)
	case errors.Is(err, session.ErrBusy):
		return httpserver.Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal)
	}
	h.config.Logger.Error("origin: a request of the console failed", "request", id, "route", route, "error", err)
	if errors.Is(err, session.ErrIssuer) {
		a := httpserver.Refused(fasthttp.StatusServiceUnavailable, theming.Internal, session.ErrIssuer.Error()+": try again, or log in with a token")
		return a.With(fasthttp.HeaderRetryAfter, "30")
	}
	return httpserver.Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal)
}

// foreign refuses a request that no page of the console sends.
func foreign() httpserver.Answer {
	return httpserver.Refused(fasthttp.StatusForbidden, theming.Forbidden, "the header "+session.Header+": 1 is missing, or a page of another origin asks")
}

func unauthorized(message string) httpserver.Answer {
	return httpserver.Refused(fasthttp.StatusUnauthorized, httpserver.CauseUnauthorized, message)
}
