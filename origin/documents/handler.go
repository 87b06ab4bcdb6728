// Package documents serves the documentation of the running version at /docs/.
package documents

import (
	"bytes"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/docs/site"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/metrics"
	"example.com/livery/origin/theming"
)

const root = "/docs"

// Handler serves the pages. Its methods may be called concurrently.
type Handler struct {
	files   func() (map[string]*httpserver.Static, error)
	metrics *metrics.Metrics
}

// NewHandler returns a Handler of the pages that build makes, which it calls when the first client asks: an origin that
// starts has other things to do.
func NewHandler(build func() (map[string]site.File, error), m *metrics.Metrics) *Handler {
	return &Handler{metrics: m, files: sync.OnceValues(func() (map[string]*httpserver.Static, error) {
		files, err := build()
		pages := make(map[string]*httpserver.Static, len(files))
		for name, f := range files {
			pages[name] = httpserver.NewStatic(f.Body, f.ContentType, headers...)
		}
		return pages, err
	})}
}

// headers stand in every answer. Browsers keep a page for five minutes, as they do the OpenAPI document.
var headers = []httpserver.Header{
	{Name: fasthttp.HeaderContentSecurityPolicy, Value: site.Policy},
	{Name: fasthttp.HeaderReferrerPolicy, Value: "no-referrer"},
	{Name: fasthttp.HeaderCacheControl, Value: "public, max-age=300"},
}

// Owns reports whether a path is one of the pages.
func Owns(path []byte) bool {
	rest, ok := bytes.CutPrefix(path, []byte(root))
	return ok && (len(rest) == 0 || rest[0] == '/')
}

// Serve answers one request for a page. Its framing must be known to be sound.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	started, id := time.Now(), httpserver.NewRequestID()
	a := h.answer(ctx, string(ctx.URI().PathOriginal()))
	a.Write(ctx, id)
	method := string(ctx.Method())
	if a.Status == fasthttp.StatusMethodNotAllowed {
		method = ""
	}
	h.metrics.Observe(method, root+"/", a.Status, started)
}

func (h *Handler) answer(ctx *fasthttp.RequestCtx, path string) httpserver.Answer {
	if !ctx.IsGet() && !ctx.IsHead() {
		return httpserver.NotAllowed("GET, HEAD")
	}
	if path == root {
		return httpserver.Answer{Status: fasthttp.StatusPermanentRedirect}.With(fasthttp.HeaderLocation, root+"/")
	}
	files, err := h.files()
	if err != nil {
		return httpserver.Refused(fasthttp.StatusInternalServerError, theming.Internal)
	}
	name := strings.TrimPrefix(path, root+"/")
	if name == "" {
		name = "index.html"
	}
	if file := files[name]; file != nil {
		return file.Answer(httpserver.Lines(&ctx.Request.Header, fasthttp.HeaderAcceptEncoding), httpserver.Lines(&ctx.Request.Header, fasthttp.HeaderIfNoneMatch))
	}
	return httpserver.Refused(fasthttp.StatusNotFound, theming.NotFound)
}
