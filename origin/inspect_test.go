package origin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/client"
	"example.com/livery/origin/operator"
)

// Decision 8.1: what the files leave out is listed, for the Theme and for what a Variant lays over it.
func TestDiagnosticsListWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":"{no.such}"}},{"operation":"add","path":"/b","value":{"$type":"color","$value":"{b}"}},`+
		`{"operation":"add","path":"/c","value":{"$type":"color","$value":"#fff"}}]`)
	h.patch(variant, `[{"operation":"set","path":"c","value":1},{"operation":"set","path":"d","value":1},{"operation":"set","path":"a","value":"x"}]`)
	kinds := func(path string) string {
		var all []string
		for _, d := range h.want(200, "GET", path+"/tokens/diagnostics", "").object(t)["diagnostics"].([]any) {
			all = append(all, fmt.Sprint(d.(map[string]any)["path"], ":", d.(map[string]any)["kind"]))
		}
		return strings.Join(all, " ")
	}
	if got, want := kinds(theme), "a:aliasMissing b:aliasCycle"; got != want {
		t.Errorf("diagnostics of the Theme = %s, want %s", got, want)
	}
	if got, want := kinds(variant), "b:aliasCycle c:valueMisfit d:overrideIgnored"; got != want {
		t.Errorf("diagnostics of the Variant = %s, want %s", got, want)
	}
	h.do(owner, "PATCH", theme+"/tokens?strict=true", ops(`[{"operation":"add","path":"/e","value":{"$value":"{f}"}}]`), "If-Match", "*").refuses(t, 400, "validation") // decision 4.5
}

// Decision 8.1b: a comparison tells added, removed, renamed, retyped and changed tokens apart.
func TestDiffTellsWhatChanged(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	if got := h.want(200, "GET", theme+"/tokens/diff", "").body; got != `{"from":0,"to":null,"added":[],"removed":[],"renamed":[],"retyped":[],"changed":[],"breaking":false,"described":[],"properties":{"count":0,"added":[],"removed":[],"changed":[],"taken":[]}}` {
		t.Errorf("diff of nothing = %s", got)
	}
	h.do(owner, "GET", theme+"/tokens/diff?from=0", "").refuses(t, 404, "notFound") // 0 is not a version, also before the first
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":"1px"}},{"operation":"add","path":"/b","value":{"$type":"number","$value":1}},{"operation":"add","path":"/c","value":{"$value":"#fff"}},{"operation":"add","path":"/d","value":{"$value":"2px"}}]`)
	h.publish(theme)
	h.patch(theme, `[{"operation":"move","from":"/a","path":"/z"},{"operation":"replace","path":"/z/$value","value":"9px"},{"operation":"replace","path":"/b/$type","value":"fontWeight"},`+
		`{"operation":"remove","path":"/c"},{"operation":"add","path":"/e","value":{"$value":"#000"}},{"operation":"replace","path":"/d/$value","value":"3px"}]`)
	want := `{"from":1,"to":null,"added":["e"],"removed":["c"],"renamed":[{"from":"a","to":"z"}],"retyped":[{"path":"b","from":"number","to":"fontWeight"}],"changed":["z","d"],"breaking":true,` +
		`"described":[],"properties":{"count":5,"added":["--z","--e"],"removed":["--a","--c"],"changed":["--d"],"taken":[]}}`
	for _, query := range []string{"", "?from=1", "?from=1&to=draft"} {
		if got := h.want(200, "GET", theme+"/tokens/diff"+query, "").body; got != want {
			t.Errorf("diff%s = %s\nwant %s", query, got, want)
		}
	}
	if got := h.want(200, "GET", theme+"/tokens/diff?from=1&to=1", "").object(t); got["breaking"] != false || got["from"] != 1.0 || got["to"] != 1.0 {
		t.Errorf("diff of one version with itself = %v", got)
	}
	h.patch(variant, `[{"operation":"set","path":"b","value":2},{"operation":"set","path":"d","value":"x"}]`)
	h.publish(variant)
	h.patch(variant, `[{"operation":"unset","path":"b"},{"operation":"set","path":"d","value":"y"},{"operation":"set","path":"c","value":"w"}]`)
	want = `{"from":1,"to":null,"added":["c"],"removed":["b"],"renamed":[],"retyped":[],"changed":["d"],"breaking":false,` +
		`"described":[],"properties":{"count":1,"added":[],"removed":[],"changed":["--b"],"taken":[]}}` // c and d do not fit
	if got := h.want(200, "GET", variant+"/tokens/diff?from=1", "").body; got != want {
		t.Errorf("diff of the Variant = %s\nwant %s", got, want)
	}
	for _, path := range []string{theme, variant} {
		for query, status := range map[string]int{"from=x": 400, "to=": 400, "from=01": 400, "from=-1": 400, "from=1&from=1": 400, "from=0": 404, "to=9": 404, "to=99999999999999999999": 404} {
			if r := h.do(owner, "GET", path+"/tokens/diff?"+query, ""); r.status != status {
				t.Errorf("diff?%s = %d %s, want %d", query, r.status, r.body, status)
			}
		}
	}
}

