package origin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin/api"
	"example.com/livery/origin/auth"
	"example.com/livery/storage/record"
)

// roles is the table of the API's documentation, written down a second time: a route that is not
// here, or with another role, fails the matrix.
var roles = map[string]record.Role{
	"GET /public/v1/me":                                                                                 "",
	"GET /public/v1/environments":                                                                       "",
	"GET /public/v1/environments/{environmentID}":                                                       "",
	"GET /public/v1/environments/{environmentID}/themes":                                                record.Viewer,
	"POST /public/v1/environments/{environmentID}/themes":                                               record.Editor,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}":                                      record.Viewer,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}":                                      record.Editor,
	"DELETE /public/v1/environments/{environmentID}/themes/{themeID}":                                   record.Editor,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}/integrations":                         record.Admin,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/tokens":                               record.Viewer,
	"PATCH /public/v1/environments/{environmentID}/themes/{themeID}/tokens":                             record.Editor,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/tokens/publish":                      record.Editor,
	"DELETE /public/v1/environments/{environmentID}/themes/{themeID}/tokens":                            record.Editor,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants":                             record.Viewer,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants":                            record.Editor,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}":                 record.Viewer,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}":                 record.Editor,
	"DELETE /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}":              record.Editor,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens":          record.Viewer,
	"PATCH /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens":        record.Editor,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens/publish": record.Editor,
	"DELETE /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens":       record.Editor,

	"GET /public/v1/environments/{environmentID}/themes/{themeID}/manifest":                                   record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/modes":                                      record.Viewer,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}/modes":                                      record.Admin,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/tokens/diagnostics":                         record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/tokens/diff":                                record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/tokens/preview/{file}":                      record.Viewer,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/batch":                            record.Editor,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/publish":                          record.Editor,
	"GET /public/v1/environments/{environmentID}/webhooks":                                                    record.Admin,
	"POST /public/v1/environments/{environmentID}/webhooks":                                                   record.Admin,
	"GET /public/v1/environments/{environmentID}/webhooks/{webhookID}":                                        record.Admin,
	"DELETE /public/v1/environments/{environmentID}/webhooks/{webhookID}":                                     record.Admin,
	"POST /public/v1/environments/{environmentID}/webhooks/{webhookID}/rotate":                                record.Admin,
	"POST /public/v1/environments/{environmentID}/webhooks/{webhookID}/test":                                  record.Admin,
	"GET /public/v1/environments/{environmentID}/webhooks/{webhookID}/deliveries":                             record.Admin,
	"POST /public/v1/environments/{environmentID}/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver":     record.Admin,
	"GET /public/v1/environments/{environmentID}/events":                                                      record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/tokens/overrides":                           record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/tokens/versions":                            record.Viewer,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/tokens/restore":                            record.Editor,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens/versions":       record.Viewer,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens/restore":       record.Editor,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/discard":                          record.Editor,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens/diagnostics":    record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens/diff":           record.Viewer,
	"GET /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens/preview/{file}": record.Viewer,
}

// bodies holds what makes a route succeed, if it wants a body; %d stands for a number of its own.
var bodies = map[string]string{
	"POST /public/v1/environments/{environmentID}/webhooks":                                      `{"url":"https://hook.invalid/"}`,
	"POST /public/v1/environments/{environmentID}/themes":                                        `{"slug":"new-%d","displayName":"New"}`,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}":                               `{"slug":"put-%d","displayName":"Put"}`,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}/integrations":                  `{"integrations":[{"framework":"vue","library":"plainCSS"}]}`,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}/modes":                         `{"modes":[{"dimension":"scheme","mode":"light","variant":null}]}`,
	"PATCH /public/v1/environments/{environmentID}/themes/{themeID}/tokens":                      `{"operations":[{"operation":"add","path":"/a","value":{"$value":1}}]}`,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants":                     `{"slug":"new-%d","displayName":"New"}`,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/batch":               `{"create":[{"slug":"batch-%d","displayName":"New"}]}`,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/publish":             `{"variants":"all"}`,
	"POST /public/v1/environments/{environmentID}/themes/{themeID}/variants/discard":             `{"variants":"all"}`,
	"PUT /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}":          `{"slug":"put-%d","displayName":"Put"}`,
	"PATCH /public/v1/environments/{environmentID}/themes/{themeID}/variants/{variantID}/tokens": `{"operations":[{"operation":"set","path":"red","value":"#000"}]}`,
}

