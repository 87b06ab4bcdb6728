package origin_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/renderer"
)

// listedTokens spells the tokens of a set: path=value.
func listedTokens(t testing.TB, r reply) string {
	t.Helper()
	var all []string
	for _, item := range r.object(t)["tokens"].([]any) {
		token := item.(map[string]any)
		all = append(all, fmt.Sprint(token["path"], "=", token["value"]))
	}
	return strings.Join(all, " ")
}

// types spells the tokens of a set: path:resolved type, with a question mark if it was guessed.
func types(t testing.TB, r reply) string {
	t.Helper()
	var all []string
	for _, item := range r.object(t)["tokens"].([]any) {
		token := item.(map[string]any)
		mark := ""
		if token["inferred"] == true {
			mark = "?"
		}
		all = append(all, fmt.Sprint(token["path"], ":", token["resolvedType"], mark))
	}
	return strings.Join(all, " ")
}

// S6 S7 S21 S22 S23 S29 S149: a document keeps everything as it was written, from the edit over reads and the publish to
// the bytes that edges are fed; what $extends and $ref mean is never applied, and nothing complains.
func TestDocumentsSurviveAsWritten(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	const group = `{"$type":"dimension","$description":"sizes","$extensions":{"org.example":{"b":[1.50,2e3],"a":null}},"$deprecated":"soon","$custom":true,` +
		`"z":{"$value":"1px"},"a":{"$root":{"$value":"2px"},"more":{"$value":0.10,"$type":"number","$deprecated":true}},` +
		`"alias":{"$value":"{size.z}"},"big":{"$value":12345678901234567890,"$type":"number"}}`
	const heir = `{"$extends":"{size}","own":{"$type":"number","$value":1}}`
	const pointer = `{"$ref":"#/size/z","$description":"no token"}`
	r := e.want(200, "PATCH", theme+"/tokens", ops(`[{"operation":"add","path":"/$schema","value":"https://example.com/schema"},{"operation":"add","path":"/size","value":`+group+`},`+
		`{"operation":"add","path":"/heir","value":`+heir+`},{"operation":"add","path":"/pointer","value":`+pointer+`}]`))
	const tokens = "size.z=1px size.a.$root=2px size.a.more=0.1 size.alias={size.z} size.big=1.2345678901234567e+19 heir.own=1"
	document := `{"$schema":"https://example.com/schema","size":` + group + `,"heir":` + heir + `,"pointer":` + pointer + `}`
	for _, answer := range []reply{r, e.want(200, "GET", theme+"/tokens", "")} {
		if got := listedTokens(t, answer); got != tokens {
			t.Errorf("tokens = %s, want %s", got, tokens)
		}
	}
	if !strings.Contains(r.body, `"value":0.10,`) || !strings.Contains(r.body, `"value":12345678901234567890,`) {
		t.Errorf("PATCH = %s, want numbers as they were written", r.body)
	}
	if got := e.want(200, "GET", theme+"/tokens/preview/tokens.dtcg.json", "").body; got != document+"\n" {
		t.Errorf("tokens.dtcg.json = %s\nwant %s", got, document)
	}
	if got := e.want(200, "GET", theme+"/tokens/diagnostics", "").body; got != `{"diagnostics":[]}` {
		t.Errorf("diagnostics = %s, want none", got)
	}
	published := e.publish(theme)
	if got := published.object(t)["tokenCount"]; got != 6.0 {
		t.Errorf("tokenCount = %v, want 6: what has $ref and no $value is no token, and nothing is inherited by $extends", got)
	}
	if got := listedTokens(t, e.want(200, "GET", theme+"/tokens?version=1", "")); got != tokens {
		t.Errorf("version 1 = %s, want %s", got, tokens)
	}
	if got := e.file(e.pair(theme, "-", "1"), renderer.TokensDTCGJSON); got != document+"\n" {
		t.Errorf("edges are fed %s\nwant %s", got, document)
	}
	flat := e.want(200, "GET", theme+"/tokens/preview/tokens.flat.json", "").body
	if strings.Contains(flat, "heir.z") || strings.Contains(flat, "pointer") {
		t.Errorf("tokens.flat.json = %s, want neither what $extends nor what $ref names", flat)
	}
}