// Decision 8.1b: a comparison over several versions follows each rename from one publish to the next, there and back, whether
// it was a move or was found by its content, which is marked; what was removed and what was added later are not rename.
func TestDiffFollowsRenamesOverVersions(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for _, batch := range []string{
		`[{"operation":"add","path":"/g","value":{"$type":"number","a":{"$value":1},"b":{"$value":2},"x":{"$value":8},"y":{"$value":9}}},{"operation":"add","path":"/c","value":{"$value":3}},{"operation":"add","path":"/gone","value":{"$value":4}}]`,
		`[{"operation":"move","from":"/g","path":"/h"},{"operation":"remove","path":"/gone"},{"operation":"remove","path":"/c"},{"operation":"add","path":"/d","value":{"$value":3}}]`,
		`[{"operation":"move","from":"/h/a","path":"/a"},{"operation":"replace","path":"/a/$value","value":7},{"operation":"add","path":"/later","value":{"$value":4}},` +
			`{"operation":"move","from":"/h/x","path":"/h/z"},{"operation":"move","from":"/h/y","path":"/h/x"},{"operation":"move","from":"/h/z","path":"/h/y"},` +
			`{"operation":"remove","path":"/d"},{"operation":"add","path":"/e","value":{"$value":3}}]`,
	} {
		h.patch(theme, batch)
		h.publish(theme)
	}
	h.patch(theme, `[{"operation":"move","from":"/h","path":"/i"},{"operation":"remove","path":"/e"},{"operation":"add","path":"/f","value":{"$value":3}}]`)
	for query, want := range map[string]string{
		"from=1&to=2":     "+[] -[gone] >[map[from:g.a to:h.a] map[from:g.b to:h.b] map[from:g.x to:h.x] map[from:g.y to:h.y] map[from:c inferred:true to:d]]",
		"from=2&to=3":     "+[later] -[] >[map[from:h.a to:a] map[from:h.x to:h.y] map[from:h.y to:h.x] map[from:d inferred:true to:e]]",
		"from=1&to=3":     "+[later] -[gone] >[map[from:g.a to:a] map[from:g.b to:h.b] map[from:g.x to:h.y] map[from:g.y to:h.x] map[from:c inferred:true to:e]]",
		"from=3&to=1":     "+[gone] -[later] >[map[from:h.b to:g.b] map[from:h.y to:g.x] map[from:h.x to:g.y] map[from:a to:g.a] map[from:e inferred:true to:c]]",
		"from=1":          "+[later] -[gone] >[map[from:g.a to:a] map[from:g.b to:i.b] map[from:g.x to:i.y] map[from:g.y to:i.x] map[from:c inferred:true to:f]]",
		"from=draft&to=2": "+[] -[later] >[map[from:i.b to:h.b] map[from:i.y to:h.x] map[from:i.x to:h.y] map[from:a to:h.a] map[from:f inferred:true to:d]]",
	} {
		got := h.want(200, "GET", theme+"/tokens/diff?"+query, "").object(t)
		if spelled := fmt.Sprintf("+%v -%v >%v", got["added"], got["removed"], got["renamed"]); spelled != want {
			t.Errorf("diff?%s = %s\nwant %s", query, spelled, want)
		}
	}
}

