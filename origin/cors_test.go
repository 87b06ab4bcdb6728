package origin_test

import (
	"context"
	"strings"
	"testing"

	"example.com/livery/origin"
)

// Pages of the operator's origins may call the API: the preflight needs no token, answers can be read, and to pages of other
// origins everything is as without the list.
func TestPagesOfListedOriginsMayCall(t *testing.T) {
	t.Parallel()
	const listed, other = "https://app.example.com", "https://evil.example"
	h := newTestOrigin(t, func(c *origin.Config) { c.CORSOrigins = []string{listed, "http://localhost:5173"} })
	theme := h.theme("brand")
	ask := []string{"Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers", "authorization,if-match,prefer"}
	p := h.do("", "OPTIONS", theme+"/tokens", "", append(ask, "Origin", listed)...)
	if p.status != 204 || p.header.Get("Access-Control-Allow-Origin") != listed || !strings.Contains(p.header.Get("Access-Control-Allow-Methods"), "PATCH") || p.body != "" {
		t.Errorf("preflight = %d %v, want 204 for the origin", p.status, p.header)
	}
	for _, name := range []string{"authorization", "content-type", "if-match", "if-none-match", "idempotency-key", "prefer"} {
		if !strings.Contains(strings.ToLower(p.header.Get("Access-Control-Allow-Headers")), name) {
			t.Errorf("a page must not send %s", name)
		}
	}
	for _, origin := range []string{other, listed + ":443", "HTTPS://APP.EXAMPLE.COM", "null", listed + ".evil.example"} {
		if r := h.do("", "OPTIONS", theme+"/tokens", "", append(ask, "Origin", origin)...); r.status != 401 || r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Vary") != "Origin" {
			t.Errorf("preflight of %s = %d %v, want 401 as without a list", origin, r.status, r.header)
		}
		if r := h.want(200, "GET", theme, "", "Origin", origin); r.header.Get("Access-Control-Allow-Origin") != "" || r.header.Get("Vary") != "Accept-Encoding, Origin" {
			t.Errorf("GET of a page of %s = %v", origin, r.header)
		}
	}
	for _, r := range []reply{
		h.want(200, "GET", theme, "", "Origin", listed), h.do(owner, "GET", theme+"x", "", "Origin", listed), h.do("", "GET", theme, "", "Origin", listed),
		h.want(200, "GET", "/openapi.json", "", "Origin", "http://localhost:5173"),
	} {
		if got := r.header.Get("Access-Control-Allow-Origin"); got != listed && got != "http://localhost:5173" || r.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("answer %d = %v, want one that the page may read", r.status, r.header)
		}
		if exposed := r.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "ETag") || !strings.Contains(exposed, "Livery-Reason") {
			t.Errorf("answer %d exposes %q", r.status, exposed)
		}
	}
	h.do("", "OPTIONS", theme, "", "Origin", listed) // no preflight: it names no method
	off := newTestOrigin(t)
	if r := off.do("", "OPTIONS", "/environments", "", append(ask, "Origin", listed)...); r.status != 401 || r.header.Get("Vary") != "" {
		t.Errorf("preflight without a list = %d %v, want 401", r.status, r.header)
	}
	for _, entry := range []string{"*", "app.example.com", "https://app.example.com/", "https://*.example.com/x", "ftp://a", "https://A.example"} {
		c := off.config
		c.CORSOrigins = []string{entry}
		if o, err := origin.New(context.Background(), c); err == nil || !strings.Contains(err.Error(), entry) {
			t.Errorf("New with the origin %q = %v, want an error that names it", entry, err)
			_ = o
		}
	}
}

// GET /me says who the caller is, its Teams, its grants and the limits; and where requests are limited every answer says
// what is left.
func TestCallersReadWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.RequestsPerSecond = 5 })
	me := h.do(designer, "GET", "/me", "")
	o := me.object(t)
	teams, grants, limits := o["teams"].([]any), o["grants"].([]any), o["limits"].(map[string]any)
	if me.status != 200 || o["subject"] != designer || len(teams) != 1 || teams[0].(map[string]any)["slug"] != "acme" || teams[0].(map[string]any)["plan"] != "free" {
		t.Errorf("GET /me = %d %s", me.status, me.body)
	}
	if len(grants) != 1 || grants[0].(map[string]any)["environmentID"] != h.sandbox || grants[0].(map[string]any)["role"] != "editor" || limits["requestsPerSecond"] != 5.0 {
		t.Errorf("grants = %v, limits = %v", grants, limits)
	}
	if got := h.do("nobody", "GET", "/me", ""); got.status != 200 || len(got.object(t)["teams"].([]any)) != 0 {
		t.Errorf("GET /me without a Team = %d %s", got.status, got.body)
	}
	if got := me.header.Get("Ratelimit-Policy") + " " + me.header.Get("Ratelimit"); got != `"caller";q=5;w=1 "caller";r=4;t=1` {
		t.Errorf("limits in the head = %s", got)
	}
	var last reply
	for range 100 {
		if last = h.do(designer, "GET", "/me", ""); last.status == 429 {
			break
		}
	}
	if last.status != 429 || last.header.Get("Ratelimit") != `"caller";r=0;t=1` || last.header.Get("Retry-After") == "" {
		t.Errorf("past the limit = %d %v, want 429", last.status, last.header)
	}
	if free := newTestOrigin(t).do(owner, "GET", "/me", ""); free.header.Get("Ratelimit") != "" || free.object(t)["limits"].(map[string]any)["requestsPerSecond"] != nil {
		t.Errorf("without a limit = %v %s", free.header, free.body)
	}
}
