package origin_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin/api"
)

// lastPart is the id that a path ends with.
func lastPart(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// S76 S78 S130 S196 S197 S210 S241: a viewer reads every Theme and Variant of the Environment and what they hold, in lists and one by one, and
// the slug filter of Variants is exact and within the Theme.
func TestViewersReadEverything(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	first, second := h.theme("one"), h.theme("two")
	paths := map[string]string{}
	for _, slug := range []string{"b", "a", "A", "a.b"} {
		paths[slug] = h.variant(first, slug)
	}
	other := h.variant(second, "a")
	for path, want := range map[string]string{
		first + "/variants":                               "A a a.b b",
		first + "/variants?orderDir=descending":           "b a.b a A",
		first + "/variants?slug=a":                        "a",
		first + "/variants?slug=A":                        "A",
		first + "/variants?slug=a.":                       "",
		first + "/variants?slug=":                         "",
		second + "/variants?slug=a":                       "a",
		second + "/variants?slug=b":                       "",
		first + "/variants?pageSize=2&pageNumber=2":       "a.b b",
		"/environments/" + h.sandbox + "/themes":          "one two",
		"/environments/" + h.sandbox + "/themes?slug=two": "two",
	} {
		r := h.do(reader, "GET", path, "")
		var slugs []string
		for _, item := range r.object(t)["items"].([]any) {
			slugs = append(slugs, item.(map[string]any)["slug"].(string))
		}
		if got := strings.Join(slugs, " "); r.status != 200 || got != want {
			t.Errorf("GET %s as a viewer = %d %q, want %q", path, r.status, got, want)
		}
	}
	for slug, path := range paths {
		r := h.do(reader, "GET", path, "")
		if got := r.object(t); r.status != 200 || got["slug"] != slug || got["id"] != lastPart(path) || got["themeID"] != lastPart(first) {
			t.Errorf("GET %s as a viewer = %d %s", path, r.status, r.body)
		}
	}
	for _, path := range []string{first, first + "/tokens", other + "/tokens"} {
		if r := h.do(reader, "GET", path, ""); r.status != 200 {
			t.Errorf("GET %s as a viewer = %d %s, want 200", path, r.status, r.body)
		}
		h.do(guest, "GET", path, "").refuses(t, 403, "forbidden")
		h.do(stranger, "GET", path, "").refuses(t, 404, "notFound")
	}
	if got := h.do(reader, "GET", first, "").object(t); got["id"] != lastPart(first) || got["slug"] != "one" {
		t.Errorf("GET theme as a viewer = %v", got)
	}
	h.do(reader, "GET", strings.Replace(paths["a"], first, second, 1), "").refuses(t, 404, "notFound") // S4
}

// S4: a Variant is found under its own Theme only, also from another Environment that the caller may do everything in.
func TestVariantsStayUnderTheirTheme(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	here := h.ready()
	there := "/environments/" + h.staging + "/themes/" + h.themeIn(h.staging)
	stray := lastPart(h.variant(there, "stray"))
	for _, route := range api.Routes() {
		if !strings.Contains(route.Path, "{variantID}") {
			continue
		}
		for _, s := range []subject{{here.environment, here.theme, stray}, {h.staging, here.theme, here.variant}, {h.staging, lastPart(there), here.variant}} {
			noMessages(t, h.do(owner, route.Method, s.spell(route.Path), bodies[route.Method+" "+route.Path]).refuses(t, 404, "notFound"))
		}
	}
	h.want(200, "GET", there+"/variants/"+stray, "")
}

// S87 S88 S89 S205: labels left out stay, an empty set clears them and any other replaces them whole, on Themes and Variants.
func TestLabelsAreKeptClearedOrReplaced(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for _, path := range []string{theme, h.variant(theme, "dark")} {
		for _, c := range []struct {
			name, metadata string
			want           map[string]any
		}{
			{"set", `,"metadata":{"a":"1","b":"2"}`, map[string]any{"a": "1", "b": "2"}},
			{"left out", ``, map[string]any{"a": "1", "b": "2"}},
			{"replaced: old keys are gone", `,"metadata":{"c":""}`, map[string]any{"c": ""}},
			{"cleared", `,"metadata":{}`, map[string]any{}},
			{"left out of none", ``, map[string]any{}},
		} {
			h.want(200, "PUT", path, `{"slug":"x","displayName":"X"`+c.metadata+`}`)
			if got := h.want(200, "GET", path, "").object(t)["metadata"]; !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s on %s: metadata = %v, want %v", c.name, path, got, c.want)
			}
		}
	}
}

