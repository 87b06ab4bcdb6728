package origin

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"example.com/livery/origin/httpserver"

	"github.com/goccy/go-yaml"
	"github.com/valyala/fasthttp"

	"example.com/livery/renderer/jsontree"
)

//go:embed openapi.yaml
var openAPIYAML []byte

// openAPICacheSeconds is how long a reader may keep the document: a newer build may describe more.
const openAPICacheSeconds = "300"

// publication is a file that anybody may read, with the ETag of its bytes.
type publication struct {
	body []byte
	etag string // in quotes
}

// openAPI returns the OpenAPI document of this build as JSON, members in the order of the source.
var openAPI = sync.OnceValues(func() (publication, error) {
	loose, err := yaml.YAMLToJSON(openAPIYAML)
	if err != nil {
		return publication{}, fmt.Errorf("origin: convert openapi.yaml: %w", err)
	}
	root, err := jsontree.Parse(string(loose))
	if err != nil {
		return publication{}, fmt.Errorf("origin: convert openapi.yaml: %w", err)
	}
	body := jsontree.Append(nil, root)
	return published(body), nil
})

// showOpenAPI answers with the document, or with 304 where the caller holds it already. It reads no
// token and no store.
func (o *Origin) showOpenAPI(ctx *fasthttp.RequestCtx) {
	q := ctx.UserValue(requestKey{}).(*request)
	q.route = openAPIRoute
	q.answer = o.document.answer(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderIfNoneMatch)))
}

// answer returns the file for a GET whose If-None-Match lines are held.
func (p publication) answer(held []string) httpserver.Answer {
	a := httpserver.Answer{Status: fasthttp.StatusOK, Body: p.body, Headers: []httpserver.Header{
		{Name: fasthttp.HeaderETag, Value: p.etag}, {Name: fasthttp.HeaderCacheControl, Value: "public, max-age=" + openAPICacheSeconds},
	}}
	if p.among(held) {
		a.Status, a.Body = fasthttp.StatusNotModified, nil
	}
	return a
}

// among reports whether If-None-Match names the file (RFC 9110 section 13.1.2: compared weakly).
func (p publication) among(held []string) bool {
	for _, etag := range strings.Split(strings.Join(held, ","), ",") {
		etag = strings.TrimSpace(etag)
		if etag == "*" || strings.TrimPrefix(etag, "W/") == p.etag {
			return true
		}
	}
	return false
}