// Decision 4.8: a publish with renames=moves pairs nothing by content; without it the answer and the difference name each pair.
func TestPublishNamesInferredRenames(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	const (
		first  = `[{"operation":"add","path":"/radius","value":{"card":{"$value":"12px"}}},{"operation":"add","path":"/old","value":{"$value":1}}]`
		second = `[{"operation":"remove","path":"/radius/card"},{"operation":"add","path":"/space","value":{"button":{"$value":"12px"}}},{"operation":"move","from":"/old","path":"/new"}]`
	)
	for query, want := range map[string]struct{ inferred, overrides, diff string }{
		"": {
			`[{"from":"radius.card","to":"space.button","inferred":true}]`, "map[new:5 space.button:3px]",
			`[{"from":"radius.card","to":"space.button","inferred":true},{"from":"old","to":"new"}]`,
		},
		"?renames=content": {
			`[{"from":"radius.card","to":"space.button","inferred":true}]`, "map[new:5 space.button:3px]",
			`[{"from":"radius.card","to":"space.button","inferred":true},{"from":"old","to":"new"}]`,
		},
		"?renames=moves": {"", "map[new:5]", `[{"from":"old","to":"new"}]`},
	} {
		theme := h.theme("brand" + strings.NewReplacer("?", "-", "=", "-").Replace(query))
		h.patch(theme, first)
		h.publish(theme)
		variant := h.variant(theme, "v")
		h.patch(variant, `[{"operation":"set","path":"radius.card","value":"3px"},{"operation":"set","path":"old","value":5}]`)
		h.patch(theme, second)
		if diff := h.want(200, "GET", theme+"/tokens/diff", "").body; !strings.Contains(diff, `"renamed":[{"from":"radius.card","to":"space.button","inferred":true},{"from":"old","to":"new"}]`) {
			t.Errorf("diff of the draft = %s, want the inferred rename marked", diff)
		}
		published := h.want(200, "POST", theme+"/tokens/publish"+query, "")
		rest, inferred, _ := strings.Cut(published.body, `,"inferredRenames":`)
		if strings.TrimSuffix(inferred, "}") != want.inferred {
			t.Errorf("publish%s names %s, want %s", query, inferred, want.inferred)
		}
		shown := h.want(200, "GET", theme, "")
		if shown.header.Get("ETag") != published.header.Get("ETag") || strings.TrimSuffix(shown.body, "}") != strings.TrimSuffix(rest, "}") {
			t.Errorf("publish%s = %s %s, want the Theme beside inferredRenames: %s %s", query, published.header.Get("ETag"), published.body, shown.header.Get("ETag"), shown.body)
		}
		var set struct {
			Resource struct {
				Tokens []struct {
					Path  string
					Value any
				}
			}
		}
		if err := json.Unmarshal([]byte(h.want(200, "GET", variant+"/tokens", "").body), &set); err != nil {
			t.Fatal(err)
		}
		overrides := map[string]any{}
		for _, token := range set.Resource.Tokens {
			overrides[token.Path] = token.Value
		}
		if got := fmt.Sprint(overrides); got != want.overrides {
			t.Errorf("publish%s leaves the overrides %s, want %s", query, got, want.overrides)
		}
		if diff := h.want(200, "GET", theme+"/tokens/diff?from=1&to=2", "").body; !strings.Contains(diff, `"renamed":`+want.diff) {
			t.Errorf("publish%s: diff of the versions = %s, want renamed %s", query, diff, want.diff)
		}
		// A draft that goes back remembers the pair as its own move.
		h.want(200, "POST", theme+"/tokens/restore?version=1", "")
		if again := h.want(200, "POST", theme+"/tokens/publish?renames=moves", ""); strings.Contains(again.body, "inferredRenames") {
			t.Errorf("the publish of a restored version names %s", again.body)
		}
	}
	h.do(owner, "POST", h.theme("other")+"/tokens/publish?renames=none", "").refuses(t, 400, "payload")
}