// callers are the columns of the matrix, with the role that each has on the sandbox.
var callers = []struct {
	subject string
	member  bool
	role    record.Role
}{
	{"", false, ""}, {stranger, false, ""}, {guest, true, ""}, {reader, true, record.Viewer}, {designer, true, record.Editor}, {owner, true, record.Admin},
}

// subject is a Theme and a Variant of it on which every route succeeds once.
type subject struct{ environment, theme, variant string }

// spell fills the parameters of a route's path.
func (s subject) spell(path string) string {
	return strings.NewReplacer(apiPath, "", "{environmentID}", s.environment, "{themeID}", s.theme, "{variantID}", s.variant, "{file}", "tokens.css").Replace(path)
}

// paths returns the paths of the Theme and of the Variant.
func (s subject) paths() (theme, variant string) {
	theme = "/environments/" + s.environment + "/themes/" + s.theme
	return theme, theme + "/variants/" + s.variant
}

// ready makes a subject in the sandbox with a published Theme, and drafts of both that can be
// published or discarded.
func (h *testOrigin) ready() subject {
	h.t.Helper()
	theme := h.theme(fmt.Sprintf("t%d", h.countKeys('h')))
	variant := h.variant(theme, "v")
	h.patch(theme, red)
	h.publish(theme)
	h.patch(theme, `[{"operation":"add","path":"/green","value":{"$value":"#00ff00"}}]`)
	return subject{h.sandbox, idOf(theme), idOf(variant)}
}

// webhook makes a webhook in place of those that there are, with a delivery if the path names one, and fills its parameters in.
func (h *testOrigin) webhook(path string) string {
	h.t.Helper()
	if !strings.Contains(path, "{webhookID}") {
		return path
	}
	all := "/environments/" + h.sandbox + "/webhooks"
	for _, item := range h.want(200, "GET", all, "").object(h.t)["items"].([]any) {
		h.want(200, "DELETE", all+"/"+item.(map[string]any)["id"].(string), "")
	}
	id := h.want(201, "POST", all, `{"url":"https://hook.invalid/"}`).text(h.t, "id")
	if strings.Contains(path, "{deliveryID}") {
		h.want(202, "POST", all+"/"+id+"/test", "")
	}
	return strings.NewReplacer("{webhookID}", id, "{deliveryID}", "dlv_0000000001").Replace(path)
}

// etagOf adds the etag of the draft that a PATCH or DELETE of tokens is about.
func (h *testOrigin) etagOf(route api.Route, path string) string {
	h.t.Helper()
	path = h.webhook(path)
	if set, restores := strings.CutSuffix(path, "/restore"); restores {
		if strings.Contains(set, "/variants/") {
			h.publish(strings.TrimSuffix(set, "/tokens"))
		}
		etag, _ := h.want(200, "GET", set, "").object(h.t)["etag"].(string)
		return path + "?version=1&etag=" + etag
	}
	if !strings.HasSuffix(route.Path, "/tokens") || route.Method == "GET" {
		return path
	}
	etag, _ := h.want(200, "GET", path, "").object(h.t)["etag"].(string)
	return path + "?etag=" + etag
}

// wanted is the status of one cell, from the table of the security document.
func wanted(route api.Route, subject string, member bool, role record.Role) int {
	need := roles[route.Method+" "+route.Path]
	switch {
	case subject == "":
		return 401
	case route.Path == "/public/v1/environments", route.Path == "/public/v1/me":
		return 200
	case !member:
		return 404
	case role == "" || need != "" && !role.Allows(need):
		return 403
	case strings.HasSuffix(route.Path, "/test"), strings.HasSuffix(route.Path, "/redeliver"):
		return 202
	case route.Method == "POST" && slices.Contains([]string{"themes", "variants", "webhooks"}, lastPart(route.Path)):
		return 201
	}
	return 200
}

// S3 S4 S42 S49 S91 S234 S235 S238 S239 S240 S241 S242 S243 S245, matrix of 21 routes and 6 callers: 126 cells.
// The routes beyond the contract have their cells too.
func TestAuthorisationMatrix(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	if cells := checkMatrix(t, api.Routes()); cells != 126 || len(api.Routes()) != 21 {
		t.Errorf("cells = %d over %d routes, want 126 over 21", cells, len(api.Routes()))
	}
	if checkMatrix(t, api.Extras()); len(roles) != len(api.Routes())+len(api.Extras()) {
		t.Errorf("the matrix has rows of routes that do not exist")
	}
}

