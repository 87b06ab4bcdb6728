package api

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/api/queryparam"
	"example.com/livery/origin/httpserver"
	"example.com/livery/renderer/jsontree"
)

//go:embed openapi.yaml
var openAPIYAML []byte

// openAPICacheSeconds is how long a reader may keep the document: a newer build may describe more.
const openAPICacheSeconds = "300"

// description is the OpenAPI document of this build, and what requests are checked by.
type description struct {
	answer     httpserver.Answer // with its entity tag
	parameters queryparam.Table
}

// openAPI returns the OpenAPI document of this build as JSON, members in the order of the source.
var openAPI = sync.OnceValues(func() (description, error) {
	loose, err := yaml.YAMLToJSON(openAPIYAML)
	if err != nil {
		return description{}, fmt.Errorf("origin: convert openapi.yaml: %w", err)
	}
	root, err := jsontree.Parse(string(loose))
	if err != nil {
		return description{}, fmt.Errorf("origin: convert openapi.yaml: %w", err)
	}
	return description{public(jsontree.Append(nil, root)), queryparam.Read(root)}, nil
})

// public answers with what every client may read, and keep for a while.
func public(body []byte) httpserver.Answer {
	return httpserver.Answer{Status: fasthttp.StatusOK, Body: body, Headers: []httpserver.Header{
		{Name: fasthttp.HeaderETag, Value: httpserver.ETag(body)}, {Name: fasthttp.HeaderCacheControl, Value: "public, max-age=" + openAPICacheSeconds},
	}}
}

// open returns the handler of a route that needs no token: it reads no token and no store.
func (h *Handler) open(route Route, answer func() (httpserver.Answer, error)) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		q := ctx.UserValue(requestKey{}).(*request)
		q.fill(ctx, route)
		err := h.checkQuery(q)
		if err == nil {
			q.answer, err = answer()
		}
		if err != nil {
			q.answer = h.refuse(q, err)
		}
		q.answer = q.answer.Validated(q.ifNoneMatch)
	}
}

// showOpenAPI answers with the document.
func (h *Handler) showOpenAPI() (httpserver.Answer, error) { return h.description.answer, nil }

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

// showLogin answers where to log in, as the operator set it.
func (h *Handler) showLogin() (httpserver.Answer, error) {
	body := loginsBody{Issuers: []loginBody{}}
	for _, i := range h.config.Keys.Logins() {
		body.Issuers = append(body.Issuers, loginBody{i.Name, i.URL, i.Login.ClientID, i.Login.Scopes, i.Login.Parameters})
	}
	a, err := bare(fasthttp.StatusOK, body)
	return public(a.Body), err
}
