package origin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// S50 S51 S52 S53 S54 S58 S61 S67 S79 S80 S82 S83 S84 S28: what a new Theme looks like.
func TestCreateThemeAnswersTheWholeNewTheme(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	r := h.want(201, "POST", themes, `{"slug":"brand","displayName":" Brand ","integration":{"framework":"react","library":"plainCSS"}}`)
	if r.header.Get("Location") != "" {
		t.Errorf("Location = %q, want none", r.header.Get("Location"))
	}
	var body map[string]map[string]any
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || len(body) != 1 {
		t.Fatalf("create = %s, want the single key resource", r.body)
	}
	got := body["resource"]
	id := got["id"].(string)
	latest := testCDNURL + "/" + h.sandbox + "/" + id + "/-/latest/tokens.css"
	want := map[string]any{
		"id": id, "environmentID": h.sandbox, "slug": "brand", "displayName": "Brand", "tokenCount": 0.0,
		"latestVersion": nil, "publishedAt": nil, "hasUnpublishedChanges": false,
		"integrations": []any{map[string]any{"framework": "react", "library": "plainCSS"}}, "metadata": map[string]any{},
		"serving": map[string]any{
			"mode": "public", "signingKeys": []any{}, "allowedOrigins": []any{}, "missingOrigin": "allowNonBrowsers", "allowedIPRanges": []any{},
		},
		"assetSettings": map[string]any{"prefix": "", "isLive": false, "liveVersion": nil},
		"servingUrls":   map[string]any{"latest": []any{map[string]any{"file": "tokens.css", "url": latest}}, "pinned": nil, "version": nil},
		"createdAt":     got["createdAt"], "updatedAt": got["updatedAt"],
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("POST themes = %v\nwant %v", got, want)
	}
	if again := h.want(200, "GET", themes+"/"+id, "").object(t); !reflect.DeepEqual(again, want) {
		t.Errorf("GET theme = %v\nwant %v", again, want)
	}
	if at, _ := got["createdAt"].(string); !strings.HasSuffix(at, "Z") { // S26
		t.Errorf("createdAt = %q, want UTC", at)
	}
}

// S80 S85 S100 S101 S103 S248 A42: every fault of a body is named at once, and nothing is stored.
func TestThemeBodiesAreRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	for _, c := range []struct {
		name, body string
		messages   []string // how each begins, in any order
	}{
		{"nothing is given", `{}`, []string{"slug", "displayName"}},
		{"wrong kinds", `{"slug":5,"displayName":null,"metadata":[],"integration":"react"}`, []string{"slug", "displayName", "metadata", "integration"}},
		{"wrong kinds beside broken rules", `{"slug":5,"displayName":"","metadata":{"-a":"x","b":1}}`, []string{"slug", "displayName", "metadata", "metadata"}},
		{"slug of 65", `{"slug":"` + strings.Repeat("a", 65) + `","displayName":"x"}`, []string{"slug"}},
		{"slug with a slash", `{"slug":"a/b","displayName":"x"}`, []string{"slug"}},
		{"slug with a zero", `{"slug":"a\u0000b","displayName":"x"}`, []string{"slug"}},
		{"slug with an override of direction", `{"slug":"a\u202eb","displayName":"x"}`, []string{"slug"}},
		{"pair that is not offered", `{"slug":"a","displayName":"x","integration":{"framework":"solid","library":"mui"}}`, []string{"integration"}},
		{"body is a list", `[]`, []string{"the body must be an object"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := h.do(owner, "POST", themes, c.body).refuses(t, 400, "validation")
			if len(e.Messages) != len(c.messages) {
				t.Fatalf("messages = %q, want %d", e.Messages, len(c.messages))
			}
			for _, begin := range c.messages {
				if !slices.ContainsFunc(e.Messages, func(m string) bool { return strings.HasPrefix(m, begin) }) {
					t.Errorf("messages = %q, want one that begins with %q", e.Messages, begin)
				}
			}
		})
	}
	if items := h.want(200, "GET", themes, "").object(t)["items"].([]any); len(items) != 0 {
		t.Errorf("refused creates stored %v", items)
	}
	null := h.want(201, "POST", themes, `{"slug":"`+strings.Repeat("a", 64)+`","displayName":"x","integration":null}`) // as if left out
	if files := filesOf(t, null); len(files) != 0 {
		t.Errorf("files = %v, want none", files)
	}
}

