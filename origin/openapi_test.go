package origin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"example.com/livery/origin"
	"example.com/livery/origin/api"
	"example.com/livery/storage/record"
)

// Decision 8.3: the document is there without a token, in the order of its source, and a reader who
// holds it is not sent it again.
func TestDocumentIsServedToAnybody(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	r := h.do("", "GET", "/openapi.json", "")
	if r.status != 200 || r.header.Get("Content-Type") != "application/json" || r.header.Get("Cache-Control") != "public, max-age=300" {
		t.Fatalf("GET /openapi.json = %d %v, want 200 as JSON with a short life", r.status, r.header)
	}
	served, err := openapi3.NewLoader().LoadFromData([]byte(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := canonical(t, served), canonical(t, readContract(t).document); got != want {
		t.Errorf("the served document is another than openapi.yaml describes")
	}
	if names := topNames(t, r.body); !slices.IsSorted(indexes(names, "openapi", "info", "servers", "security", "tags", "paths", "components")) {
		t.Errorf("members = %v, want the order of the source", names)
	}
	etag := r.header.Get("Etag")
	for _, ifNoneMatch := range []string{etag, "*", `"x", ` + etag, "W/" + etag} {
		again := h.do("", "GET", "/openapi.json", "", "If-None-Match", ifNoneMatch)
		if again.status != 304 || again.body != "" || again.header.Get("Etag") != etag || again.header.Get("Cache-Control") == "" {
			t.Errorf("GET with If-None-Match %s = %d %v, want 304", ifNoneMatch, again.status, again.header)
		}
	}
	if other := h.do("", "GET", "/openapi.json", "", "If-None-Match", `"x"`); other.status != 200 {
		t.Errorf("GET with another ETag = %d, want 200", other.status)
	}
	if head := h.do("", "HEAD", "/openapi.json", ""); head.status != 200 || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(r.body)) {
		t.Errorf("HEAD = %d %v, want the headers of GET", head.status, head.header)
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		refused := h.do("", method, "/openapi.json", "")
		refused.refuses(t, 405, "payload")
		if refused.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s has Allow %q, want GET, HEAD", method, refused.header.Get("Allow"))
		}
	}
	if r := h.do("", "GET", "/openapi.json/", ""); r.status != 401 { // another path
		t.Errorf("GET /openapi.json/ = %d, want 401", r.status)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	if r := h.do("", "GET", "/openapi.json", ""); r.status != 200 {
		t.Errorf("GET over a closed store = %d, want 200", r.status)
	}
}

// canonical spells a document with its members sorted.
func canonical(t testing.TB, document *openapi3.T) string {
	t.Helper()
	copied := *document
	copied.Servers = nil
	text, err := json.Marshal(&copied)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// topNames returns the names of an object's members in their order.
func topNames(t testing.TB, text string) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		if err := d.Decode(new(json.RawMessage)); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func indexes(all []string, names ...string) []int {
	var at []int
	for _, name := range names {
		at = append(at, slices.Index(all, name))
	}
	return at
}

// The route table and the document name the same operations with the same least role, in both
// directions; and a role, a token or a HEAD is in neither what it is not in the other.
func TestRoutesAndDocumentAgree(t *testing.T) {
	t.Parallel()
	document := readContract(t).document
	described := map[string]string{}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			role, _ := operation.Extensions["x-livery-role"].(string)
			described[method+" "+path] = role
			if open := operation.Security != nil && len(*operation.Security) == 0; open != (role == "none") {
				t.Errorf("%s %s: role %q and security %v contradict each other", method, path, role, operation.Security)
			}
			if operation.Responses.Status(401) != nil == (role == "none") {
				t.Errorf("%s %s: role %q, and 401 described or not", method, path, role)
			}
		}
	}
	routed := map[string]string{}
	for _, route := range slices.Concat(api.Routes(), api.Extras()) {
		routed[route.Method+" "+route.Path] = roleWord(route.Role)
	}
	for _, route := range api.Open() {
		routed[route.Method+" "+route.Path] = "none"
	}
	for name, role := range routed {
		if got, known := described[name]; !known || got != role {
			t.Errorf("route %s needs %q; the document says %q (described: %v)", name, role, got, known)
		}
	}
	for name, role := range described {
		if _, known := routed[name]; !known {
			t.Errorf("the document describes %s for %q, which is no route", name, role)
		}
	}
	if len(routed) != len(api.Routes())+len(api.Extras())+len(api.Open()) {
		t.Errorf("%d routes of %d names: one stands twice", len(api.Routes())+len(api.Extras())+len(api.Open()), len(routed))
	}
}

func roleWord(role record.Role) string {
	if role == "" {
		return "any"
	}
	return string(role)
}

// The bounds that the document states are those of the defaults and of the rules.
func TestDocumentStatesTheLimits(t *testing.T) {
	t.Parallel()
	stated := readContract(t).document.Info.Extensions["x-livery-limits"].(map[string]any)
	l := origin.Limits{}.WithDefaults()
	for name, want := range map[string]int{
		"bodyBytes": l.BodyBytes, "documentBytes": l.DocumentBytes, "nestingLevels": l.Depth, "operationsPerBatch": l.Operations,
		"nameCharacters": l.NameCharacters, "headerBytes": l.HeaderBytes, "labelsPerResource": 50, "labelKeyCharacters": 64,
		"labelValueCharacters": 256, "pageSize": 1000,
	} {
		if got := fmt.Sprint(stated[name]); got != fmt.Sprint(want) && got != fmt.Sprint(float64(want)) {
			t.Errorf("%s = %s in the document, want %d", name, got, want)
		}
	}
	plans := stated["variantsPerTheme"].(map[string]any)
	for plan, allowance := range map[string]int{"free": record.Free.VariantsPerTheme(), "pro": record.Pro.VariantsPerTheme()} {
		if fmt.Sprint(plans[plan]) != fmt.Sprint(allowance) {
			t.Errorf("plan %s = %v in the document, want %d", plan, plans[plan], allowance)
		}
	}
	source, err := os.ReadFile("api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), "maxItems: 10000") != 4 {
		t.Error("the batches of the document are not bounded by 10,000 operations")
	}
}
