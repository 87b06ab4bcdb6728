package origin_test

import (
	"fmt"
	"net/http"
	"testing"
)

// The issuers at which people log in are public: exactly the issuers that the operator opened for it, by name, as of now,
// and nothing else of them. A reader who holds the answer is not sent it again.
func TestAnybodyMayReadWhereToLogIn(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	operatorURL := "http://" + h.serve(h.origin.ServeOperator) + "/operator/v1/"
	applyIssuers := func(status int, issuers ...map[string]any) {
		t.Helper()
		body := map[string]any{"teams": []any{}, "issuers": append([]map[string]any{}, issuers...)}
		if got, answer := ask(t, http.MethodPost, operatorURL+"teams", "", body); got != status {
			t.Fatalf("teams apply = %d %s, want %d", got, answer, status)
		}
	}
	issuer := func(name string, login any) map[string]any {
		entry := map[string]any{"name": name, "issuer": "https://" + name + ".example", "jwks": "/etc/" + name + ".json", "subjectPrefix": "secret-prefix:"}
		if login != nil {
			entry["login"] = login
		}
		return entry
	}
	none := h.want(200, "GET", "/login", "")
	if want := `{"issuers":[]}`; none.body != want || none.header.Get("Cache-Control") != "public, max-age=300" || none.header.Get("Etag") == "" {
		t.Errorf("GET /login = %s %v, want %s, cacheable", none.body, none.header, want)
	}
	applyIssuers(200,
		issuer("work", map[string]any{"clientID": "cli", "scopes": []string{"openid", "offline_access"}, "parameters": map[string]string{"audience": "x"}}),
		issuer("ci", nil), issuer("guests", map[string]any{"clientID": "cli2"}))
	for _, caller := range []string{"", owner, stranger} {
		r := h.do(caller, "GET", "/login", "")
		want := `{"issuers":[{"name":"guests","issuer":"https://guests.example","clientID":"cli2","scopes":[],"parameters":{}},` +
			`{"name":"work","issuer":"https://work.example","clientID":"cli","scopes":["openid","offline_access"],"parameters":{"audience":"x"}}]}`
		if r.status != 200 || r.body != want {
			t.Errorf("GET /login as %q = %d %s, want %s", caller, r.status, r.body, want)
		}
		again := h.do(caller, "GET", "/login", "", "If-None-Match", r.header.Get("Etag"))
		if again.status != 304 || again.body != "" || again.header.Get("Etag") != r.header.Get("Etag") {
			t.Errorf("GET with its ETag = %d %q, want 304", again.status, again.body)
		}
		if stale := h.do(caller, "GET", "/login", "", "If-None-Match", none.header.Get("Etag")); stale.status != 200 {
			t.Errorf("GET with the ETag of before = %d, want 200", stale.status)
		}
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		h.do("", method, "/login", "").refuses(t, 405, "payload")
	}
	if r := h.do("", "GET", "/login/", ""); r.status != 401 { // another path
		t.Errorf("GET /login/ = %d, want 401", r.status)
	}
	for _, login := range []any{
		map[string]any{},
		map[string]any{"clientID": "a\nb"},
		map[string]any{"clientID": "a", "scopes": []string{"two words"}},
		map[string]any{"clientID": "a", "parameters": map[string]string{"client_secret": "x"}},
		map[string]any{"clientID": "a", "parameters": map[string]string{"": "x"}},
	} {
		applyIssuers(400, issuer("work", login))
	}
	applyIssuers(200)
	if r := h.want(200, "GET", "/login", ""); r.body != `{"issuers":[]}` {
		t.Errorf("after the issuers are gone: %s", fmt.Sprint(r.body))
	}
}