// S86 S87 S88 S89 S90 S250 S251 S252 S254 A39: a PUT replaces slug, name and, if given, the labels.
func TestUpdateThemeReplacesNamesAndLabels(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	put := func(metadata string) any {
		return h.want(200, "PUT", theme, `{"slug":"brand2","displayName":"Two"`+metadata+`}`).object(t)["metadata"]
	}
	label := func(s string) map[string]any { return map[string]any{"k": s} }
	for _, c := range []struct {
		name, metadata string
		want           map[string]any
	}{
		{"labels are set", `,"metadata":{"k":"v"}`, label("v")},
		{"omitted keeps them", ``, label("v")},
		{"another set replaces them", `,"metadata":{"k":""}`, label("")},
		{"an empty set clears them", `,"metadata":{}`, map[string]any{}},
	} {
		if got := put(c.metadata); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: metadata = %v, want %v", c.name, got, c.want)
		}
	}
	many := func(n int) string {
		labels := map[string]string{}
		for i := range n {
			labels[fmt.Sprintf("k%d", i)] = ""
		}
		text, _ := json.Marshal(labels)
		return `{"slug":"a","displayName":"b","metadata":` + string(text) + `}`
	}
	h.want(200, "PUT", theme, many(50))
	h.do(owner, "PUT", theme, many(51)).refuses(t, 400, "validation")
	key, value := strings.Repeat("k", 64), strings.Repeat("v", 256)
	h.want(200, "PUT", theme, `{"slug":"a","displayName":"b","metadata":{"`+key+`":"`+value+`"}}`)
	e := h.do(owner, "PUT", theme, `{"slug":"a","displayName":"b","metadata":{"`+key+`k":"`+value+`v"}}`).refuses(t, 400, "validation")
	if len(e.Messages) != 2 {
		t.Errorf("messages = %q, want one for the key and one for the value", e.Messages)
	}
}

// S102 S190 S209: a slug is unique within its parent, exactly, and free again when its owner leaves it.
func TestTakenSlugsConflict(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	first, second := h.theme("one"), h.theme("two")
	body := func(slug string) string { return `{"slug":"` + slug + `","displayName":"x"}` }
	themes := "/environments/" + h.sandbox + "/themes"
	noMessages(t, h.do(owner, "POST", themes, body("one")).refuses(t, 409, "conflict"))
	noMessages(t, h.do(owner, "PUT", second, body("one")).refuses(t, 409, "conflict"))
	h.want(201, "POST", themes, body("ONE"))
	h.want(200, "PUT", first, body("one"))
	h.want(200, "PUT", first, body("uno"))
	h.want(200, "PUT", second, body("one"))
	h.want(201, "POST", "/environments/"+h.staging+"/themes", body("one"))

	h.variant(first, "a")
	h.variant(second, "a")
	noMessages(t, h.do(owner, "POST", first+"/variants", body("a")).refuses(t, 409, "conflict"))
	other := h.variant(first, "b")
	noMessages(t, h.do(owner, "PUT", other, body("a")).refuses(t, 409, "conflict"))
	h.want(200, "DELETE", first, "")
	h.want(201, "POST", themes, body("uno"))
}

func noMessages(t testing.TB, e refusal) {
	t.Helper()
	if len(e.Messages) != 0 {
		t.Errorf("messages = %q, want none for a refusal by the domain", e.Messages)
	}
}

// S74 S91 S92 S93 S94 S95 S96 S126: the list of integrations is replaced whole or not at all.
func TestIntegrationsAreReplacedWhole(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	r := h.want(200, "PUT", theme+"/integrations", pairsBody("react", "mui", "vue", "buildTimeTokens", "react", "plainCSS"))
	if got, want := filesOf(t, r), []string{"tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}; !reflect.DeepEqual(got, want) {
		t.Errorf("files = %v, want %v", got, want)
	}
	for _, bad := range []string{
		pairsBody(), pairsBody("react", "mui", "react", "mui"), pairsBody("solid", "mui"), pairsBody("React", "mui"), `{}`, `{"integrations":{}}`,
		`{"integrations":["react"]}`, `{"integrations":[{"framework":"react"}]}`,
	} {
		h.do(owner, "PUT", theme+"/integrations", bad).refuses(t, 400, "validation")
	}
	if again := h.want(200, "GET", theme, ""); !reflect.DeepEqual(again.object(t)["integrations"], r.object(t)["integrations"]) {
		t.Errorf("refused lists left %s", again.body)
	}
}

// filesOf returns the names of the files that a Theme or Variant is served as.
func filesOf(t testing.TB, r reply) []string {
	t.Helper()
	var files []string
	for _, entry := range r.object(t)["servingUrls"].(map[string]any)["latest"].([]any) {
		files = append(files, entry.(map[string]any)["file"].(string))
	}
	return files
}