// S98 S208: what was deleted is 404 on every route, for edges too; what was beside it stays.
func TestDeletedIsGoneEverywhere(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	s := e.ready()
	theme, variant := s.paths()
	e.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	e.publish(variant)
	gone := func(parameter string) {
		t.Helper()
		for _, route := range append(api.Routes(), api.Extras()...) {
			if strings.Contains(route.Path, parameter) {
				noMessages(t, e.do(owner, route.Method, s.spell(route.Path), bodies[route.Method+" "+route.Path]).refuses(t, 404, "notFound"))
			}
		}
	}
	parent := e.want(200, "DELETE", variant, "")
	if !reflect.DeepEqual(parent.object(t), e.want(200, "GET", theme, "").object(t)) || strings.HasPrefix(parent.body, `{"resource"`) {
		t.Errorf("DELETE variant = %s, want the bare Theme", parent.body) // S207
	}
	gone("{variantID}")
	for _, version := range []string{"latest", "1"} {
		if status, body := e.ask("/pairs/" + address(theme) + "/" + s.variant + "/" + version); status != 404 || string(body) != `{"missing":"variant"}` {
			t.Errorf("the feed tells %d %s of a deleted Variant, want it missing", status, body)
		}
		e.pair(theme, "-", version) // the Theme's own stays
	}
	parent = e.want(200, "DELETE", theme, "")
	if !reflect.DeepEqual(parent.object(t), e.want(200, "GET", "/environments/"+s.environment, "").object(t)) || strings.HasPrefix(parent.body, `{"resource"`) {
		t.Errorf("DELETE theme = %s, want the bare Environment", parent.body) // S97
	}
	gone("{themeID}")
	if status, body := e.ask("/pairs/" + address(theme) + "/-/1"); status != 404 || string(body) != `{"missing":"theme"}` {
		t.Errorf("the feed tells %d %s of a deleted Theme, want it missing", status, body)
	}
}

// S168 S169 S184 S185 S186 S226: at a publish of its Theme every Variant has a draft that follows it: moves are
// followed whatever else changes, a swap too; what is gone or no longer fits is dropped; removed and added is matched by
// content, once; what the Theme never had stays.
func TestMigrationFollowsTheTheme(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		name, before, overrides, edit, want string
	}{
		{"a move is followed though the value changes", `"a":{"$value":"1px"}`, "a", `[{"operation":"move","from":"/a","path":"/b"},{"operation":"replace","path":"/b/$value","value":"2px"}]`, "base.b=100px"},
		{"moves of equal values are told apart", `"a":{"$value":"1px"},"b":{"$value":"1px"}`, "a b", `[{"operation":"move","from":"/a","path":"/x"},{"operation":"move","from":"/b","path":"/y"}]`, "base.x=100px base.y=101px"},
		{
			"a swap through a third name", `"a":{"$value":"1px"},"b":{"$value":"2px"}`, "a b",
			`[{"operation":"move","from":"/a","path":"/c"},{"operation":"move","from":"/b","path":"/a"},{"operation":"move","from":"/c","path":"/b"}]`, "base.b=100px base.a=101px",
		},
		{"a moved group takes its tokens along", `"g":{"a":{"$value":"1px"}}`, "g.a", `[{"operation":"move","from":"/g","path":"/h"}]`, "base.h.a=100px"},
		{"removed and added again elsewhere, of one content", `"a":{"$value":"1px"}`, "a", `[{"operation":"remove","path":"/a"},{"operation":"add","path":"/b","value":{"$value":"1px"}}]`, "base.b=100px"},
		{"removed and added, of another content", `"a":{"$value":"1px"}`, "a", `[{"operation":"remove","path":"/a"},{"operation":"add","path":"/b","value":{"$value":"2px"}}]`, ""},
		{
			"removed and added, twice of one content", `"a":{"$value":"1px"},"b":{"$value":"1px"}`, "a b",
			`[{"operation":"remove","path":"/a"},{"operation":"remove","path":"/b"},{"operation":"add","path":"/x","value":{"$value":"1px"}},{"operation":"add","path":"/y","value":{"$value":"1px"}}]`, "",
		},
		{"removed", `"a":{"$value":"1px"},"b":{"$value":"2px"}`, "a b", `[{"operation":"remove","path":"/a"}]`, "base.b=101px"},
		{"retyped past fitting", `"a":{"$type":"dimension","$value":"1px"}`, "a", `[{"operation":"replace","path":"/a","value":{"$type":"color","$value":"#fff"}}]`, ""},
		{"retyped and still fitting", `"a":{"$type":"dimension","$value":"1px"}`, "a", `[{"operation":"replace","path":"/a/$type","value":"spacing"}]`, "base.a=100px"},
		{"of a path that the Theme never had", `"a":{"$value":"1px"}`, "no.such", `[{"operation":"remove","path":"/a"}]`, "no.such=100px"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newTestOrigin(t)
			theme := h.theme("brand")
			variant, untouched := h.variant(theme, "dark"), h.variant(theme, "light")
			h.patch(theme, `[{"operation":"add","path":"/base","value":{`+c.before+`}}]`)
			for i, path := range strings.Fields(c.overrides) {
				h.patch(variant, fmt.Sprintf(`[{"operation":"set","path":%q,"value":"%dpx"}]`, under(path), 100+i))
			}
			h.publish(theme)
			h.publish(variant)
			h.patch(theme, strings.ReplaceAll(strings.ReplaceAll(c.edit, `"path":"/`, `"path":"/base/`), `"from":"/`, `"from":"/base/`))
			h.publish(theme)
			migrated := h.want(200, "GET", variant+"/tokens?includeVersions=true", "")
			if got := listedTokens(t, migrated); got != c.want {
				t.Errorf("the Variant has %q, want %q", got, c.want)
			}
			if set := migrated.object(t); set["etag"] == nil || set["hasUnpublishedChanges"] != true || fmt.Sprint(set["versions"]) != "[1]" || set["latestVersion"] != 1.0 {
				t.Errorf("the Variant reads %v, want a draft over its version 1", set)
			}
			for _, path := range []string{variant, untouched} {
				if got := h.want(200, "GET", path, "").object(t); got["hasUnpublishedChanges"] != true || got["servingUrls"].(map[string]any)["version"] != 2.0 {
					t.Errorf("Variant = %v, want changes to publish at version 2", got)
				}
			}
			if got := h.want(200, "GET", untouched, "").object(t); got["latestVersion"] != nil || got["publishedAt"] != nil {
				t.Errorf("the untouched Variant = %v, want no version", got)
			}
			if got := listedTokens(t, h.want(200, "GET", variant+"/tokens?version=1", "")); len(strings.Fields(got)) != len(strings.Fields(c.overrides)) {
				t.Errorf("version 1 of the Variant reads %s after the publish of its Theme", got)
			}
		})
	}
}

