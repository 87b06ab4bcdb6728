package origin_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/livery/docs/site"
	"example.com/livery/origin"
	"example.com/livery/origin/api"
)

// referencePage returns the page about the API.
func referencePage(t *testing.T, console bool) string {
	t.Helper()
	document, err := api.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	files, err := site.Build(site.Source{Files: fstest.MapFS{}, OpenAPI: document, Console: console, Version: "1.2.3"})
	if err != nil || string(files["openapi.json"].Body) != string(document) {
		t.Fatalf("the site has another OpenAPI document, or none: %v", err)
	}
	return string(files["reference.html"].Body)
}

// Beside a console each operation leads to its form there, by the name that the form knows it by; without one none does.
func TestReferenceLeadsToTheConsole(t *testing.T) {
	t.Parallel()
	for _, console := range []bool{true, false} {
		page, operations := referencePage(t, console), 0
		for _, item := range readContract(t).document.Paths.Map() {
			for _, o := range item.Operations() {
				if operations++; strings.Contains(page, `<a href="../console/calls?op=`+o.OperationID+`">`) != console {
					t.Errorf("with a console: %t, but %s leads there: %t", console, o.OperationID, !console)
				}
			}
		}
		if operations < 40 || console && strings.Count(page, `href="../console/`) != operations {
			t.Errorf("%d operations, %d links to the console", operations, strings.Count(page, `href="../console/`))
		}
	}
}

// Every operation, schema and reason of the document stands in the page, and each link within the page leads to one place.
func TestReferenceHasTheWholeDocument(t *testing.T) {
	t.Parallel()
	page, document := referencePage(t, false), readContract(t).document
	ids := map[string]int{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		ids[id[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	links := regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		if ids[link[1]] == 0 {
			t.Errorf("#%s leads nowhere", link[1])
		}
	}
	if len(links) < 500 {
		t.Errorf("%d links, want those of all operations and schemas", len(links))
	}
	section := func(id string) string {
		_, rest, _ := strings.Cut(page, fmt.Sprintf(`<h3 id="%s"`, id))
		found, _, _ := strings.Cut(rest, "<h3")
		return html.UnescapeString(found)
	}
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			s := section(o.OperationID)
			for _, want := range []string{">" + o.Summary + "</h3>", "<code>" + method + " " + path + "</code>", `"$LIVERY_URL` + strings.NewReplacer("{", "$", "}", "").Replace(path) + `"`} {
				if !strings.Contains(s, want) {
					t.Errorf("the entry of %s lacks %q", o.OperationID, want)
				}
			}
			for _, p := range append(slices.Clone(item.Parameters), o.Parameters...) {
				if !strings.Contains(s, "<code>"+p.Value.Name+"</code>") {
					t.Errorf("the entry of %s lacks the parameter %s", o.OperationID, p.Value.Name)
				}
			}
			for status := range o.Responses.Map() {
				if !strings.Contains(s, ">Answer "+status) && !strings.Contains(s, ">"+status+" ") {
					t.Errorf("the entry of %s lacks the status %s", o.OperationID, status)
				}
			}
		}
	}
	for name, schema := range document.Components.Schemas {
		s := section("schema-" + name)
		for property := range schema.Value.Properties {
			if !strings.Contains(s, "<code>"+property+"</code>") {
				t.Errorf("the entry of the schema %s lacks %s", name, property)
			}
		}
	}
	for _, reason := range document.Components.Headers["Reason"].Value.Schema.Value.Enum {
		if !strings.Contains(section("header-Reason"), fmt.Sprintf("<code>%v</code>: ", reason)) {
			t.Errorf("the list of Livery-Reason lacks what %v means", reason)
		}
	}
}

// outside sends a request without a token to a path that is not below the API's.
func (h *testOrigin) outside(t *testing.T, method, path string, headers ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, h.base+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := h.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header, string(text)}
}

// The documentation is made when the first client asks, and needs no token.
func TestDocumentationIsServed(t *testing.T) {
	t.Parallel()
	made := 0
	h := newTestOrigin(t, func(c *origin.Config) {
		c.Documents = func(bool) (map[string]site.File, error) {
			made++
			return site.Build(site.Source{Version: "1.2.3", Files: fstest.MapFS{"docs/index.md": {Data: []byte("# First\n" + strings.Repeat("word ", 1000))}}})
		}
	})
	if made != 0 {
		t.Error("the pages are made before a client asks")
	}
	first := h.outside(t, "GET", "/docs/", "Accept-Encoding", "identity")
	if first.status != 200 || !strings.Contains(first.body, "<h1 id=\"first\">First</h1>") || first.header.Get("Content-Security-Policy") != site.Policy || first.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("GET /docs/ = %d %v", first.status, first.header)
	}
	if same := h.outside(t, "GET", "/docs/index.html", "Accept-Encoding", "identity"); same.body != first.body {
		t.Error("/docs/ is not its index.html")
	}
	if again := h.outside(t, "GET", "/docs/", "If-None-Match", first.header.Get("Etag")); again.status != 304 {
		t.Errorf("GET /docs/ with its ETag = %d, want 304", again.status)
	}
	if coded := h.outside(t, "GET", "/docs/", "Accept-Encoding", "br"); coded.header.Get("Content-Encoding") != "br" {
		t.Errorf("GET /docs/ is sent as %q", coded.header.Get("Content-Encoding"))
	}
	for path, want := range map[string]int{
		"/docs": 308, "/docs/site.css": 200, "/docs/site.js": 200, "/docs/search.json": 200, "/docs/reference.html": 404,
		"/docs/missing.html": 404, "/docs/../public/v1/me": 404, "/docsx": 404,
	} {
		if r := h.outside(t, "GET", path); r.status != want {
			t.Errorf("GET %s = %d, want %d", path, r.status, want)
		}
	}
	if r := h.outside(t, "POST", "/docs/"); r.status != 405 || r.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST /docs/ = %d %v", r.status, r.header)
	}
	if made != 1 {
		t.Errorf("the pages were made %d times", made)
	}
}