// S154 S155 S156 S164: pointers address tokens, values and types, with "/" and "~" escaped, and the batch is applied in
// order to the current document, be that the draft or the newest version.
func TestPointersAddressTheCurrentDocument(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	step := func(batch, tokens, resolved string) {
		t.Helper()
		r := h.want(200, "PATCH", theme+"/tokens?etag="+h.draftOf(theme), ops(batch))
		if got := listedTokens(t, r); got != tokens {
			t.Errorf("%s\n= %s, want %s", batch, got, tokens)
		}
		if got := types(t, r); got != resolved {
			t.Errorf("%s\n= %s, want %s", batch, got, resolved)
		}
	}
	step(`[{"operation":"add","path":"/g","value":{}},{"operation":"add","path":"/g/1~12","value":{"$value":"1px"}},{"operation":"add","path":"/g/a~0b","value":{"$value":"2px"}}]`,
		"g.1/2=1px g.a~b=2px", "g.1/2:dimension? g.a~b:dimension?")
	step(`[{"operation":"replace","path":"/g/1~12/$value","value":"3px"},{"operation":"add","path":"/g/a~0b/$type","value":"string"}]`, // on the draft
		"g.1/2=3px g.a~b=2px", "g.1/2:dimension? g.a~b:string")
	h.publish(theme)
	step(`[{"operation":"add","path":"/g/$type","value":"spacing"}]`, "g.1/2=3px g.a~b=2px", "g.1/2:spacing g.a~b:string") // on the version
	step(`[{"operation":"remove","path":"/g/1~12"},{"operation":"add","path":"/g/1~12","value":{"$value":"4px"}},{"operation":"copy","from":"/g/1~12","path":"/g/c"},`+
		`{"operation":"replace","path":"/g/1~12/$value","value":"5px"},{"operation":"move","from":"/g/c","path":"/g/d"},{"operation":"remove","path":"/g/a~0b"}]`, // in order
		"g.1/2=5px g.d=4px", "g.1/2:spacing g.d:spacing")
	for _, outOfOrder := range []string{
		`[{"operation":"replace","path":"/new/$value","value":1},{"operation":"add","path":"/new","value":{"$value":2}}]`,
		`[{"operation":"move","from":"/g/d","path":"/g/e"},{"operation":"replace","path":"/g/d/$value","value":"1px"}]`,
	} {
		e := h.do(owner, "PATCH", theme+"/tokens?etag="+h.draftOf(theme), ops(outOfOrder)).refuses(t, 400, "validation")
		if len(e.Messages) == 0 || !strings.Contains(strings.Join(e.Messages, " "), "operations[") {
			t.Errorf("messages = %q, want the operation's index", e.Messages)
		}
	}
	if got := listedTokens(t, h.want(200, "GET", theme+"/tokens", "")); got != "g.1/2=5px g.d=4px" {
		t.Errorf("refused batches left %s", got)
	}
}

// S145 S146 S152 S175: the type of a group reaches what has none of its own, at the next read, and only that.
func TestGroupsTypeTheirTokens(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, `[{"operation":"add","path":"/g","value":{"$type":"number","own":{"$type":"string","$value":1},"x":{"$value":1},"near":{"$type":"fontWeight","y":{"$value":1}},`+
		`"alias":{"$value":"{g.near.y}"}}},{"operation":"add","path":"/free","value":{"$value":"#fff"}},{"operation":"add","path":"/odd","value":{"$value":{"a":1}}}]`)
	for _, c := range []struct{ batch, want string }{
		{`[]`, "g.own:string g.x:number g.near.y:fontWeight g.alias:fontWeight free:color? odd:<nil>"},
		{`[{"operation":"replace","path":"/g/$type","value":"opacity"}]`, "g.own:string g.x:opacity g.near.y:fontWeight g.alias:fontWeight free:color? odd:<nil>"},
		{`[{"operation":"remove","path":"/g/near/$type"}]`, "g.own:string g.x:opacity g.near.y:opacity g.alias:opacity free:color? odd:<nil>"},
		{`[{"operation":"remove","path":"/g/$type"}]`, "g.own:string g.x:number? g.near.y:number? g.alias:number? free:color? odd:<nil>"},
	} {
		h.patch(theme, c.batch)
		if got := types(t, h.want(200, "GET", theme+"/tokens", "")); got != c.want {
			t.Errorf("after %s: %s, want %s", c.batch, got, c.want)
		}
	}
}