// under puts a path below the group that the cases are about, but for the path that the Theme never has.
func under(path string) string {
	if path == "no.such" {
		return path
	}
	return "base." + path
}

// S9 S10 S11 S12 S215 S216 S233: an override replaces a value and nothing else; unset gives the Theme's own back, which an empty
// value does not; a path that the Theme lacks is in no file.
func TestOverridesReplaceValuesOnly(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, `[{"operation":"add","path":"/words","value":{"$type":"string","$value":"theme","$description":"D","$extensions":{"x":1}}},{"operation":"add","path":"/alias","value":{"$value":"{words}"}}]`)
	flat := func() string {
		return strings.TrimSuffix(h.want(200, "GET", variant+"/tokens/preview/tokens.flat.json", "").body, "\n")
	}
	for _, c := range []struct{ batch, want string }{
		{`[]`, `{"words":"theme","alias":"theme"}`},
		{`[{"operation":"set","path":"words","value":"mine"},{"operation":"set","path":"no.such","value":"x"},{"operation":"set","path":"words.$type","value":"color"}]`, ""},
		{`[{"operation":"set","path":"words","value":"mine"},{"operation":"set","path":"no.such","value":"x"}]`, `{"words":"mine","alias":"mine"}`},
		{`[{"operation":"set","path":"words","value":""}]`, `{"words":"","alias":""}`},
		{`[{"operation":"unset","path":"words"}]`, `{"words":"theme","alias":"theme"}`},
		{`[{"operation":"set","path":"words","value":"first"},{"operation":"set","path":"words","value":"last"}]`, `{"words":"last","alias":"last"}`},
	} {
		if c.want == "" {
			h.do(owner, "PATCH", variant+"/tokens?etag="+h.draftOf(variant), ops(c.batch)).refuses(t, 400, "validation")
			continue
		}
		h.patch(variant, c.batch)
		if got := flat(); got != c.want {
			t.Errorf("after %s: %s, want %s", c.batch, got, c.want)
		}
	}
	want := `{"words":{"$type":"string","$value":"last","$description":"D","$extensions":{"x":1}},"alias":{"$value":"{words}"}}` + "\n"
	if got := h.want(200, "GET", variant+"/tokens/preview/tokens.dtcg.json", "").body; got != want {
		t.Errorf("tokens.dtcg.json = %s, want the Theme with the Variant's value: %s", got, want)
	}
}

