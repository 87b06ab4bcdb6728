package origin_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
	"example.com/livery/origin/api"
)

// ops wraps a batch.
func ops(list string) string { return `{"operations":` + list + `}` }

// S6 S7 S21 S22 S29 S130 S133 S134 S135 S136 S138 S139 S141 S142 S143 S144 S145 S146 S147 S148 S149 S150 S151 S153:
// a token read shows the document as it was written.
func TestThemeTokensAreReadAsWritten(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	empty := h.want(200, "GET", theme+"/tokens", "")
	const nothing = `{"resource":{"version":null,"latestVersion":null,"publishedAt":null,"etag":null,"hasUnpublishedChanges":false,"versions":[],"tokens":[],"groups":[]}}`
	if empty.body != nothing || !strings.HasPrefix(empty.header.Get("Etag"), "W/") {
		t.Errorf("tokens of a new Theme = %s", empty.body)
	}
	const document = `{"$type":"dimension","$description":"sizes","z":{"$value":"1px"},"a":{"$type":"number","b":{"$value":0.10},` +
		`"c":{"$type":"color","$value":{"colorSpace":"srgb","components":[1,0,0],"hex":"#ff0000"},"$description":"C","$extensions":{"x":[1.0]}}},` +
		`"plain":{"alias":{"$value":"{a.c}"}}}`
	batch := ops(`[{"operation":"add","path":"/size","value":` + document + `},{"operation":"add","path":"/bare","value":{"$value":"#00f"}},` +
		`{"operation":"add","path":"/other","value":{"$ref":"#/size","$extends":"{size}"}},{"operation":"add","path":"/big","value":{"$value":12345678901234567890}}]`)
	r := h.want(200, "PATCH", theme+"/tokens", batch)
	etag := r.text(t, "etag")
	want := `{"resource":{"version":null,"latestVersion":null,"publishedAt":null,"etag":"` + etag + `","hasUnpublishedChanges":true,"versions":[],"tokens":[` +
		`{"path":"size.z","type":null,"resolvedType":"dimension","inferred":false,"value":"1px","description":null,"extensions":null},` +
		`{"path":"size.a.b","type":null,"resolvedType":"number","inferred":false,"value":0.10,"description":null,"extensions":null},` +
		`{"path":"size.a.c","type":"color","resolvedType":"color","inferred":false,"value":{"colorSpace":"srgb","components":[1,0,0],"hex":"#ff0000"},"description":"C","extensions":{"x":[1.0]}},` +
		`{"path":"size.plain.alias","type":null,"resolvedType":"dimension","inferred":false,"value":"{a.c}","description":null,"extensions":null},` +
		`{"path":"bare","type":null,"resolvedType":"color","inferred":true,"value":"#00f","description":null,"extensions":null},` +
		`{"path":"big","type":null,"resolvedType":"number","inferred":true,"value":12345678901234567890,"description":null,"extensions":null}],` +
		`"groups":[{"path":"size","type":"dimension","description":"sizes"},{"path":"size.a","type":"number","description":null}]}}`
	got := strings.Replace(r.body, `{"path":"other","type":null,"description":null}`, "", 1)
	if strings.Replace(got, "},]", "}]", 1) != want {
		t.Errorf("PATCH = %s\nwant    %s", r.body, want)
	}
	if again := h.want(200, "GET", theme+"/tokens", ""); again.body != r.body || again.header.Get("Etag") != `"`+etag+`"` {
		t.Errorf("GET = %s with ETag %s, want what PATCH answered", again.body, again.header.Get("Etag"))
	}
	if len(etag) != 26 {
		t.Errorf("etag = %q, want 26 characters", etag)
	}
}

