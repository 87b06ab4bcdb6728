package origin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
	"example.com/livery/origin/api"
)

// S1 S16 S17 A66, decision 1.6: every path has the methods of the table and HEAD beside GET; any other is 405
// with all of them in Allow, for any caller and whether or not the resource exists.
func TestEveryPathRefusesOtherMethods(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	here := h.ready()
	missing := subject{"env_x", "thm_x", "var_x"}
	allowed := map[string][]string{}
	for _, route := range slices.Concat(api.Routes(), api.Extras(), api.Open()) {
		allowed[route.Path] = append(allowed[route.Path], route.Method)
		if route.Method == "GET" {
			allowed[route.Path] = append(allowed[route.Path], "HEAD")
		}
	}
	for path, methods := range allowed {
		slices.Sort(methods)
		want := strings.Join(methods, ", ")
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if slices.Contains(methods, method) {
				continue
			}
			for _, target := range []subject{here, missing} {
				for _, caller := range []string{owner, stranger} {
					r := h.do(caller, method, target.spell(path), "")
					r.refuses(t, 405, "payload")
					if got := r.header.Get("Allow"); got != want {
						t.Errorf("%s %s: Allow = %q, want %q", method, path, got, want)
					}
				}
			}
		}
		if !slices.Contains(methods, "GET") {
			if r := h.do(owner, "HEAD", here.spell(path), ""); r.status != 405 || r.body != "" || r.header.Get("Allow") != want {
				t.Errorf("HEAD %s = %d %q, Allow %q, want 405 without a body", path, r.status, r.body, r.header.Get("Allow"))
			}
		}
	}
	if n := len(allowed); n != 37 {
		t.Errorf("%d paths, want 37", n)
	}
}

// S1 S17 S31: nothing exists above, between and below Environment, Theme and Variant, and no accounts do.
func TestThereAreNoOtherLevels(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	e, theme := "/environments/"+s.environment, "/environments/"+s.environment+"/themes/"+s.theme
	variant := theme + "/variants/" + s.variant
	for _, path := range []string{
		"/teams", "/organizations", "/users", "/members", "/grants", "/tokens", "/themes", "/themes/" + s.theme, "/variants", "/variants/" + s.variant,
		e + "/members", e + "/users", e + "/grants", e + "/applications", e + "/variants", e + "/tokens", e + "/variants/" + s.variant,
		theme + "/members", theme + "/versions", theme + "/versions/1", theme + "/serving", theme + "/keys", theme + "/assetSettings", theme + "/themes",
		variant + "/variants", variant + "/themes", variant + "/integrations", variant + "/versions", variant + "/tokens/red", variant + "/members",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			noMessages(t, h.do(owner, method, path, "").refuses(t, 404, "notFound"))
		}
	}
	slugs := subject{s.environment, h.want(200, "GET", theme, "").text(t, "slug"), h.want(200, "GET", variant, "").text(t, "slug")}
	for _, route := range slices.Concat(api.Routes(), api.Extras()) { // S31: a slug is not an id
		for parameter, spelled := range map[string]subject{"{environmentID}": {"sandbox", s.theme, s.variant}, "{themeID}": {s.environment, slugs.theme, s.variant}, "{variantID}": {s.environment, s.theme, slugs.variant}} {
			if strings.Contains(route.Path, parameter) {
				noMessages(t, h.do(owner, route.Method, spelled.spell(route.Path), "").refuses(t, 404, "notFound"))
			}
		}
	}
}