// S8 S211 S212 S213 S214 S219 S224: a Variant's set is flat and carries nothing but paths and values, and its PATCH answers with the whole of it.
func TestOverrideSetsAreFlat(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, `[{"operation":"add","path":"/g","value":{"$type":"color","$description":"G","a":{"$value":"#fff","$description":"A"}}}]`)
	first := h.want(200, "PATCH", variant+"/tokens", ops(`[{"operation":"set","path":"g.a","value":"#000"}]`)).text(t, "etag")
	second := h.want(200, "PATCH", variant+"/tokens?etag="+first, ops(`[{"operation":"set","path":"g.b","value":{"c":[1.0]}},{"operation":"set","path":"g.a","value":"#111"}]`))
	entry := func(path, value string) string {
		return fmt.Sprintf(`{"path":%q,"type":null,"resolvedType":null,"inferred":false,"value":%s,"description":null,"extensions":null}`, path, value)
	}
	etag := second.text(t, "etag")
	want := `{"resource":{"version":null,"latestVersion":null,"publishedAt":null,"etag":"` + etag + `","hasUnpublishedChanges":true,"versions":[],"tokens":[` +
		entry("g.a", `"#111"`) + "," + entry("g.b", `{"c":[1.0]}`) + `],"groups":[]}}`
	if second.body != want || etag == first || second.header.Get("Etag") != `"`+etag+`"` {
		t.Errorf("PATCH = %s\nwant %s", second.body, want)
	}
	if again := h.want(200, "GET", variant+"/tokens", ""); again.body != want {
		t.Errorf("GET = %s\nwant %s", again.body, want)
	}
	if got := h.want(200, "GET", variant, "").object(t); got["tokenCount"] != 2.0 || got["hasUnpublishedChanges"] != true { // S191
		t.Errorf("Variant = %v, want 2 overrides in a draft", got)
	}
	gone := h.want(200, "DELETE", variant+"/tokens?etag="+etag, "").object(t)
	if gone["id"] != lastPart(variant) || gone["tokenCount"] != 0.0 || gone["hasUnpublishedChanges"] != false {
		t.Errorf("DELETE = %v, want the Variant without a draft", gone)
	}
}

// S192 S220 S221 S222 S223 S225: a Variant is published at its Theme's number, once, and again only after its Theme was.
func TestVariantsArePublishedAtTheThemesNumber(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, red)
	set := func(value int) string { return fmt.Sprintf(`[{"operation":"set","path":"red","value":%d}]`, value) }
	h.patch(variant, set(0))
	h.do(owner, "POST", variant+"/tokens/publish", "").refuses(t, 409, "conflict") // decision 5.5: no version of the Theme
	for number := 1; number <= 5; number++ {
		h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
		if number%2 == 0 {
			continue // this one passes the Variant by
		}
		h.patch(variant, set(number))
		published := h.publish(variant).object(t)
		if published["latestVersion"] != float64(number) || published["hasUnpublishedChanges"] != false {
			t.Errorf("publish at %d = %v", number, published)
		}
		h.do(owner, "POST", variant+"/tokens/publish", "").refuses(t, 409, "conflict") // without a draft
		etag := h.patch(variant, set(100+number))
		for range 3 {
			noMessages(t, h.do(owner, "POST", variant+"/tokens/publish", "").refuses(t, 409, "conflict")) // a second time
		}
		if got := h.draftOf(variant); got != etag {
			t.Errorf("refused publishes left the draft %q, want %q", got, etag)
		}
	}
	versions := h.want(200, "GET", variant+"/tokens?includeVersions=true", "").object(t)["versions"]
	if fmt.Sprint(versions) != "[5 3 1]" {
		t.Errorf("versions = %v, want 5 3 1", versions)
	}
	for number, status := range map[int]int{0: 404, 1: 200, 2: 404, 3: 200, 4: 404, 5: 200, 6: 404} {
		r := h.do(owner, "GET", fmt.Sprintf("%s/tokens?version=%d", variant, number), "")
		if r.status != status || status == 200 && listedTokens(t, r) != fmt.Sprintf("red=%d", number) {
			t.Errorf("version %d reads %d %s", number, r.status, short(r.body))
		}
	}
}

// S255, decision 5.8: two creates at once at the allowance's edge never leave more than one Variant too many; here none.
func TestSimultaneousCreatesKeepTheAllowance(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for i := range 9 {
		h.variant(theme, fmt.Sprint("v", i))
	}
	statuses := h.race(2, func(i int) (reply, error) {
		return h.try(owner, "POST", theme+"/variants", fmt.Sprintf(`{"slug":"last%d","displayName":"V"}`, i))
	})
	if statuses[201] != 1 || statuses[402] != 1 {
		t.Errorf("statuses = %v, want one 201 and one 402", statuses)
	}
	if n := h.want(200, "GET", theme+"/variants?includeTotals=true", "").object(t)["totalCount"]; n != 10.0 {
		t.Errorf("%v Variants on plan free, want 10", n)
	}
}