// S157 S158 S159 S160 S161 S162 S218 S246 A20-A24 A26 A29 A32-A36 A41: what is not a batch is refused, with every fault named, and nothing changes.
func TestBatchesAreStrict(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	etag := h.patch(theme, `[{"operation":"add","path":"/list","value":{"$value":[1]}}]`)
	variant := h.variant(theme, "dark")
	add := func(value string) string { return ops(`[{"operation":"add","path":"/x","value":` + value + `}]`) }
	many := strings.TrimSuffix(strings.Repeat(`{"operation":"remove","path":"/x"},`, 10_001), ",")
	for _, c := range []struct {
		name, body, cause string
		messages          int // 0 means any number but none
	}{
		{"A20 cut", `{`, "payload", 1},
		{"A21 empty", ``, "payload", 1},
		{"A22 a name twice", `{"operations":[],"operations":[]}`, "payload", 1},
		{"A22 a name twice, escaped", add(`{"a":1,"\u0061":2}`), "payload", 1},
		{"A23 invalid UTF-8", add("\"\xff\""), "payload", 1},
		{"A23 lone surrogate", add(`"\ud800"`), "payload", 1},
		{"A23 byte order mark", "\ufeff" + add(`1`), "payload", 1},
		{"A23 zero byte", add("\"\x00\""), "payload", 1},
		{"A24 NaN", add(`NaN`), "payload", 1},
		{"A24 leading zero", add(`01`), "payload", 1},
		{"A24 plus", add(`+1`), "payload", 1},
		{"A24 point without digits", add(`1.`), "payload", 1},
		{"A24 comment", add(`1/*x*/`), "payload", 1},
		{"A24 trailing comma", `{"operations":[],}`, "payload", 1},
		{"A24 two documents", `{"operations":[]}{}`, "payload", 1},
		{"A25 many brackets", strings.Repeat("[", 100_000), "validation", 1},
		{"A26 nesting of 65", add(`{"$value":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`), "validation", 0},
		{"A29 too many operations", ops("[" + many + "]"), "validation", 1},
		{"no operations", `{}`, "validation", 1},
		{"operations are no list", `{"operations":{}}`, "validation", 1},
		{"an operation is no object", ops(`[1,null]`), "validation", 2},
		{"S162 test", ops(`[{"operation":"test","path":"/x","value":1}]`), "validation", 1},
		{"S218 set", ops(`[{"operation":"set","path":"x","value":1}]`), "validation", 1},
		{"every fault of every operation", ops(`[{"operation":"add","path":1,"from":"/y"},{"operation":"remove","path":"/x","value":1,"from":"/y"},{"operation":"move","path":"/x","value":1}]`), "validation", 7},
		{"A33 move into its own child", ops(`[{"operation":"move","from":"/list","path":"/list/a"}]`), "validation", 0},
		{"A34 the whole document", ops(`[{"operation":"replace","path":"","value":{}}]`), "validation", 0},
		{"A34 no pointer", ops(`[{"operation":"remove","path":"list"}]`), "validation", 0},
		{"A34 bad escape", ops(`[{"operation":"remove","path":"/~2"}]`), "validation", 0},
		{"A34 open escape", ops(`[{"operation":"remove","path":"/a~"}]`), "validation", 0},
		{"A35 index with a zero", ops(`[{"operation":"remove","path":"/list/$value/00"}]`), "validation", 0},
		{"A35 negative index", ops(`[{"operation":"remove","path":"/list/$value/-1"}]`), "validation", 0},
		{"A35 past the end", ops(`[{"operation":"remove","path":"/list/$value/-"}]`), "validation", 0},
		{"A36 point in a name", ops(`[{"operation":"add","path":"/a.b","value":{"$value":1}}]`), "validation", 0},
		{"A36 brace in a name", ops(`[{"operation":"add","path":"/{x}","value":{"$value":1}}]`), "validation", 0},
		{"A36 empty name", ops(`[{"operation":"add","path":"/","value":{"$value":1}}]`), "validation", 0},
		{"unknown type", add(`{"$type":"colour","$value":"#fff"}`), "validation", 0},
		{"missing parent", ops(`[{"operation":"add","path":"/no/such","value":{"$value":1}}]`), "validation", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := h.do(owner, "PATCH", theme+"/tokens?etag="+etag, c.body).refuses(t, 400, c.cause)
			if len(e.Messages) == 0 || c.messages > 0 && len(e.Messages) != c.messages {
				t.Errorf("messages = %q, want %d", e.Messages, c.messages)
			}
		})
	}
	e := h.do(owner, "PATCH", theme+"/tokens?etag="+etag, `{"operations": nope}`).refuses(t, 400, "payload")
	if !strings.Contains(e.Messages[0], "byte 15") {
		t.Errorf("messages = %q, want the offset 15", e.Messages)
	}
	h.do(owner, "PATCH", theme+"/tokens", "\x1f\x8b\x08", "Content-Encoding", "gzip").refuses(t, 400, "payload")
	h.do(owner, "PATCH", theme+"/tokens", ops("[]"), "Content-Encoding", "gzip").refuses(t, 400, "payload")
	for _, query := range []string{"strict=1", "etag=a&etag=a"} {
		h.do(owner, "PATCH", theme+"/tokens?"+query, ops("[]")).refuses(t, 400, "payload")
	}
	for _, operation := range []string{"add", "replace", "remove", "move", "copy"} {
		h.do(owner, "PATCH", variant+"/tokens", ops(`[{"operation":"`+operation+`","path":"x","value":1,"from":"y"}]`)).refuses(t, 400, "validation")
	}
	for _, bad := range []string{`{"operation":"set","path":"x"}`, `{"operation":"unset","path":"x","value":1}`, `{"operation":"set","path":"/x","value":1}`, `{"operation":"set","path":"a..b","value":1}`} {
		h.do(owner, "PATCH", variant+"/tokens", ops("["+bad+"]")).refuses(t, 400, "validation")
	}
	if got := h.want(200, "GET", theme+"/tokens", "").text(t, "etag"); got != etag {
		t.Errorf("refused batches changed the draft")
	}
	for _, query := range []string{"version=-0", "version=01", "version=1.0", "version=x", "version=", "includeVersions=1"} {
		h.do(owner, "GET", theme+"/tokens?"+query, "").refuses(t, 400, "payload")
	}
	for _, query := range []string{"version=0", "version=1", "version=-1", "version=4294967297", "version=99999999999999999999"} {
		h.do(owner, "GET", theme+"/tokens?"+query, "").refuses(t, 404, "notFound")
	}
}