// A67: HEAD answers with what GET answers, without the body.
func TestHeadWorksWhereverGetDoes(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	for _, route := range slices.Concat(api.Routes(), api.Extras(), api.Open()) {
		if route.Method != "GET" {
			continue
		}
		path := h.webhook(s.spell(route.Path))
		get, head := h.want(200, "GET", path, ""), h.want(200, "HEAD", path, "")
		if head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) {
			t.Errorf("HEAD %s = %q of length %s, want no body and the length %d", route.Path, head.body, head.header.Get("Content-Length"), len(get.body))
		}
		if got, want := headersOf(head), headersOf(get); got != want {
			t.Errorf("HEAD %s has the headers\n%s\nwant those of GET\n%s", route.Path, got, want)
		}
		refused, unseen := h.do(guest, "GET", path, ""), h.do(guest, "HEAD", path, "")
		if refused.status != unseen.status || headersOf(refused) != headersOf(unseen) || unseen.body != "" {
			t.Errorf("HEAD %s as guest = %d %v, want what GET answers: %d %v", route.Path, unseen.status, unseen.header, refused.status, refused.header)
		}
	}
	if r := h.do(owner, "HEAD", "/environments/x", ""); r.status != 404 || r.body != "" {
		t.Errorf("HEAD of a missing Environment = %d %q, want 404 without a body", r.status, r.body)
	}
}

// headersOf spells headers without what is different in every answer.
func headersOf(r reply) string {
	return comparable(reply{status: r.status, header: r.header})
}

// S30 S256: the version of the API is the prefix of its paths; nothing else selects one.
func TestTheVersionIsThePath(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	theme, _ := s.paths()
	path := theme + "/tokens"
	want := h.want(200, "GET", path, "")
	for name, more := range map[string][]string{
		"a media type with a version": {"Accept", "application/vnd.livery.v2+json"}, "a parameter of one": {"Accept", "application/json; version=2"},
		"a header": {"X-API-Version", "2"}, "another header": {"API-Version", "2027-01-01"}, "a media type that is not offered": {"Accept", "text/html"},
	} {
		if got := h.want(200, "GET", path, "", more...); comparable(got) != comparable(want) {
			t.Errorf("%s changed the answer to %s", name, comparable(got))
		}
	}
	for _, query := range []string{"?api-version=2", "?v=2", "?apiVersion=v2"} {
		h.do(owner, "GET", path+query, "").refuses(t, 400, "payload")
	}
	for _, prefix := range []string{"/public/v2", "/public/v0", "/public", "/v1", "/public/v1.0", "/public/V1", "/api/v1"} {
		answers, _ := h.raw("GET "+prefix+"/environments HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+h.token(owner)+"\r\nConnection: close\r\n\r\n", 1)
		if len(answers) != 1 {
			t.Fatalf("GET %s/environments has no answer", prefix)
		}
		answers[0].refuses(t, 404, "notFound")
	}
	for _, route := range slices.Concat(api.Routes(), api.Extras(), api.Open()) {
		if !strings.HasPrefix(route.Path, "/public/v1/") {
			t.Errorf("route %s is not under /public/v1", route.Path)
		}
	}
}

// A69: an unknown expectation is ignored or refused, and never a way around the body's bound.
func TestUnknownExpectationsDoNoHarm(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.BodyBytes = 1000 })
	themes := "/environments/" + h.sandbox + "/themes"
	for i, expectation := range []string{"200-ok", "100-continue, x", "x=y", ""} {
		body := fmt.Sprintf(`{"slug":"t%d","displayName":"T"}`, i)
		text := h.head("POST", themes) + fmt.Sprintf("Expect: %s\r\nContent-Length: %d\r\n\r\n%s", expectation, len(body), body)
		answers, _ := h.raw(text, 1)
		if len(answers) != 1 || answers[0].status != http.StatusCreated && answers[0].status != http.StatusExpectationFailed {
			t.Errorf("Expect: %s = %v, want 201 or 417", expectation, answers)
		}
		answers, closed := h.raw(h.head("POST", themes)+"Expect: "+expectation+"\r\nContent-Length: 1001\r\n\r\n", 2)
		if len(answers) != 1 || answers[0].status != 413 || !closed {
			t.Errorf("Expect: %s with a body past the bound = %v, closed %v, want 413", expectation, answers, closed)
		}
	}
}
