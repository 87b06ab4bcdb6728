package origin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// etagOf returns the entity tag of an answer, which must be a strong one.
func etagOf(t testing.TB, r reply) string {
	t.Helper()
	etag := r.header.Get("Etag")
	if len(etag) < 10 || etag[0] != '"' {
		t.Fatalf("ETag = %q, want a strong one", etag)
	}
	return etag
}

// Decision 9.3: a Theme and a Variant have an entity tag, which changes with every byte of what is answered, and stands on
// every answer that carries them bare and on the create.
func TestResourcesHaveAStrongETag(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	created := h.want(201, "POST", themes, `{"slug":"brand","displayName":"A"}`)
	theme := themes + "/" + created.text(t, "id")
	seen := map[string]string{etagOf(t, created): ""}
	same := func(path string, r reply) {
		t.Helper()
		read := h.want(200, "GET", path, "")
		if got, want := etagOf(t, read), etagOf(t, r); got != want {
			t.Errorf("GET = %s, and the write before sent %s", got, want)
		}
	}
	same(theme, created)
	for name, change := range map[string]func() reply{
		"PUT": func() reply { return h.want(200, "PUT", theme, `{"slug":"brand","displayName":"B"}`) },
		"integrations": func() reply {
			return h.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"react","library":"mui"}]}`)
		},
		"an edit": func() reply {
			h.patch(theme, red)
			return h.want(200, "GET", theme, "")
		},
	} {
		r := change()
		same(theme, r)
		if before, known := seen[etagOf(t, r)]; known {
			t.Errorf("%s leaves the ETag that %q made", name, before)
		}
		seen[etagOf(t, r)] = name
	}
	h.patch(theme, `[{"operation":"add","path":"/blue","value":{"$value":1}}]`)
	same(theme, h.publish(theme))
	made := h.want(201, "POST", theme+"/variants", `{"slug":"dark","displayName":"A"}`)
	variant := theme + "/variants/" + made.text(t, "id")
	same(variant, made)
	same(variant, h.want(200, "PUT", variant, `{"slug":"dark","displayName":"B"}`))
	before := etagOf(t, h.want(200, "GET", variant, ""))
	h.want(200, "PUT", theme+"/integrations", `{"integrations":[{"framework":"svelte","library":"skeleton"}]}`)
	if etagOf(t, h.want(200, "GET", variant, "")) == before {
		t.Error("the addresses of a Variant changed, and its ETag did not")
	}
	etag := h.patch(variant, `[{"operation":"set","path":"red","value":"#00f"}]`)
	same(variant, h.want(200, "DELETE", variant+"/tokens?etag="+etag, ""))
	h.patch(variant, `[{"operation":"set","path":"red","value":"#00f"}]`)
	same(variant, h.publish(variant))
}

// Decision 9.3: If-Match guards PUT and DELETE of a Theme and a Variant; * means that it exists.
func TestIfMatchGuardsResources(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	body, integrations := `{"slug":"new","displayName":"New"}`, `{"integrations":[{"framework":"vue","library":"vuetify"}]}`
	for _, path := range []string{theme, variant} {
		current := etagOf(t, h.want(200, "GET", path, ""))
		h.want(200, "PUT", path, `{"slug":"other","displayName":"A"}`)
		for name, match := range map[string]string{"a stale one": current, "a weak one": "W/" + etagOf(t, h.want(200, "GET", path, "")), "a made-up one": `"bogus"`} {
			before := h.want(200, "GET", path, "").body
			h.do(owner, "PUT", path, body, "If-Match", match).conflicts(t, 412, "ifMatchFailed")
			h.do(owner, "DELETE", path, "", "If-Match", match).conflicts(t, 412, "ifMatchFailed")
			if path == theme {
				h.do(owner, "PUT", path+"/integrations", integrations, "If-Match", match).conflicts(t, 412, "ifMatchFailed")
			}
			if after := h.want(200, "GET", path, "").body; after != before {
				t.Errorf("after %s: %s, want %s", name, after, before)
			}
		}
		h.do(owner, "PUT", path, `{}`, "If-Match", `"bogus"`).refuses(t, 400, "validation")
		h.do(owner, "PUT", path, body, "If-Match", `bogus`).refuses(t, 400, "payload")
		h.do(owner, "DELETE", path, "", "If-Match", `bogus`).refuses(t, 400, "payload")
		updated := h.want(200, "PUT", path, body, "If-Match", etagOf(t, h.want(200, "GET", path, "")))
		h.want(200, "PUT", path, body, "If-Match", `"bogus", `+etagOf(t, h.want(200, "GET", path, ""))+` ,W/"x"`)
		h.want(200, "PUT", path, body, "If-Match", `"bogus"`, "If-Match", etagOf(t, h.want(200, "GET", path, "")))
		h.do(owner, "PUT", path, body, "If-Match", `"bogus", "other"`).conflicts(t, 412, "ifMatchFailed")
		h.do(owner, "PUT", path, body, "If-Match", `"bogus" "other"`).refuses(t, 400, "payload")
		h.do(owner, "PUT", path, body, "If-Match", `"bogus", *`).refuses(t, 400, "payload")
		h.want(200, "PUT", path, body, "If-Match", "*")
		if path == theme {
			h.want(200, "PUT", path+"/integrations", integrations, "If-Match", etagOf(t, h.want(200, "GET", path, "")))
		}
		if updated.text(t, "slug") != "new" {
			t.Errorf("PUT under a claim that holds = %s", updated.body)
		}
	}
	h.want(200, "DELETE", variant, "", "If-Match", etagOf(t, h.want(200, "GET", variant, "")))
	h.do(owner, "DELETE", variant, "", "If-Match", "*").refuses(t, 404, "notFound")
	h.want(200, "DELETE", theme, "", "If-Match", "*")
}

// Decision 9.4: the entity tag of every GET and HEAD answers 304 in If-None-Match until the answer changes, and only that of
// a published version may be kept.
func TestEveryReadIsValidated(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	variant := h.variant(theme, "dark")
	h.publish(theme)
	h.publish(variant)
	environment := "/environments/" + h.sandbox
	const never, kept = "private, no-cache", "private, max-age=31536000, immutable"
	for path, cached := range map[string]string{
		"/environments": never, environment: never, environment + "/themes": never, theme: never, theme + "/variants": never, variant: never,
		theme + "/tokens": never, theme + "/tokens?version=1": kept, theme + "/tokens?version=1&includeVersions=true": never,
		variant + "/tokens": never, variant + "/tokens?version=1": kept, theme + "/tokens/diagnostics": never, theme + "/tokens/diff": never,
		theme + "/tokens/preview/tokens.css": never, variant + "/tokens/preview/tokens.json": never,
		"/openapi.json": "public, max-age=300", "/login": "public, max-age=300",
	} {
		r := h.want(200, "GET", path, "")
		etag := r.header.Get("Etag")
		if got := r.header.Get("Cache-Control"); got != cached || etag == "" {
			t.Errorf("GET %s: Cache-Control %q and ETag %q, want %q and one", path, got, etag, cached)
		}
		if strings.Contains(path, "version=1") {
			etagOf(t, r)
		}
		for _, method := range []string{"GET", "HEAD"} {
			for _, named := range []string{etag, `"x", ` + etag, "W/" + strings.TrimPrefix(etag, "W/"), "*"} {
				again := h.do(owner, method, path, "", "If-None-Match", named)
				if again.status != 304 || again.body != "" || again.header.Get("Etag") != etag || again.header.Get("Cache-Control") != cached {
					t.Errorf("%s %s with If-None-Match %s = %d %q %v, want 304", method, path, named, again.status, again.body, again.header)
				}
			}
			if other := h.do(owner, method, path, "", "If-None-Match", `"x"`); other.status != 200 {
				t.Errorf("%s %s with another tag = %d, want 200", method, path, other.status)
			}
		}
	}
	etag := h.want(200, "GET", theme+"/tokens", "").header.Get("Etag")
	h.patch(theme, `[{"operation":"add","path":"/blue","value":{"$value":1}}]`)
	if r := h.want(200, "GET", theme+"/tokens", "", "If-None-Match", etag); r.header.Get("Etag") != `"`+r.text(t, "etag")+`"` {
		t.Errorf("ETag of a draft = %s, want the draft's %s", r.header.Get("Etag"), r.text(t, "etag"))
	}
	h.do(owner, "GET", theme+"/tokens?version=9", "", "If-None-Match", "*").refuses(t, 404, "notFound")
	h.do(stranger, "GET", theme, "", "If-None-Match", "*").refuses(t, 404, "notFound")
}

// Decision 9.5: a parameter that the operation does not have, or that is given twice, is 400 on every route, by name and with
// the nearest one.
func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	etag := h.patch(theme, red)
	environment := "/environments/" + h.sandbox
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/environments?hasUnpublishedChanges=true", "hasUnpublishedChanges"},
		{"GET", "/environments?PageSize=1", "PageSize: is not a parameter of this request; the nearest is pageSize"},
		{"GET", environment + "?x=1", "x: is not a parameter of this request; it has none"},
		{"GET", environment + "/themes?filter[x]=1", "filter[x]"},
		{"GET", environment + "/themes?label.=1", "label."},
		{"GET", environment + "/themes?pageSize=1&pageSize=1", "pageSize: stands in the query 2 times"},
		{"POST", environment + "/themes?dryRun=true", "dryRun"},
		{"GET", theme + "?x", "x"},
		{"PUT", theme + "?etag=a", "etag"},
		{"DELETE", theme + "?force=true", "force"},
		{"GET", theme + "/tokens?Version=1", "the nearest is version"},
		{"PATCH", theme + "/tokens?Strict=true", "the nearest is strict"},
		{"PATCH", theme + "/tokens?Etag=" + etag, "the nearest is etag"},
		{"PATCH", theme + "/tokens?etag=" + etag + "&etag=" + etag, "etag: stands in the query 2 times"},
		{"DELETE", theme + "/tokens?unchanged=true", "unchanged"},
		{"POST", theme + "/tokens/publish?unchangd=true", "the nearest is unchanged"},
		{"GET", theme + "/tokens/diff?form=1", "the nearest is from"},
		{"GET", theme + "/tokens/preview/tokens.css?Version=1", "the nearest is version"},
		{"GET", "/openapi.json?x=1", "x"},
		{"GET", "/login?x=1", "x"},
	} {
		e := h.do(owner, c.method, c.path, ops(red)).refuses(t, 400, "payload")
		if !slices.ContainsFunc(e.Messages, func(m string) bool { return strings.Contains(m, c.want) }) {
			t.Errorf("%s %s: messages %q, want %q", c.method, c.path, e.Messages, c.want)
		}
	}
	if e := h.do(owner, "GET", theme+"/tokens?b=1&a=1", "").refuses(t, 400, "payload"); len(e.Messages) != 2 {
		t.Errorf("messages = %q, want one for each parameter", e.Messages)
	}
	h.do(owner, "GET", theme[:len(theme)-1]+"!?x=1", "").refuses(t, 404, "notFound") // what the path names comes first
	h.do(guest, "GET", theme+"?x=1", "").refuses(t, 403, "forbidden")
	h.want(200, "GET", environment+"/themes?label.a=1&label.b=2&q=x&&", "")
	if r := h.do(owner, http.MethodHead, theme+"/tokens?Version=1", ""); r.status != 400 {
		t.Errorf("HEAD with an unknown parameter = %d, want 400", r.status)
	}
}