// A27 A28 A30: hostile sizes cost little: numbers are text, copies are counted before they are made, adds are linear.
func TestHostileBatchesAreBounded(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	r := h.want(200, "PATCH", theme+"/tokens", ops(`[{"operation":"add","path":"/n","value":{"$type":"number","$value":1e999999999}}]`))
	if !strings.Contains(r.body, `"value":1e999999999`) {
		t.Errorf("number = %s, want it as written", short(r.body))
	}
	bomb := `{"operation":"add","path":"/b","value":{"x":{"$value":"` + strings.Repeat("a", 1000) + `"}}}`
	for i := range 30 {
		bomb += fmt.Sprintf(`,{"operation":"copy","from":"/b","path":"/b/c%d"}`, i)
	}
	h.do(owner, "PATCH", theme+"/tokens", ops("["+bomb+"]"), "If-Match", r.header.Get("Etag")).refuses(t, 400, "validation")
	var adds []string
	for i := range 10_000 {
		adds = append(adds, fmt.Sprintf(`{"operation":"add","path":"/g/t%d","value":{"$value":%d}}`, i, i))
	}
	r = h.want(200, "PATCH", theme+"/tokens", ops(`[{"operation":"add","path":"/g","value":{"$type":"number"}}]`), "If-Match", "*")
	h.want(200, "PATCH", theme+"/tokens", ops("["+strings.Join(adds, ",")+"]"), "If-Match", r.header.Get("Etag"))
	if n := h.want(200, "GET", theme, "").object(t)["tokenCount"]; n != 10_001.0 {
		t.Errorf("tokenCount = %v, want 10001", n)
	}
}