func checkMatrix(t *testing.T, routes []api.Route) (cells int) {
	t.Helper()
	h := newTestOrigin(t)
	for _, route := range routes {
		name := route.Method + " " + route.Path
		if need, known := roles[name]; !known || need != route.Role {
			t.Fatalf("route %s needs role %q; the matrix has no such row", name, route.Role)
		}
		for _, c := range callers {
			cells++
			t.Run(name+" as "+c.subject, func(t *testing.T) {
				h := h.of(t)
				s := h.ready()
				path := h.etagOf(route, s.spell(route.Path))
				want := wanted(route, c.subject, c.member, c.role)
				body := strings.Replace(bodies[name], "%d", fmt.Sprint(cells), 1)
				checkCell(t, h.do(c.subject, route.Method, path, body), want)
				if want >= 400 {
					// (c) what the body is does not matter to whom may not.
					checkCell(t, h.do(c.subject, route.Method, path, `{"broken`), want)
				}
			})
		}
	}
	return cells
}

// of returns h for a subtest.
func (h *testOrigin) of(t *testing.T) *testOrigin {
	sub := *h
	sub.t = t
	return &sub
}

func checkCell(t *testing.T, r reply, want int) {
	t.Helper()
	switch want {
	case 401:
		if r.status != 401 || r.body != "" || r.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("answer = %d %q %v, want 401 without a body", r.status, r.body, r.header)
		}
	case 403:
		noMessages(t, r.refuses(t, 403, "forbidden"))
	case 404:
		noMessages(t, r.refuses(t, 404, "notFound"))
	default:
		if r.status != want {
			t.Errorf("answer = %d %s, want %d", r.status, short(r.body), want)
		}
	}
	if r.header.Get("X-Request-Id") == "" {
		t.Error("the answer has no X-Request-Id")
	}
}

// S3 S4 S243 A100 A101, (a) and (b) of the matrix: a Theme of another Environment, in which the caller is
// admin, cannot be told from one that never was; nor can a Variant of another Theme.
func TestForeignAndMissingIDsAreTheSame(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	here := h.ready()
	there := h.themeIn(h.staging)
	sibling := h.ready()
	const noTheme, noVariant = "thm_00000000000000000000000000", "var_00000000000000000000000000"
	for _, route := range slices.Concat(api.Routes(), api.Extras()) {
		type pair struct{ foreign, missing subject }
		var pairs []pair
		if strings.Contains(route.Path, "{themeID}") {
			pairs = append(pairs, pair{subject{here.environment, there, here.variant}, subject{here.environment, noTheme, here.variant}})
		}
		if strings.Contains(route.Path, "{variantID}") {
			pairs = append(pairs, pair{subject{here.environment, here.theme, sibling.variant}, subject{here.environment, here.theme, noVariant}})
		}
		for _, p := range pairs {
			name := route.Method + " " + route.Path
			for _, c := range callers {
				want := wanted(route, c.subject, c.member, c.role)
				if want < 300 {
					want = 404
				}
				a := h.do(c.subject, route.Method, p.foreign.spell(route.Path), bodies[name])
				b := h.do(c.subject, route.Method, p.missing.spell(route.Path), bodies[name])
				broken := h.do(c.subject, route.Method, p.foreign.spell(route.Path), `{"broken`)
				checkCell(t, a, want)
				checkCell(t, broken, want)
				if got, want := comparable(a), comparable(b); got != want {
					t.Errorf("%s as %q: foreign answers\n%s\nmissing answers\n%s", name, c.subject, got, want)
				}
			}
		}
	}
	foreign := h.do(owner, "GET", "/environments/"+h.foreign, "")
	missing := h.do(owner, "GET", "/environments/env_00000000000000000000000000", "")
	if comparable(foreign) != comparable(missing) || foreign.status != 404 {
		t.Errorf("foreign Environment answers\n%s\nmissing answers\n%s", comparable(foreign), comparable(missing))
	}
	for _, id := range []string{"sandbox", "acme", "ENV_" + h.sandbox[4:], h.sandbox + "x", "env_%00", "..", "%2e%2e"} { // S31 A64
		h.do(owner, "GET", "/environments/"+id, "").refuses(t, 404, "notFound")
	}
}

