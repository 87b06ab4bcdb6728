package origin

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/livery/origin/operator"
)

// Decision 8.1: what the files leave out is listed, for the Theme and for what a Variant lays over it.
func TestDiagnosticsListWhatIsLeftOut(t *testing.T) {
	h := newHouse(t)
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
	h := newHouse(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	if got := h.want(200, "GET", theme+"/tokens/diff", "").body; got != `{"from":0,"to":null,"added":[],"removed":[],"renamed":[],"retyped":[],"changed":[],"breaking":false}` {
		t.Errorf("diff of nothing = %s", got)
	}
	h.do(owner, "GET", theme+"/tokens/diff?from=0", "").refuses(t, 404, "notFound") // 0 is no version, also before the first
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":"1px"}},{"operation":"add","path":"/b","value":{"$type":"number","$value":1}},{"operation":"add","path":"/c","value":{"$value":"#fff"}},{"operation":"add","path":"/d","value":{"$value":"2px"}}]`)
	h.publish(theme)
	h.patch(theme, `[{"operation":"move","from":"/a","path":"/z"},{"operation":"replace","path":"/z/$value","value":"9px"},{"operation":"replace","path":"/b/$type","value":"fontWeight"},`+
		`{"operation":"remove","path":"/c"},{"operation":"add","path":"/e","value":{"$value":"#000"}},{"operation":"replace","path":"/d/$value","value":"3px"}]`)
	want := `{"from":1,"to":null,"added":["e"],"removed":["c"],"renamed":[{"from":"a","to":"z"}],"retyped":[{"path":"b","from":"number","to":"fontWeight"}],"changed":["z","d"],"breaking":true}`
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
	if got := h.want(200, "GET", variant+"/tokens/diff?from=1", "").body; got != `{"from":1,"to":null,"added":["c"],"removed":["b"],"renamed":[],"retyped":[],"changed":["d"],"breaking":false}` {
		t.Errorf("diff of the Variant = %s", got)
	}
	for _, path := range []string{theme, variant} {
		for query, status := range map[string]int{"from=x": 400, "to=": 400, "from=01": 400, "from=-1": 400, "from=1&from=1": 400, "from=0": 404, "to=9": 404, "to=99999999999999999999": 404} {
			if r := h.do(owner, "GET", path+"/tokens/diff?"+query, ""); r.status != status {
				t.Errorf("diff?%s = %d %s, want %d", query, r.status, r.body, status)
			}
		}
	}
}

// S66, decision 8.2: a preview renders the drafts, with the prefix that the next publish makes live.
func TestPreviewRendersDrafts(t *testing.T) {
	h := newHouse(t)
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