// S136 S137 S165 S166 S167 S170 S171 S172 S173 S174: the draft's etag guards it, in the query and in If-Match.
func TestDraftsAreGuardedByTheirETag(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	tokens := theme + "/tokens"
	first := h.want(200, "PATCH", tokens+"?etag=null", ops(red)).text(t, "etag")
	green := ops(`[{"operation":"replace","path":"/red/$value","value":"#00ff00"}]`)
	for _, c := range []struct {
		name, method, query string
		header              []string
		status              int
		cause               string
	}{
		{"PATCH that saw none", "PATCH", "", nil, 409, "conflict"},
		{"PATCH with an empty etag", "PATCH", "?etag=", nil, 409, "conflict"},
		{"PATCH with a stale etag", "PATCH", "?etag=stale", nil, 409, "conflict"},
		{"PATCH with a stale If-Match", "PATCH", "", []string{"If-Match", `"stale"`}, 412, "conflict"},
		{"PATCH with a weak If-Match", "PATCH", "", []string{"If-Match", `W/"` + first + `"`}, 412, "conflict"},
		{"PATCH with two different", "PATCH", "?etag=" + first, []string{"If-Match", `"stale"`}, 400, "payload"},
		{"PATCH with If-Match without quotes", "PATCH", "", []string{"If-Match", first}, 400, "payload"},
		{"DELETE that saw none", "DELETE", "", nil, 409, "conflict"},
		{"DELETE with a stale etag", "DELETE", "?etag=stale", nil, 409, "conflict"},
		{"DELETE with a stale If-Match", "DELETE", "", []string{"If-Match", `"stale"`}, 412, "conflict"},
		{"publish with a stale If-Match", "POST", "", []string{"If-Match", `"stale"`}, 412, "conflict"},
	} {
		path := tokens + c.query
		if c.method == "POST" {
			path = tokens + "/publish"
		}
		r := h.do(owner, c.method, path, green, c.header...)
		if e := r.refuses(t, c.status, c.cause); c.cause == "conflict" {
			noMessages(t, e)
		}
	}
	h.want(200, "PUT", theme, `{"slug":"other","displayName":"Other","metadata":{"a":"b"}}`)
	if got := h.want(200, "GET", tokens, "").text(t, "etag"); got != first {
		t.Fatalf("etag = %q after refusals and a PUT, want %q", got, first)
	}
	if got := h.want(200, "PATCH", tokens+"?etag="+first, ops(`[{"operation":"replace","path":"/red/$value","value":"#ff0000"}]`)).text(t, "etag"); got != first {
		t.Errorf("a batch that changes nothing made the etag %q, want %q", got, first)
	}
	second := h.want(200, "PATCH", tokens, green, "If-Match", `"`+first+`"`).text(t, "etag")
	third := h.want(200, "PATCH", tokens+"?etag="+second, ops(`[{"operation":"replace","path":"/red/$value","value":"#0000ff"}]`), "If-Match", "*").text(t, "etag")
	if first == second || second == third {
		t.Errorf("etags = %q %q %q, want a new one for each change", first, second, third)
	}
	gone := h.want(200, "DELETE", tokens+"?etag="+third, "")
	if gone.object(t)["hasUnpublishedChanges"] != false || gone.object(t)["tokenCount"] != 0.0 {
		t.Errorf("DELETE = %s, want the Theme without a draft", gone.body)
	}
	h.want(200, "DELETE", tokens, "")                                                    // decision 3.3
	h.do(owner, "DELETE", tokens+"?etag="+third, "").refuses(t, 409, "conflict")         // it is gone
	h.do(owner, "DELETE", tokens, "", "If-Match", "*").refuses(t, 412, "conflict")       // any draft, but there is none
	h.do(owner, "POST", tokens+"/publish", "").refuses(t, 409, "conflict")               // decision 4.9
	if again := h.want(200, "PATCH", tokens, ops(red)).text(t, "etag"); again == first { // decision 3.4
		t.Errorf("etag %q came back after a discard", again)
	}
	h.publish(theme)
	edited := h.want(200, "PATCH", tokens, green).text(t, "etag")
	if got := h.want(200, "PATCH", tokens+"?etag="+edited, ops(`[{"operation":"replace","path":"/red/$value","value":"#ff0000"}]`)).object(t); got["etag"] != nil || got["hasUnpublishedChanges"] != false {
		t.Errorf("an edit that reverts itself left %v", got)
	}
}