// S157 S158 S159 S160 S161 S162 S218: each operation carries what it needs and nothing that it must not carry; there are
// no other operations, here and on a Variant.
func TestOperationsCarryTheirMembers(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	etag := h.patch(theme, red)
	variant := h.variant(theme, "dark")
	members := map[string]string{"value": `,"value":{"$value":1}`, "from": `,"from":"/red"`}
	for operation, needs := range map[string]string{"add": "value", "replace": "value", "remove": "", "move": "from", "copy": "from", "test": "-", "set": "-", "unset": "-", "ADD": "-", "": "-"} {
		for _, carries := range []string{"", "value", "from", "value from"} {
			body := fmt.Sprintf(`{"operation":%q,"path":"/red"`, operation)
			for _, name := range strings.Fields(carries) {
				body += members[name]
			}
			if carries == needs && operation != "move" && operation != "copy" { // those two would name themselves
				continue
			}
			r := h.do(owner, "PATCH", theme+"/tokens?etag="+etag, ops("["+body+"}]"))
			if carries == needs {
				continue
			}
			if e := r.refuses(t, 400, "validation"); len(e.Messages) == 0 || !strings.HasPrefix(e.Messages[0], "operations[0]") {
				t.Errorf("%s: messages = %q, want the operation named", body, e.Messages)
			}
		}
	}
	for _, good := range []string{
		`{"operation":"add","path":"/x","value":{"$value":1}}`, `{"operation":"replace","path":"/x","value":{"$value":2},"note":"ignored"}`,
		`{"operation":"copy","path":"/y","from":"/x"}`, `{"operation":"move","path":"/z","from":"/y"}`, `{"operation":"remove","path":"/z"}`,
	} {
		h.want(200, "PATCH", theme+"/tokens?etag="+h.draftOf(theme), ops("["+good+"]"))
	}
	for _, carries := range []string{
		`"operation":"set","path":"a"`, `"operation":"set","path":"a","value":1,"from":"b"`, `"operation":"unset","path":"a","value":1`, `"operation":"unset","path":"a","from":"b"`,
		`"operation":"add","path":"a","value":1`, `"operation":"remove","path":"a"`, `"path":"a","value":1`, `"operation":"set","value":1`,
	} {
		h.do(owner, "PATCH", variant+"/tokens", ops("[{"+carries+"}]")).refuses(t, 400, "validation")
	}
}

// S163 S171 S172: a client with an old copy is told so, and its batch, sent again with the new etag, takes nothing away
// of what others added in the meantime.
func TestOldCopiesTakeNothingAway(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	old := h.patch(theme, red)
	h.patch(theme, `[{"operation":"add","path":"/theirs","value":{"$type":"number","$value":1}}]`)
	mine := ops(`[{"operation":"replace","path":"/red/$value","value":"#00ff00"},{"operation":"add","path":"/mine","value":{"$type":"number","$value":2}}]`)
	noMessages(t, h.do(owner, "PATCH", theme+"/tokens?etag="+old, mine).refuses(t, 409, "conflict"))
	if got := listedTokens(t, h.want(200, "GET", theme+"/tokens", "")); got != "red=#ff0000 theirs=1" {
		t.Errorf("a stale batch left %s", got)
	}
	if got := listedTokens(t, h.want(200, "PATCH", theme+"/tokens?etag="+h.draftOf(theme), mine)); got != "red=#00ff00 theirs=1 mine=2" {
		t.Errorf("the batch sent again made %s", got)
	}
}