// S1 S5 S44 S45 S46 S47 S76 S77 A40: pages are walked by slug, bytewise.
func TestListsArePagedBySlug(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	for _, slug := range []string{"b", "B", "a-1", "a", "a.1", "c", "a_1"} {
		h.theme(slug)
	}
	for _, c := range []struct {
		name, query string
		want        string
		number      float64
		size        float64
		total       any
		pages       any
	}{
		{"all, bytewise", "", "B a a-1 a.1 a_1 b c", 1, 100, nil, nil},
		{"descending", "?orderDir=descending", "c b a_1 a.1 a-1 a B", 1, 100, nil, nil},
		{"second page", "?pageSize=3&pageNumber=2", "a.1 a_1 b", 2, 3, nil, nil},
		{"last page with totals", "?pageSize=3&pageNumber=3&includeTotals=true", "c", 3, 3, 7.0, 3.0},
		{"past the end", "?pageSize=3&pageNumber=9&includeTotals=true", "", 9, 3, 7.0, 3.0},
		{"far past the end", "?pageNumber=2147483647&pageSize=1000", "", 2147483647, 1000, nil, nil},
		{"one slug exactly", "?slug=a&includeTotals=true", "a", 1, 100, 1.0, 1.0},
		{"no prefix and no case folding", "?slug=A", "", 1, 100, nil, nil},
		{"a slug that cannot be", "?slug=a%00b", "", 1, 100, nil, nil},
		{"one slug, second page", "?slug=a&pageNumber=2", "", 2, 100, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := h.want(200, "GET", themes+c.query, "").object(t)
			var slugs []string
			for _, item := range body["items"].([]any) {
				slugs = append(slugs, item.(map[string]any)["slug"].(string))
			}
			if got := strings.Join(slugs, " "); got != c.want {
				t.Errorf("slugs = %q, want %q", got, c.want)
			}
			delete(body, "items")
			want := map[string]any{"pageNumber": c.number, "pageSize": c.size, "pageCount": float64(len(slugs))}
			if c.total != nil {
				maps.Copy(want, map[string]any{"totalCount": c.total, "totalPages": c.pages})
			}
			if !reflect.DeepEqual(body, want) {
				t.Errorf("envelope = %v, want %v", body, want)
			}
		})
	}
}

// S247 A40: what is not an integer is payload and named, what is out of range is validation.
func TestListParametersAreStrict(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for _, list := range []string{"/environments", "/environments/" + h.sandbox + "/themes", h.theme("t")[0:] + "/variants"} {
		for query, cause := range map[string]string{
			"pageSize=abc": "payload", "pageSize=1e2": "payload", "pageSize=%201": "payload", "pageSize=01": "payload", "pageSize=": "payload",
			"pageSize=1&pageSize=1": "payload", "pageSize=%2B1": "payload", "pageNumber=1.0": "payload", "orderDir=up": "payload",
			"includeTotals=yes": "payload", "includeTotals=": "payload",
			"pageSize=0": "validation", "pageSize=-1": "validation", "pageSize=1001": "validation",
			"pageSize=99999999999999999999": "validation", "pageNumber=0": "validation", "pageNumber=-99999999999999999999": "validation",
		} {
			e := h.do(owner, "GET", list+"?"+query, "").refuses(t, 400, cause)
			name, _, _ := strings.Cut(query, "=")
			if len(e.Messages) != 1 || !strings.Contains(e.Messages[0], name) {
				t.Errorf("%s?%s: messages = %q, want one that names %s", list, query, e.Messages, name)
			}
		}
		e := h.do(owner, "GET", list+"?pageSize=x&pageNumber=y&orderDir=z", "").refuses(t, 400, "payload")
		if len(e.Messages) != 3 {
			t.Errorf("messages = %q, want all three parameters", e.Messages)
		}
	}
}

// S97 S98 S207 S208: a delete takes everything beneath along and answers with the parent.
func TestDeletesTakeTheWholeSubtree(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant, other := h.variant(theme, "dark"), h.variant(theme, "light")
	h.patch(theme, red)
	h.publish(theme)
	h.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	h.publish(variant)
	h.patch(other, `[{"operation":"set","path":"red","value":"#111111"}]`)
	h.publish(other)
	h.patch(other, `[{"operation":"set","path":"red","value":"#222222"}]`)
	h.patch(theme, `[{"operation":"remove","path":"/red"}]`)
	for _, letter := range "HhDNVvdnP" {
		if h.countKeys(byte(letter)) == 0 {
			t.Errorf("nothing is stored under %c: the test does not see its delete", letter)
		}
	}
	if got := h.want(200, "DELETE", variant, "").text(t, "environmentID"); got != h.sandbox {
		t.Errorf("DELETE variant answers %q, want its Theme", got)
	}
	h.do(owner, "GET", variant+"/tokens?version=1", "").refuses(t, 404, "notFound")
	h.want(200, "GET", other, "")
	if got := h.want(200, "DELETE", theme, ""); got.text(t, "id") != h.sandbox || got.text(t, "role") != "admin" {
		t.Errorf("DELETE theme = %s, want the bare Environment", got.body)
	}
	for _, path := range []string{"", "/tokens", "/tokens?version=1", "/variants", "/variants/" + other[strings.LastIndex(other, "/")+1:]} {
		h.do(owner, "GET", theme+path, "").refuses(t, 404, "notFound")
	}
	left := 0
	for _, letter := range "HhDNVvdnP" {
		left += h.countKeys(byte(letter))
	}
	if left != 0 {
		t.Errorf("%d keys of the deleted Theme are left", left)
	}
}