// S13 S14 S52 S53 S54 S55 S71 S72 S73 S75 S131 S132 S140 S154 S176 S177 S178 S179 S187 S188: a publish freezes the draft as the next number.
func TestPublishFreezesTheDraft(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	first := h.publish(theme).object(t)
	if first["latestVersion"] != 1.0 || first["hasUnpublishedChanges"] != false || first["tokenCount"] != 1.0 || first["publishedAt"] == nil {
		t.Errorf("publish = %v", first)
	}
	urls := first["servingUrls"].(map[string]any)
	id := first["id"].(string)
	wantPinned := []any{map[string]any{"file": "tokens.css", "url": testCDNURL + "/" + h.sandbox + "/" + id + "/-/1/tokens.css"}}
	if urls["version"] != 1.0 || !reflect.DeepEqual(urls["pinned"], wantPinned) {
		t.Errorf("servingUrls = %v, want pinned at 1", urls)
	}
	before := h.want(200, "GET", theme+"/tokens?version=1", "")
	h.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#aa0000"}]`)
	h.publish(theme)
	h.patch(theme, `[{"operation":"remove","path":"/red"}]`)
	after := h.want(200, "GET", theme+"/tokens?version=1&includeVersions=true", "").object(t)
	if !reflect.DeepEqual(after["tokens"], before.object(t)["tokens"]) || after["publishedAt"] != before.object(t)["publishedAt"] {
		t.Errorf("version 1 reads %v, want %s", after, before.body)
	}
	if after["version"] != 1.0 || after["etag"] != nil || after["latestVersion"] != 2.0 || fmt.Sprint(after["versions"]) != "[2 1]" || after["hasUnpublishedChanges"] != true {
		t.Errorf("version 1 reads %v", after)
	}
	if current := h.want(200, "GET", theme+"/tokens", "").object(t); len(current["tokens"].([]any)) != 0 || current["version"] != nil {
		t.Errorf("current document reads %v, want the draft", current)
	}
	h.want(200, "DELETE", theme+"/tokens?etag="+h.want(200, "GET", theme+"/tokens", "").text(t, "etag"), "")
	h.do(owner, "POST", theme+"/tokens/publish", "").refuses(t, 409, "conflict")
	if got := h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "").object(t)["latestVersion"]; got != 3.0 {
		t.Errorf("publish?unchanged=true = %v, want version 3", got)
	}
	h.do(owner, "POST", theme+"/tokens/publish?unchanged=yes", "").refuses(t, 400, "payload")
}

