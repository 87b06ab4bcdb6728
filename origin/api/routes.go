package api

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"example.com/livery/internal/yamlfile"
	"example.com/livery/origin/api/listing"
	"example.com/livery/origin/api/queryparam"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Path begins every path of the API, and ends the audience of its tokens.
const Path = "/public/v1"

// The paths of the API. Their parameters are the fields of a request.
const (
	environmentsPath  = Path + "/environments"
	environmentPath   = environmentsPath + "/{environmentID}"
	themesPath        = environmentPath + "/themes"
	themePath         = themesPath + "/{themeID}"
	themeTokensPath   = themePath + "/tokens"
	variantsPath      = themePath + "/variants"
	variantPath       = variantsPath + "/{variantID}"
	variantTokensPath = variantPath + "/tokens"
	webhooksPath      = environmentPath + "/webhooks"
	webhookPath       = webhooksPath + "/{webhookID}"
	deliveriesPath    = webhookPath + "/deliveries"
	openAPIPath       = Path + "/openapi.json"
	loginPath         = Path + "/login"
	mePath            = Path + "/me"
)

// Route is one operation of the API: the one place that says who may do it.
type Route struct {
	Method string
	Path   string
	Role   record.Role // the least that does; empty if any grant, or on the list none, is enough

	read   read  // answers a GET
	change parse // reads a request that changes state
}

// read answers from one snapshot.
type read func(r storage.Reader, q *request, t target) (httpserver.Answer, error)

// parse reads the parameters and the body of a request whose caller may do what it asks for, refuses what needs no
// state to be seen, and returns what is left to decide and to commit.
type parse func(q *request) (change, error)

// ifMatch returns a parse that refuses a change if the request's If-Match does not name the resource as it is.
func ifMatch(resource func(target) any, then parse) parse {
	return func(q *request) (change, error) {
		wanted, err := q.ifMatchOnly()
		if err != nil {
			return change{}, err
		}
		c, err := then(q)
		if wanted == nil || err != nil {
			return c, err
		}
		decide := c.decide
		c.decide = func(r storage.Reader, t target) (decision, error) {
			if err := checkIfMatch(wanted, resource(t)); err != nil {
				return decision{}, err
			}
			return decide(r, t)
		}
		return c, nil
	}
}

// handlers answer the operations, each those about one kind of thing.
type handlers struct {
	themes        themes
	themeTokens   themeTokens
	variants      variants
	variantTokens variantTokens
	inspections   inspections
	versions      versions
	events        eventLists
	webhooks      webhookRoutes
}

func newHandlers(c Config) handlers {
	stored, urls, lists := documents{c.Context, c.Store, c.Limits.Depth}, cdn(c.CDNURL), listing.NewCache()
	return handlers{
		themes:        themes{c.Now, urls, lists, c.Context, c.Derive},
		themeTokens:   themeTokens{stored, c.Now, urls, c.Derive, c.Module},
		variants:      variants{stored, c.Now, urls, lists, c.Derive},
		variantTokens: variantTokens{stored, c.Now, urls, c.Derive},
		inspections:   inspections{stored},
		versions:      versions{stored, c.Now},
		events:        eventLists{c.Store, c.Now},
		webhooks:      webhookRoutes{c.Webhooks, c.Master, c.Now},
	}
}

// contract returns the operations of the API's contract.
func (h handlers) contract() []Route {
	return []Route{
		{"GET", environmentsPath, "", listEnvironments, nil},
		{"GET", environmentPath, "", showEnvironment, nil},

		{"GET", themesPath, record.Viewer, h.themes.list, nil},
		{"POST", themesPath, record.Editor, nil, h.themes.create},
		{"GET", themePath, record.Viewer, h.themes.show, nil},
		{"PUT", themePath, record.Editor, nil, ifMatch(h.themes.resource, h.themes.update)},
		{"DELETE", themePath, record.Editor, nil, ifMatch(h.themes.resource, h.themes.delete)},
		{"PUT", themePath + "/integrations", record.Admin, nil, ifMatch(h.themes.resource, h.themes.setIntegrations)},

		{"GET", themeTokensPath, record.Viewer, h.themeTokens.show, nil},
		{"PATCH", themeTokensPath, record.Editor, nil, h.themeTokens.edit},
		{"POST", themeTokensPath + "/publish", record.Editor, nil, h.themeTokens.publish},
		{"DELETE", themeTokensPath, record.Editor, nil, h.themeTokens.discard},

		{"GET", variantsPath, record.Viewer, h.variants.list, nil},
		{"POST", variantsPath, record.Editor, nil, h.variants.create},
		{"GET", variantPath, record.Viewer, h.variants.show, nil},
		{"PUT", variantPath, record.Editor, nil, ifMatch(h.variants.resource, h.variants.update)},
		{"DELETE", variantPath, record.Editor, nil, ifMatch(h.variants.resource, h.variants.delete)},

		{"GET", variantTokensPath, record.Viewer, h.variantTokens.show, nil},
		{"PATCH", variantTokensPath, record.Editor, nil, h.variantTokens.edit},
		{"POST", variantTokensPath + "/publish", record.Editor, nil, h.variantTokens.publish},
		{"DELETE", variantTokensPath, record.Editor, nil, h.variantTokens.discard},
	}
}