// S52 S55 S134 S135 S138 S165 S166 S167 S173: a draft comes with the first effective edit and goes when the edits take
// themselves back or are discarded; Theme and token set tell the same, and versions are untouched.
func TestDraftsComeAndGo(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	tell := func(when string, count float64, draft bool, latest any) {
		t.Helper()
		got, set := h.want(200, "GET", theme, "").object(t), h.want(200, "GET", theme+"/tokens", "").object(t)
		if got["tokenCount"] != count || got["hasUnpublishedChanges"] != draft || got["latestVersion"] != latest {
			t.Errorf("%s the Theme tells %v, want %v tokens, draft %v, version %v", when, got, count, draft, latest)
		}
		for _, name := range []string{"hasUnpublishedChanges", "latestVersion", "publishedAt"} {
			if set[name] != got[name] {
				t.Errorf("%s the token set tells %s %v, and the Theme %v", when, name, set[name], got[name])
			}
		}
		if (set["etag"] != nil) != draft || len(set["tokens"].([]any)) != int(count) {
			t.Errorf("%s the token set has etag %v and %d tokens", when, set["etag"], len(set["tokens"].([]any)))
		}
		if stored := h.countKeys('D') == 1; stored != draft {
			t.Errorf("%s a draft is stored: %v", when, stored)
		}
	}
	tell("at first", 0, false, nil)
	h.patch(theme, `[]`)
	tell("after an empty batch", 0, false, nil)
	h.patch(theme, red)
	tell("after an edit", 1, true, nil)
	h.patch(theme, `[{"operation":"remove","path":"/red"}]`)
	tell("after an edit that takes it back", 0, false, nil)
	h.patch(theme, red)
	h.publish(theme)
	tell("after a publish", 1, false, 1.0)
	version := h.want(200, "GET", theme+"/tokens?version=1", "").object(t)
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":1}},{"operation":"add","path":"/b","value":{"$value":2}}]`)
	tell("after another edit", 3, true, 1.0)
	h.do(owner, "DELETE", theme+"/tokens?etag=stale", "").refuses(t, 409, "conflict")
	tell("after a refused discard", 3, true, 1.0)
	gone := h.want(200, "DELETE", theme+"/tokens?etag="+h.draftOf(theme), "").object(t)
	if gone["tokenCount"] != 1.0 || gone["hasUnpublishedChanges"] != false || gone["latestVersion"] != 1.0 {
		t.Errorf("DELETE = %v, want the Theme at version 1", gone)
	}
	tell("after a discard", 1, false, 1.0)
	if again := h.want(200, "GET", theme+"/tokens?version=1", "").object(t); !reflect.DeepEqual(again, version) {
		t.Errorf("version 1 reads %v, want %v", again, version)
	}
}

// S177 S178 S179 S181 S182 S183 S187 S188: a publish takes the next number, which becomes latest for the Theme and for each
// Variant, while what older numbers are rendered from stays as it was.
func TestPublishMovesLatestForEverybody(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	segments := []string{"-"}
	for _, slug := range []string{"touched", "untouched"} {
		variant := e.variant(theme, slug)
		segments = append(segments, variant[strings.LastIndex(variant, "/")+1:])
	}
	e.patch(theme+"/variants/"+segments[1], `[{"operation":"set","path":"red","value":"#000000"}]`)
	type key struct {
		segment string
		number  int
	}
	older := map[key]feedproto.Pair{}
	for number := 1; number <= 3; number++ {
		e.patch(theme, fmt.Sprintf(`[{"operation":"add","path":"/t%d","value":{"$type":"number","$value":%[1]d}}]`, number))
		e.clock.move(3600e9)
		before := e.clock.Now().UTC().Format("2006-01-02T15:04:05")
		published := e.publish(theme).object(t)
		if at := published["publishedAt"].(string); at[:19] < before || published["latestVersion"] != float64(number) {
			t.Errorf("publish = %v at %s, want version %d not before %s", published["latestVersion"], at, number, before)
		}
		if set := e.want(200, "GET", theme+"/tokens", "").object(t); set["etag"] != nil || set["publishedAt"] != published["publishedAt"] {
			t.Errorf("after the publish the token set has %v, want no draft", set)
		}
		for _, segment := range segments {
			latest, pinned := e.pair(theme, segment, "latest"), e.pair(theme, segment, fmt.Sprint(number))
			if latest.Version != uint32(number) || latest.Plan != pinned.Plan || latest.Overlay != pinned.Overlay {
				t.Errorf("latest of %s = %+v, want what version %d is: %+v", segment, latest, number, pinned)
			}
			older[key{segment, number}] = pinned
			for n := 1; n < number; n++ {
				got, want := e.pair(theme, segment, fmt.Sprint(n)), older[key{segment, n}]
				if got.Plan != want.Plan || got.Overlay != want.Overlay || got.Module != want.Module || !got.Sealed {
					t.Errorf("version %d of %s = %+v after version %d, want %+v, sealed", n, segment, got, number, want)
				}
			}
		}
	}
}