// themeIn creates a Theme in an Environment and returns its id.
func (h *testOrigin) themeIn(environment string) string {
	h.t.Helper()
	return h.want(201, "POST", "/environments/"+environment+"/themes", `{"slug":"there","displayName":"There"}`).text(h.t, "id")
}

// comparable spells an answer without what is different in every answer.
func comparable(r reply) string {
	header := r.header.Clone()
	for _, name := range []string{"X-Request-Id", "Date"} {
		header.Del(name)
	}
	var b strings.Builder
	_ = header.Write(&b)
	return fmt.Sprint(r.status, " ", http.StatusText(r.status), "\n", b.String(), "\n", r.body)
}

// S234 S235 S236 S237: a token that is missing, expired, meant for another audience or not of this origin is 401 without a body on every
// path, and says nothing of why.
func TestBadTokensAreAllTheSame(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	path := "/environments/" + h.sandbox
	issue := func(order auth.Order) string {
		token, _, err := h.origin.Keys().Issue(order)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	other := newTestOrigin(t)
	good := issue(auth.Order{Subject: owner, TTL: 2 * time.Hour})
	short := issue(auth.Order{Subject: owner, TTL: time.Minute})
	if r := h.do("", "GET", path, "", "Authorization", "Bearer "+short); r.status != 200 {
		t.Fatalf("a good token = %d, want 200", r.status)
	}
	h.clock.move(time.Hour)
	want := comparable(h.do("", "GET", path, ""))
	for name, authorization := range map[string]string{
		"expired": "Bearer " + short, "another audience": "Bearer " + issue(auth.Order{Subject: owner, TTL: time.Hour, Audience: testPublicURL}),
		"a longer audience": "Bearer " + issue(auth.Order{Subject: owner, TTL: time.Hour, Audience: testPublicURL + apiPath + "/x"}),
		"another origin's":  "Bearer " + other.token(owner), "another scheme": "Basic " + good, "no scheme": good, "an empty one": "Bearer", "the feed's": "Bearer " + testFeedToken,
	} {
		for _, target := range []string{path, path + "/themes", "/nothing"} {
			r := h.do("", "GET", target, "", "Authorization", authorization)
			checkCell(t, r, 401)
			if comparable(r) != want {
				t.Errorf("%s at %s answers\n%s\nwant\n%s", name, target, comparable(r), want)
			}
		}
	}
	if r := h.do("", "GET", path, "", "Authorization", "Bearer "+good); r.status != 200 {
		t.Errorf("a good token = %d after all that, want 200", r.status)
	}
}

// S33 S34 S35 S36 S41 S43 S48 S49 A105: the list holds and counts the caller's own grants only.
func TestEnvironmentsAreListedByGrant(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for subject, want := range map[string][]string{
		owner: {h.sandbox + " admin", h.staging + " admin"}, designer: {h.sandbox + " editor"}, reader: {h.sandbox + " viewer"},
		guest: nil, stranger: {h.foreign + " admin"}, "nobody": nil,
	} {
		body := h.do(subject, "GET", "/environments?includeTotals=true&slug=staging", "").object(t)
		var got []string
		for _, item := range body["items"].([]any) {
			e := item.(map[string]any)
			got = append(got, e["id"].(string)+" "+e["role"].(string))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || body["totalCount"] != float64(len(want)) {
			t.Errorf("Environments of %s = %v of %v, want %v", subject, got, body["totalCount"], want)
		}
		if past := h.do(subject, "GET", "/environments?pageNumber=2&includeTotals=true", "").object(t); past["totalCount"] != float64(len(want)) || len(past["items"].([]any)) != 0 {
			t.Errorf("second page for %s = %v", subject, past)
		}
	}
	got := h.want(200, "GET", "/environments/"+h.sandbox, "").object(t)
	want := map[string]any{
		"id": h.sandbox, "slug": "sandbox", "displayName": "sandbox", "kind": "sandbox", "description": nil, "metadata": map[string]any{},
		"cacheLifetime": 2.0, "role": "admin", "createdAt": got["createdAt"], "updatedAt": got["updatedAt"],
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Environment = %v, want %v", got, want)
	}
}