// S8 S180 S184 S185 S186 S191 S192 S195 S210 S211 S212 S213 S214 S215 S217 S219 S220 S221 S222 S223 S224 S225 S226: Variants follow their Theme by draft and are published apart.
func TestVariantsFollowTheirTheme(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	h.do(owner, "POST", variant+"/tokens/publish", "").refuses(t, 409, "conflict") // no version of the Theme
	h.patch(theme, `[{"operation":"add","path":"/c","value":{"$type":"color","a~b/c":{"$value":"#111111"},"old":{"$value":"#222222"},"gone":{"$value":"#333333"}}}]`)
	for range 3 {
		h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	}
	etag := h.want(200, "GET", variant+"/tokens", "").text(t, "etag")
	r := h.want(200, "PATCH", variant+"/tokens?etag="+etag, ops(`[{"operation":"set","path":"c.a~b/c","value":"#a"},{"operation":"set","path":"c.old","value":""},`+
		`{"operation":"set","path":"c.gone","value":null},{"operation":"set","path":"no.such","value":1},{"operation":"set","path":"x","value":2},{"operation":"unset","path":"x"}]`))
	want := `"tokens":[`
	for i, pair := range [][2]string{{"c.a~b/c", `"#a"`}, {"c.old", `""`}, {"c.gone", "null"}, {"no.such", "1"}} {
		if i > 0 {
			want += ","
		}
		want += fmt.Sprintf(`{"path":%q,"type":null,"resolvedType":null,"inferred":false,"value":%s,"description":null,"extensions":null}`, pair[0], pair[1])
	}
	if !strings.Contains(r.body, want+`],"groups":[]`) {
		t.Errorf("PATCH = %s\nwant %s", r.body, want)
	}
	if got := h.want(200, "GET", variant, "").object(t); got["tokenCount"] != 4.0 || got["latestVersion"] != nil {
		t.Errorf("Variant = %v, want 4 overrides and no version", got)
	}
	published := h.publish(variant).object(t)
	if published["latestVersion"] != 3.0 || published["hasUnpublishedChanges"] != false || published["publishedAt"] == nil {
		t.Errorf("publish = %v, want the Theme's version 3", published)
	}
	h.patch(variant, `[{"operation":"set","path":"c.old","value":"#b"}]`)
	for range 2 { // S221 S222: retrying never clears it, and the draft stays
		h.do(owner, "POST", variant+"/tokens/publish", "").refuses(t, 409, "conflict")
	}
	h.patch(theme, `[{"operation":"move","from":"/c/old","path":"/c/new"},{"operation":"remove","path":"/c/gone"}]`)
	h.publish(theme)
	migrated := h.want(200, "GET", variant+"/tokens?includeVersions=true", "").object(t)
	var paths []string
	for _, token := range migrated["tokens"].([]any) {
		paths = append(paths, fmt.Sprint(token.(map[string]any)["path"], "=", token.(map[string]any)["value"]))
	}
	if fmt.Sprint(paths) != "[c.a~b/c=#a c.new=#b no.such=1]" || migrated["hasUnpublishedChanges"] != true || fmt.Sprint(migrated["versions"]) != "[3]" {
		t.Errorf("after the publish the Variant reads %v, versions %v", paths, migrated["versions"])
	}
	if got := h.want(200, "GET", variant, "").object(t); got["latestVersion"] != 3.0 || got["servingUrls"].(map[string]any)["version"] != 4.0 {
		t.Errorf("Variant = %v, want its version 3, served at 4", got)
	}
	h.publish(variant)
	old := h.want(200, "GET", variant+"/tokens?version=3&includeVersions=true", "").object(t)
	if len(old["tokens"].([]any)) != 4 || old["version"] != 3.0 || fmt.Sprint(old["versions"]) != "[4 3]" || old["etag"] != nil {
		t.Errorf("version 3 of the Variant reads %v", old)
	}
	h.do(owner, "GET", variant+"/tokens?version=1", "").refuses(t, 404, "notFound")
	draft := h.patch(variant, `[{"operation":"unset","path":"c.new"}]`)
	h.do(owner, "DELETE", variant+"/tokens", "").refuses(t, 409, "conflict")
	back := h.want(200, "DELETE", variant+"/tokens?etag="+draft, "").object(t)
	if back["hasUnpublishedChanges"] != false || back["tokenCount"] != 3.0 || back["themeID"] == nil {
		t.Errorf("DELETE tokens = %v, want the Variant as published", back)
	}
}

