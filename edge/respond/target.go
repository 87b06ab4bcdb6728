package respond

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// Target splits what was asked for into path and query, both as sent. A URL in absolute form counts
// by its path.
func Target(ctx *fasthttp.RequestCtx) (path, query []byte) {
	uri := ctx.Request.Header.RequestURI()
	if len(uri) > 0 && uri[0] != '/' && string(uri) != "*" {
		return ctx.URI().PathOriginal(), ctx.URI().QueryString()
	}
	path, query, _ = bytes.Cut(uri, []byte{'?'})
	return path, query
}
