package origin

import (
	"slices"
	"strings"

	"example.com/livery/origin/httpserver"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// apiPath begins every path of the API, and ends the audience of its tokens.
const apiPath = "/public/v1"

// The paths of the API. Their parameters are the fields of a request.
const (
	environmentsPath  = apiPath + "/environments"
	environmentPath   = environmentsPath + "/{environmentID}"
	themesPath        = environmentPath + "/themes"
	themePath         = themesPath + "/{themeID}"
	themeTokensPath   = themePath + "/tokens"
	variantsPath      = themePath + "/variants"
	variantPath       = variantsPath + "/{variantID}"
	variantTokensPath = variantPath + "/tokens"
	openAPIPath       = apiPath + "/openapi.json"
	loginPath         = apiPath + "/login"
)

// Route is one operation of the API: the one place that says who may do it.
type Route struct {
	Method string
	Path   string
	Role   record.Role // the least that does; empty where any grant, or on the list none, is enough

	read   read  // answers a GET
	change parse // reads a request that changes state
}

// read answers from one snapshot.
type read func(o *Origin, r storage.Reader, q *request, t target) (httpserver.Answer, error)

// parse reads the parameters and the body of a request whose caller may do what it asks for, refuses what needs no
// state to be seen, and returns what is left to decide and to commit.
type parse func(o *Origin, q *request) (change, error)

// Routes returns every operation of the API's contract.
func Routes() []Route {
	return []Route{
		{"GET", environmentsPath, "", (*Origin).listEnvironments, nil},
		{"GET", environmentPath, "", (*Origin).showEnvironment, nil},

		{"GET", themesPath, record.Viewer, (*Origin).listThemes, nil},
		{"POST", themesPath, record.Editor, nil, (*Origin).createTheme},
		{"GET", themePath, record.Viewer, (*Origin).showTheme, nil},
		{"PUT", themePath, record.Editor, nil, (*Origin).updateTheme},
		{"DELETE", themePath, record.Editor, nil, (*Origin).deleteTheme},
		{"PUT", themePath + "/integrations", record.Admin, nil, (*Origin).setIntegrations},

		{"GET", themeTokensPath, record.Viewer, (*Origin).showThemeTokens, nil},
		{"PATCH", themeTokensPath, record.Editor, nil, (*Origin).editTheme},
		{"POST", themeTokensPath + "/publish", record.Editor, nil, (*Origin).publishTheme},
		{"DELETE", themeTokensPath, record.Editor, nil, (*Origin).discardTheme},

		{"GET", variantsPath, record.Viewer, (*Origin).listVariants, nil},
		{"POST", variantsPath, record.Editor, nil, (*Origin).createVariant},
		{"GET", variantPath, record.Viewer, (*Origin).showVariant, nil},
		{"PUT", variantPath, record.Editor, nil, (*Origin).updateVariant},
		{"DELETE", variantPath, record.Editor, nil, (*Origin).deleteVariant},

		{"GET", variantTokensPath, record.Viewer, (*Origin).showVariantTokens, nil},
		{"PATCH", variantTokensPath, record.Editor, nil, (*Origin).editVariant},
		{"POST", variantTokensPath + "/publish", record.Editor, nil, (*Origin).publishVariant},
		{"DELETE", variantTokensPath, record.Editor, nil, (*Origin).discardVariant},
	}
}

// Extras returns the operations that this service has beyond the contract.
func Extras() []Route {
	return []Route{
		{"GET", themeTokensPath + "/diagnostics", record.Viewer, (*Origin).showDiagnostics, nil},
		{"GET", themeTokensPath + "/diff", record.Viewer, (*Origin).showDiff, nil},
		{"GET", themeTokensPath + "/preview/{file}", record.Viewer, (*Origin).showPreview, nil},

		{"GET", variantTokensPath + "/diagnostics", record.Viewer, (*Origin).showDiagnostics, nil},
		{"GET", variantTokensPath + "/diff", record.Viewer, (*Origin).showVariantDiff, nil},
		{"GET", variantTokensPath + "/preview/{file}", record.Viewer, (*Origin).showPreview, nil},
	}
}

// The operations that need no token.
var (
	openAPIRoute = Route{Method: fasthttp.MethodGet, Path: openAPIPath}
	loginRoute   = Route{Method: fasthttp.MethodGet, Path: loginPath}
)

// Open returns the operations that need no token. They show what the build is, and where to log in.
func Open() []Route { return []Route{openAPIRoute, loginRoute} }

// newRouter registers every route, HEAD wherever there is GET, and a refusal for every other method
// of a known path. It never redirects.
func (o *Origin) newRouter() *router.Router {
	r := router.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath = false, false
	r.HandleOPTIONS, r.HandleMethodNotAllowed = false, false
	r.NotFound = func(ctx *fasthttp.RequestCtx) { answered(ctx, refusedFor(errNotFound)) }
	methods := map[string][]string{}
	register := func(route Route, handler fasthttp.RequestHandler) {
		methods[route.Path] = append(methods[route.Path], route.Method)
		r.Handle(route.Method, route.Path, handler)
		if route.Method == fasthttp.MethodGet {
			methods[route.Path] = append(methods[route.Path], fasthttp.MethodHead)
			r.Handle(fasthttp.MethodHead, route.Path, handler)
		}
	}
	for _, route := range slices.Concat(Routes(), Extras()) {
		register(route, o.routed(route))
	}
	register(openAPIRoute, o.showOpenAPI)
	register(loginRoute, o.showLogin)
	for path, allowed := range methods {
		slices.Sort(allowed)
		r.Handle(router.MethodWild, path, notAllowed(strings.Join(allowed, ", ")))
	}
	return r
}

func notAllowed(allowed string) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		a := httpserver.Refused(fasthttp.StatusMethodNotAllowed, "payload", "the method must be one of "+allowed)
		a.Headers = []httpserver.Header{{Name: fasthttp.HeaderAllow, Value: allowed}}
		answered(ctx, a)
	}
}