// S191 S193 S194 S198 S204 S205 S206 S189: what a Variant looks like, and what a PUT leaves alone.
func TestVariantResource(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	id := theme[strings.LastIndex(theme, "/")+1:]
	got := h.want(201, "POST", theme+"/variants", `{"slug":"dark","displayName":"Dark","metadata":{"a":"b"},"integrations":[]}`).object(t)
	url := testCDNURL + "/" + h.sandbox + "/" + id + "/" + got["id"].(string) + "/latest/tokens.css"
	want := map[string]any{
		"id": got["id"], "themeID": id, "slug": "dark", "displayName": "Dark", "tokenCount": 0.0, "latestVersion": nil, "publishedAt": nil,
		"hasUnpublishedChanges": false, "metadata": map[string]any{"a": "b"}, "createdAt": got["createdAt"], "updatedAt": got["updatedAt"],
		"servingUrls": map[string]any{"latest": []any{map[string]any{"file": "tokens.css", "url": url}}, "pinned": nil, "version": nil},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Variant = %v\nwant %v", got, want)
	}
	variant := theme + "/variants/" + got["id"].(string)
	etag := h.patch(variant, `[{"operation":"set","path":"red","value":1}]`)
	put := h.want(200, "PUT", variant, `{"slug":"night","displayName":"Night"}`).object(t)
	if put["slug"] != "night" || fmt.Sprint(put["metadata"]) != "map[a:b]" || put["tokenCount"] != 1.0 {
		t.Errorf("PUT = %v", put)
	}
	if now := h.want(200, "GET", variant+"/tokens", "").text(t, "etag"); now != etag {
		t.Errorf("etag = %q after a PUT, want %q", now, etag)
	}
	e := h.do(owner, "PUT", variant, `{"displayName":"","metadata":{"":"x"}}`).refuses(t, 400, "validation")
	if len(e.Messages) != 3 {
		t.Errorf("messages = %q, want three", e.Messages)
	}
}

// S2 S18 S25 S26 S27 S30: no answer carries what the API leaves out, or is of another kind than JSON.
func TestAnswersCarryNoAuthorsAndAreJSON(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	s := h.ready()
	for _, route := range slices.Concat(api.Routes(), api.Extras()) {
		if route.Method != "GET" {
			continue
		}
		r := h.want(200, "GET", h.webhook(s.spell(route.Path)), "")
		if strings.Contains(r.body, "createdBy") || strings.Contains(r.body, "updatedBy") {
			t.Errorf("%s carries an author: %s", route.Path, r.body)
		}
		if strings.HasSuffix(route.Path, "{file}") {
			continue
		}
		if !json.Valid([]byte(r.body)) || r.header.Get("Content-Type") != "application/json" || r.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s = %v, want JSON", route.Path, r.header)
		}
	}
}

// S180 A37 A38: no content of a draft makes a publish fail: chains and cycles of 20,000 aliases, and
// aliases that multiply, take their time in proportion and are left out.
func TestHostileAliasesPublish(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.want(200, "PATCH", theme+"/tokens", ops(`[{"operation":"add","path":"/chain","value":{}},{"operation":"add","path":"/ring","value":{}},{"operation":"add","path":"/self","value":{"$value":"{self}"}}]`))
	for _, group := range []string{"chain", "ring"} {
		for half := range 2 {
			var adds []string
			for i := half * 10_000; i < (half+1)*10_000; i++ {
				adds = append(adds, fmt.Sprintf(`{"operation":"add","path":"/%s/t%d","value":{"$value":"{%s.t%d}"}}`, group, i, group, (i+1)%20_000))
			}
			if group == "chain" && half == 1 {
				adds[len(adds)-1] = `{"operation":"add","path":"/chain/t19999","value":{"$type":"color","$value":"#fff"}}`
			}
			h.want(200, "PATCH", theme+"/tokens", ops("["+strings.Join(adds, ",")+"]"), "If-Match", "*")
		}
	}
	bomb := `{"operation":"add","path":"/b0","value":{"$type":"fontFamily","$value":["a","b"]}}`
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf(`,{"operation":"add","path":"/b%d","value":{"$type":"fontFamily","$value":["{b%d}","{b%d}"]}}`, i, i-1, i-1)
	}
	h.want(200, "PATCH", theme+"/tokens", ops("["+bomb+"]"), "If-Match", "*")
	if got := h.publish(theme).object(t); got["latestVersion"] != 1.0 || got["tokenCount"] != 40_031.0 {
		t.Errorf("publish = %v", got)
	}
	diagnostics := h.want(200, "GET", theme+"/tokens/diagnostics", "").body
	if n := strings.Count(diagnostics, `"aliasCycle"`); n != 20_001 {
		t.Errorf("%d tokens in cycles, want 20001", n)
	}
	if css := h.want(200, "GET", theme+"/tokens/preview/tokens.css", ""); !strings.Contains(css.body, "--chain-t0: #fff") || len(css.body) > 4<<20 {
		t.Errorf("tokens.css has %d bytes", len(css.body))
	}
}