// Decision 8.1b: a comparison counts and lists what pages get, and not only what was edited.
func TestDiffListsCustomProperties(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	operations := `{"operation":"add","path":"/red","value":{"$type":"color","$value":"#ff0000"}}`
	for i := range 39 {
		operations += fmt.Sprintf(`,{"operation":"add","path":"/t-%d","value":{"$value":"{red}"}}`, i)
	}
	h.patch(theme, "["+operations+"]")
	h.publish(theme)
	diff := func(path string) (d client.Comparison) {
		t.Helper()
		if err := json.Unmarshal([]byte(h.want(200, "GET", path+"/tokens/diff", "").body), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	discard := func() { h.want(200, "DELETE", theme+"/tokens", "", "If-Match", "*") }
	h.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#ee0000"}]`)
	if d := diff(theme); len(d.Changed) != 1 || d.Properties.Count != 40 || len(d.Properties.Changed) != 40 || d.Breaking {
		t.Errorf("one value that 39 aliases follow = %+v, want 40 properties", d)
	}
	discard()
	h.patch(theme, `[{"operation":"add","path":"/red/$description","value":"Danger"}]`)
	if d := diff(theme); d.Properties.Count != 0 || len(d.Changed) != 0 || !slices.Equal(d.Described, []string{"red"}) || d.Breaking {
		t.Errorf("a description = %+v, want no change of a value", d)
	}
	discard()
	h.patch(theme, `[{"operation":"add","path":"/t","value":{"0":{"$value":"1px"}}}]`)
	if d := diff(theme); !slices.Equal(d.Properties.Taken, []string{"--t-0"}) || d.Properties.Count != 1 || !d.Breaking {
		t.Errorf("a new token with the custom property of another = %+v, want breaking", d)
	}
	h.patch(variant, `[{"operation":"set","path":"red","value":"#0000ff"}]`)
	if d := diff(variant); len(d.Added) != 1 || d.Properties.Count != 40 || d.Breaking {
		t.Errorf("one override that 39 aliases follow = %+v, want 40 properties", d)
	}
	h.patch(variant, `[{"operation":"set","path":"red","value":"{nothing}"}]`)
	if d := diff(variant); len(d.Properties.Removed) != 40 || !d.Breaking {
		t.Errorf("an override that no file can hold = %+v, want 40 properties removed", d)
	}
}

// Decisions 8.1b and 8.4: another prefix gives every custom property another name, from the moment that it is set for the next
// publish; a token that moves to where its property keeps the name breaks no consumer.
func TestDiffSeesTheNamesOfProperties(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	breaks := func(query string, want bool) {
		t.Helper()
		got := h.want(200, "GET", theme+"/tokens/diff?"+query, "").object(t)
		if got["breaking"] != want || len(got["removed"].([]any))+len(got["changed"].([]any)) > 0 {
			t.Errorf("diff?%s = %v, want breaking %t and nothing removed or changed", query, got, want)
		}
	}
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$root":{"$type":"number","$value":1}}}]`)
	h.publish(theme)
	h.patch(theme, `[{"operation":"move","from":"/a/$root","path":"/r"},{"operation":"remove","path":"/a"},{"operation":"move","from":"/r","path":"/a"}]`)
	breaks("", false)
	h.publish(theme)
	breaks("from=1&to=2", false)
	if _, err := operator.SetServing(context.Background(), h.store, theme[strings.LastIndex(theme, "/")+1:], operator.ServingUpdate{Prefix: ptr("p")}, h.clock.Now()); err != nil {
		t.Fatal(err)
	}
	breaks("", true)
	breaks("from=2&to=2", false)
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	breaks("", false)
	breaks("from=2&to=3", true)
	breaks("from=3&to=1", true)
}

// A preview of a version renders what its address serves for ever, in its modes; one of the draft follows the drafts of modes.
func TestPreviewRendersVersionsAndModes(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	brand, dark := h.variant(theme, "brand"), h.variant(theme, "dark")
	h.patch(theme, red)
	h.patch(dark, `[{"operation":"set","path":"red","value":"#000000"}]`)
	h.want(200, "PUT", theme+"/modes", darkModes(dark))
	h.publish(theme)
	h.publish(dark)
	h.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#ff1111"}]`)
	h.patch(brand, `[{"operation":"set","path":"red","value":"#00ff00"}]`)
	h.patch(dark, `[{"operation":"set","path":"red","value":"#111111"}]`)
	for address, want := range map[string]string{
		theme + "/tokens/preview/tokens.flat.json":                             "#ff1111",
		theme + "/tokens/preview/tokens.flat.json?version=draft":               "#ff1111",
		theme + "/tokens/preview/tokens.flat.json?version=1":                   "#ff0000",
		theme + "/tokens/preview/tokens.flat.json?modes=scheme.dark":           "#111111",
		theme + "/tokens/preview/tokens.flat.json?modes=scheme.light":          "#ff1111",
		theme + "/tokens/preview/tokens.flat.json?version=1&modes=scheme.dark": "#000000",
		brand + "/tokens/preview/tokens.flat.json":                             "#00ff00",
		brand + "/tokens/preview/tokens.flat.json?modes=scheme.light":          "#00ff00",
		brand + "/tokens/preview/tokens.flat.json?modes=scheme.dark":           "#111111",
		brand + "/tokens/preview/tokens.flat.json?version=1":                   "#ff0000",
		dark + "/tokens/preview/tokens.flat.json?version=1":                    "#000000",
	} {
		if got := h.want(200, "GET", address, "").body; got != `{"red":"`+want+`"}`+"\n" {
			t.Errorf("%s = %s, want %s", address, got, want)
		}
	}
	for query, cause := range map[string]int{"version=2": 404, "version=0": 404, "modes=scheme.blue": 404, "modes=blue": 404, "modes=scheme,scheme": 404, "modes=scheme&version=2": 404, "version=x": 400, "version=": 400} {
		h.want(cause, "GET", theme+"/tokens/preview/tokens.css?"+query, "")
	}
	h.want(404, "GET", theme+"/tokens/preview/tokens.flat.json?modes=scheme", "")
	for query, want := range map[string]string{"modes=scheme": "#111111", "modes=scheme&version=1": "#000000"} {
		if got := h.want(200, "GET", theme+"/tokens/preview/tokens.css?"+query, "").body; !strings.Contains(got, want) || !strings.Contains(got, "(prefers-color-scheme: dark)") {
			t.Errorf("the stylesheet of %s = %s, want %s in it", query, got, want)
		}
	}
}

// S66, decision 8.2: a preview renders the drafts, with the prefix that the next publish makes live.
func TestPreviewRendersDrafts(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.patch(theme, red)
	h.patch(variant, `[{"operation":"set","path":"red","value":"#000000"}]`)
	css := h.want(200, "GET", theme+"/tokens/preview/tokens.css", "")
	if !strings.Contains(css.body, "--red: #ff0000;") || css.header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("tokens.css = %v %s", css.header, css.body)
	}
	id := theme[strings.LastIndex(theme, "/")+1:]
	if _, err := operator.SetServing(context.Background(), h.store, id, operator.ServingUpdate{Prefix: ptr("p")}, h.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if got := h.want(200, "GET", variant+"/tokens/preview/tokens.css", "").body; !strings.Contains(got, "--p-red: #000000;") {
		t.Errorf("tokens.css of the Variant = %s", got)
	}
	if got := h.want(200, "GET", variant+"/tokens/preview/tokens.dtcg.json", ""); got.body != `{"red":{"$type":"color","$value":"#000000"}}`+"\n" || got.header.Get("Content-Type") != "application/design-tokens+json" {
		t.Errorf("tokens.dtcg.json = %v %s", got.header, got.body)
	}
	if got := h.want(200, "GET", theme+"/tokens/preview/tokens.flat.json", ""); got.body != `{"red":"#ff0000"}`+"\n" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("tokens.flat.json = %v %s", got.header, got.body)
	}
	for _, file := range []string{"tokens.scss", "tokens.css%00", "TOKENS.CSS", "x"} {
		h.do(owner, "GET", theme+"/tokens/preview/"+file, "").refuses(t, 404, "notFound")
	}
}
