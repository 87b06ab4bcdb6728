package api

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
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

// showOpenAPI answers with the document, or with 304 if the caller holds it already. It reads no
// token and no store.
func (h *Handler) showOpenAPI(ctx *fasthttp.RequestCtx) {
	q := ctx.UserValue(requestKey{}).(*request)
	q.route = openAPIRoute
	q.answer = h.document.answer(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderIfNoneMatch)))
}

// answer returns the file for a GET with those If-None-Match lines.
func (p publication) answer(ifNoneMatch []string) httpserver.Answer {
	a := httpserver.Answer{Status: fasthttp.StatusOK, Body: p.body, Headers: []httpserver.Header{
		{Name: fasthttp.HeaderETag, Value: p.etag}, {Name: fasthttp.HeaderCacheControl, Value: "public, max-age=" + openAPICacheSeconds},
	}}
	if p.matches(ifNoneMatch) {
		a.Status, a.Body = fasthttp.StatusNotModified, nil
	}
	return a
}

// matches reports whether If-None-Match names the file (RFC 9110 section 13.1.2: compared weakly).
func (p publication) matches(lines []string) bool {
	for _, etag := range strings.Split(strings.Join(lines, ","), ",") {
		etag = strings.TrimSpace(etag)
		if etag == "*" || strings.TrimPrefix(etag, "W/") == p.etag {
			return true
		}
	}
	return false
}

// loginsBody says at which issuers people log in.
type loginsBody struct {
	Issuers []loginBody `json:"issuers"`
}

// loginBody is one issuer, with what a client needs to log in there.
type loginBody struct {
	Name       string            `json:"name"`
	Issuer     string            `json:"issuer"`
	ClientID   string            `json:"clientID"`
	Scopes     []string          `json:"scopes"`
	Parameters map[string]string `json:"parameters"`
}

// showLogin answers where to log in, as the operator set it. It reads no token and no store.
func (h *Handler) showLogin(ctx *fasthttp.RequestCtx) {
	q := ctx.UserValue(requestKey{}).(*request)
	q.route = loginRoute
	body := loginsBody{Issuers: []loginBody{}}
	for _, i := range h.config.Keys.Logins() {
		body.Issuers = append(body.Issuers, loginBody{i.Name, i.URL, i.Login.ClientID, i.Login.Scopes, i.Login.Parameters})
	}
	a, err := bare(fasthttp.StatusOK, body)
	if err != nil {
		q.answer = h.refuse(q, err)
		return
	}
	q.answer = published(a.Body).answer(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderIfNoneMatch)))
}

// published names a body by its bytes.
func published(body []byte) publication {
	return publication{body, `"` + string(record.HashOf(body)[:32]) + `"`}
}