// A43: markup in a name is data.
func TestMarkupIsData(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	const name = `<script>alert("1")</script>`
	r := h.want(201, "POST", "/environments/"+h.sandbox+"/themes", `{"slug":"a","displayName":"<script>alert(\"1\")</script>"}`)
	if r.text(t, "displayName") != name || r.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("create = %v %s, want the name as it was sent", r.header, r.body)
	}
}

// S5: an Environment holds any number of Themes.
func TestThemesHaveNoLimit(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	for i := range 1001 {
		h.theme(fmt.Sprintf("t%d", i))
	}
	if got := h.want(200, "GET", "/environments/"+h.sandbox+"/themes?pageSize=1&includeTotals=true", "").object(t)["totalCount"]; got != 1001.0 {
		t.Errorf("totalCount = %v, want 1001", got)
	}
}

// A114: metrics are labelled by route, never by id.
func TestMetricsCarryNoIDs(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	h := newTestOrigin(t, func(c *origin.Config) { c.Registry = registry })
	theme := h.theme("brand")
	h.want(200, "GET", theme, "")
	h.do(owner, "GET", "/environments/env_x", "")
	h.do("", "GET", theme, "")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(families)
	if strings.Contains(text, "thm_") || strings.Contains(text, "env_") || !strings.Contains(text, "/environments/{environmentID}/themes/{themeID}") {
		t.Errorf("metrics = %s, want routes and no ids", short(text))
	}
}

// Decision 1.4: of several faults the first in the API's order answers.
func TestRefusalsComeInOrder(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, red)
	for i := range 10 {
		h.variant(theme, fmt.Sprintf("v%d", i))
	}
	missing := theme[:len(theme)-26] + strings.Repeat("0", 26)
	for _, c := range []struct {
		name, subject, method, path, body string
		status                            int
		cause                             string
	}{
		{"role before the Theme", reader, "PATCH", missing + "/tokens?strict=x", `{`, 403, "forbidden"},
		{"Theme before parameters", designer, "PATCH", missing + "/tokens?strict=x", `{`, 404, "notFound"},
		{"parameters before rules", designer, "PATCH", theme + "/tokens?strict=x", `{}`, 400, "payload"},
		{"parsing before rules", designer, "PATCH", theme + "/tokens", `{"operations":[{}],}`, 400, "payload"},
		{"shape before state", designer, "PATCH", theme + "/tokens?etag=stale", ops(`[{}]`), 400, "validation"},
		{"rules before state", designer, "PATCH", theme + "/tokens?etag=stale", ops(`[{"operation":"remove","path":"none"}]`), 400, "validation"},
		{"state before the document", designer, "PATCH", theme + "/tokens?etag=stale", ops(`[{"operation":"remove","path":"/none"}]`), 409, "conflict"},
		{"state at last", designer, "PATCH", theme + "/tokens?etag=stale", ops(`[{"operation":"remove","path":"/red"}]`), 409, "conflict"},
		{"rules before the plan", designer, "POST", theme + "/variants", `{"slug":"v0"}`, 400, "validation"},
		{"the plan before a taken slug", designer, "POST", theme + "/variants", `{"slug":"v0","displayName":"V"}`, 402, "planLimit"},
		{"parameters of a read after its Theme", reader, "GET", missing + "/tokens?version=x", "", 404, "notFound"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.of(t).do(c.subject, c.method, c.path, c.body).refuses(t, c.status, c.cause)
		})
	}
}