// extras returns the operations that this service has beyond the contract.
func (h handlers) extras() []Route {
	return []Route{
		{"GET", mePath, "", showCaller, nil},

		{"GET", themePath + "/modes", record.Viewer, h.themes.showModes, nil},
		{"PUT", themePath + "/modes", record.Admin, nil, h.themes.setModes},

		{"GET", themePath + "/manifest", record.Viewer, h.themes.showManifest, nil},

		{"GET", themeTokensPath + "/diagnostics", record.Viewer, h.inspections.showDiagnostics, nil},
		{"GET", themeTokensPath + "/diff", record.Viewer, h.inspections.showDiff, nil},
		{"GET", themeTokensPath + "/preview/{file}", record.Viewer, h.inspections.showPreview, nil},
		{"GET", themeTokensPath + "/overrides", record.Viewer, h.variants.listOverrides, nil},
		{"GET", themeTokensPath + "/versions", record.Viewer, h.versions.list, nil},
		{"POST", themeTokensPath + "/restore", record.Editor, nil, h.versions.restoreTheme},

		{"GET", environmentPath + "/events", record.Viewer, h.events.list, nil},

		{"GET", webhooksPath, record.Admin, h.webhooks.list, nil},
		{"POST", webhooksPath, record.Admin, nil, h.webhooks.create},
		{"GET", webhookPath, record.Admin, h.webhooks.show, nil},
		{"DELETE", webhookPath, record.Admin, nil, h.webhooks.delete},
		{"POST", webhookPath + "/rotate", record.Admin, nil, h.webhooks.rotate},
		{"POST", webhookPath + "/test", record.Admin, nil, h.webhooks.ping},
		{"GET", deliveriesPath, record.Admin, h.webhooks.deliveries, nil},
		{"POST", deliveriesPath + "/{deliveryID}/redeliver", record.Admin, nil, h.webhooks.redeliver},

		{"POST", variantsPath + "/batch", record.Editor, nil, h.variants.batch},
		{"POST", variantsPath + "/publish", record.Editor, nil, h.variants.publishMany},
		{"POST", variantsPath + "/discard", record.Editor, nil, h.variants.discardMany},

		{"GET", variantTokensPath + "/diagnostics", record.Viewer, h.inspections.showDiagnostics, nil},
		{"GET", variantTokensPath + "/diff", record.Viewer, h.inspections.showVariantDiff, nil},
		{"GET", variantTokensPath + "/preview/{file}", record.Viewer, h.inspections.showPreview, nil},
		{"GET", variantTokensPath + "/versions", record.Viewer, h.versions.list, nil},
		{"POST", variantTokensPath + "/restore", record.Editor, nil, h.versions.restoreVariant},
	}
}

// Routes returns every operation of the API's contract.
func Routes() []Route { return newHandlers(Config{}).contract() }

// Extras returns the operations that this service has beyond the contract.
func Extras() []Route { return newHandlers(Config{}).extras() }

// The operations that need no token.
var (
	openAPIRoute = Route{Method: fasthttp.MethodGet, Path: openAPIPath}
	loginRoute   = Route{Method: fasthttp.MethodGet, Path: loginPath}
)

// Open returns the operations that need no token. They show what the build is, and the issuers at which people log in.
func Open() []Route { return []Route{openAPIRoute, loginRoute} }

// newRouter registers every route, HEAD wherever there is GET, and a refusal for every other method
// of a known path.
func (h *Handler) newRouter() *router.Router {
	r := httpserver.NewRouter(func(ctx *fasthttp.RequestCtx) { setAnswer(ctx, refusedFor(errNotFound)) })
	h.refusals = map[string]fasthttp.RequestHandler{}
	methods := map[string][]string{}
	register := func(route Route, handler fasthttp.RequestHandler) {
		methods[route.Path] = append(methods[route.Path], route.Method)
		r.Handle(route.Method, route.Path, handler)
		if route.Method == fasthttp.MethodGet {
			methods[route.Path] = append(methods[route.Path], fasthttp.MethodHead)
			r.Handle(fasthttp.MethodHead, route.Path, handler)
		}
	}
	answered := newHandlers(h.config)
	for _, route := range slices.Concat(answered.contract(), answered.extras()) {
		register(route, h.routed(route))
	}
	register(openAPIRoute, h.open(openAPIRoute, showOpenAPI))
	register(loginRoute, h.open(loginRoute, h.showLogin))
	for path, allowed := range methods {
		slices.Sort(allowed)
		refusal := httpserver.NotAllowed(strings.Join(allowed, ", "))
		h.refusals[path] = func(ctx *fasthttp.RequestCtx) { setAnswer(ctx, refusal) }
		r.Handle(router.MethodWild, path, h.refusals[path])
	}
	return r
}

// reserved returns the refusal of a request whose path is another route's: one that has a name in the place of the
// parameter, and not this method. It returns nil for every other request.
func (h *Handler) reserved(q *request) fasthttp.RequestHandler {
	path := strings.Replace(q.route.Path, "{variantID}", q.variantID, 1)
	if path == q.route.Path {
		return nil
	}
	return h.refusals[path]
}

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
	document, err := yamlfile.JSON("openapi.yaml", openAPIYAML)
	if err != nil {
		return description{}, fmt.Errorf("origin: %w", err)
	}
	root, err := jsontree.Parse(string(document))
	if err != nil {
		return description{}, fmt.Errorf("origin: convert openapi.yaml: %w", err)
	}
	return description{answer: public(document), parameters: queryparam.Read(root)}, nil
})

// OpenAPI returns the OpenAPI document of this build as JSON.
func OpenAPI() ([]byte, error) {
	document, err := openAPI()
	return document.answer.Body, err
}

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
		err := q.checkQuery(nil)
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
func showOpenAPI() (httpserver.Answer, error) {
	document, err := openAPI()
	return document.answer, err
}

// showLogin answers with the issuers at which people log in, as the operator set them.
func (h *Handler) showLogin() (httpserver.Answer, error) {
	a, err := bare(fasthttp.StatusOK, struct {
		Issuers []auth.Login `json:"issuers"`
	}{h.config.Keys.Logins()})
	return public(a.Body), err
}
