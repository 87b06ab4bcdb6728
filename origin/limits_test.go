package origin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
)

// nested is a JSON value of so many levels.
func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

// filled is a JSON text that is padded with white space to so many bytes.
func filled(text string, size int) string {
	return text[:len(text)-1] + strings.Repeat(" ", size-len(text)) + text[len(text)-1:]
}

// Decision 1.5: every bound of a batch and of the document it makes, at its edge and one past it, on
// a Theme and on a Variant.
func TestBatchesHaveTheirBounds(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	add := func(pointer, value string) string {
		return ops(fmt.Sprintf(`[{"operation":"add","path":%q,"value":%s}]`, pointer, value))
	}
	set := func(path, value string) string {
		return ops(fmt.Sprintf(`[{"operation":"set","path":%q,"value":%s}]`, path, value))
	}
	many := func(operation string, n int) string {
		return ops("[" + strings.TrimSuffix(strings.Repeat(operation+",", n), ",") + "]")
	}
	name := func(n int) string { return strings.Repeat("é", n) } // characters, not bytes
	groups := func(n int) string { return strings.Repeat(`{"a":`, n-1) + `{}` + strings.Repeat(`}`, n-1) }
	for _, c := range []struct {
		name, path, at, past, says string
	}{
		{"nesting in a token", theme, add("/x", `{"$value":`+nested(62)+`}`), add("/x", `{"$value":`+nested(63)+`}`), "the limit is 64"},
		{"nesting of groups", theme, add("/g", groups(63)), add("/g", groups(64)), "the limit is 64"},
		{"nesting in an override", variant, set("x", nested(62)), set("x", nested(63)), ""},
		{"levels of a path", variant, set(strings.Repeat("a.", 63)+"a", `1`), set(strings.Repeat("a.", 64)+"a", `1`), "the limit is 64"},
		{"operations on a Theme", theme, many(`{"operation":"add","path":"/y","value":{}}`, 10_000), many(`{"operation":"add","path":"/y","value":{}}`, 10_001), "10000"},
		{"operations on a Variant", variant, many(`{"operation":"unset","path":"y"}`, 10_000), many(`{"operation":"unset","path":"y"}`, 10_001), "10000"},
		{"a name in a pointer", theme, add("/"+name(256), `{"$value":1}`), add("/"+name(257), `{"$value":1}`), "the limit is 256"},
		{"a name in a value", theme, add("/z", `{"`+name(256)+`":{}}`), add("/z", `{"`+name(257)+`":{}}`), "the limit is 256"},
		{"a name in a path", variant, set("a."+name(256), `1`), set("a."+name(257), `1`), "the limit is 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h.of(t)
			h.want(200, "PATCH", c.path+"/tokens?etag="+h.draftOf(c.path), c.at)
			before := h.want(200, "GET", c.path+"/tokens", "").body
			e := h.do(owner, "PATCH", c.path+"/tokens?etag="+h.draftOf(c.path), c.past).refuses(t, 400, "validation")
			if len(e.Messages) != 1 || !strings.Contains(e.Messages[0], c.says) {
				t.Errorf("messages = %q, want one that says %q", e.Messages, c.says)
			}
			if after := h.want(200, "GET", c.path+"/tokens", "").body; after != before {
				t.Error("a refused batch changed the draft")
			}
		})
	}
}

// draftOf returns the etag of the draft at path, "" if there is none.
func (h *testOrigin) draftOf(path string) string {
	h.t.Helper()
	etag, _ := h.want(200, "GET", path+"/tokens", "").object(h.t)["etag"].(string)
	return etag
}

// Decision 1.5: a document may grow to its limit and not by one byte more, however small the patch.
func TestDocumentsHaveABound(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	h := newTestOrigin(t, func(c *origin.Config) { c.Limits.DocumentBytes = limit })
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	fill := func(wrapper string) string {
		return strings.Repeat("a", limit-len(wrapper))
	}
	add := func(text string) string {
		return ops(`[{"operation":"add","path":"/a","value":{"$value":"` + text + `"}}]`)
	}
	text := fill(`{"a":{"$value":""}}`)
	h.do(owner, "PATCH", theme+"/tokens", add(text+"a")).refuses(t, 400, "validation")
	etag := h.want(200, "PATCH", theme+"/tokens", add(text)).text(t, "etag")
	h.do(owner, "PATCH", theme+"/tokens?etag="+etag, ops(`[{"operation":"add","path":"/b","value":{}}]`)).refuses(t, 400, "validation")
	h.do(owner, "PATCH", theme+"/tokens?etag="+etag, ops(`[{"operation":"copy","from":"/a","path":"/b"}]`)).refuses(t, 400, "validation")
	if body := h.want(200, "GET", theme+"/tokens/preview/tokens.dtcg.json", "").body; len(body) != limit+1 { // and a newline
		t.Errorf("the document has %d bytes, want %d", len(body)-1, limit)
	}
	set := func(text string) string { return ops(`[{"operation":"set","path":"a","value":"` + text + `"}]`) }
	text = fill(`{"a":""}`)
	h.do(owner, "PATCH", variant+"/tokens", set(text+"a")).refuses(t, 400, "validation")
	h.want(200, "PATCH", variant+"/tokens", set(text))
}

// Decision 1.5 with the defaults: a body of 8 MiB is read, and one byte more is not; a header block of
// 16 KiB is, and one byte more is not.
func TestRequestsHaveTheirBounds(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	h.want(201, "POST", themes, filled(`{"slug":"a","displayName":"b"}`, 8<<20))
	answers, closed := h.raw(h.head("POST", themes)+fmt.Sprintf("Content-Length: %d\r\n\r\n", 8<<20+1)+filled(`{"slug":"c","displayName":"d"}`, 8<<20+1), 2)
	if len(answers) != 1 || !closed {
		t.Fatalf("a body of 8 MiB and a byte = %d answers, closed %v, want one and a closed connection", len(answers), closed)
	}
	answers[0].refuses(t, 413, "payload")
	for _, c := range []struct{ size, status int }{{16 << 10, 200}, {16<<10 + 1, 431}} {
		head := h.head("GET", "/environments") + "X-Pad: "
		text := head + strings.Repeat("a", c.size-len(head)-len("\r\n\r\n")) + "\r\n\r\n"
		answers, _ := h.raw(text, 1)
		if len(answers) != 1 || answers[0].status != c.status {
			t.Errorf("a header block of %d bytes = %v, want %d", len(text), answers, c.status)
		}
	}
}

// head is the beginning of a raw request by the owner, without the blank line.
func (h *testOrigin) head(method, path string) string {
	return method + " " + apiPath + path + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + h.token(owner) + "\r\n"
}

// S100 S101 S103 S198 S204 S250 S251 S252 S253 S254, decisions 2.1, 2.2 and 2.3: slugs, names and labels have the same
// bounds in each create and update of Themes and Variants, counted in characters.
func TestNamesAndLabelsHaveTheirBounds(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant := h.variant(theme, "dark")
	labels := func(n int) string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprint("k", i)] = ""
		}
		return spell(all)
	}
	label := func(key, value string) string { return spell(map[string]string{key: value}) }
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, endpoint := range []struct{ method, path string }{
		{"POST", "/environments/" + h.sandbox + "/themes"}, {"PUT", theme}, {"POST", theme + "/variants"}, {"PUT", variant},
	} {
		for _, c := range []struct {
			name, slug, display, metadata string
			refused                       int // messages; 0 means accepted
		}{
			{"the shortest", "a", "x", `{}`, 0},
			{"slug of 64", strings.Repeat("a", 64), "x", `{}`, 0},
			{"slug of 65", strings.Repeat("a", 65), "x", `{}`, 1},
			{"slug of every character", "0-_.Z", "x", `{}`, 0},
			{"slug that begins with a mark", "-a", "x", `{}`, 1},
			{"slug beyond ASCII", "é", "x", `{}`, 1},
			{"slug with a space", "a b", "x", `{}`, 1},
			{"slug that is empty", "", "x", `{}`, 1},
			{"name of 256", "a", long(256), `{}`, 0},
			{"name of 256 between spaces", "a", "  " + long(256) + "\n", `{}`, 0},
			{"name of 257", "a", long(257), `{}`, 1},
			{"name of spaces", "a", " \t ", `{}`, 1},
			{"name that is empty", "a", "", `{}`, 1},
			{"name with a control character", "a", "a\x01b", `{}`, 1},
			{"name with a control character beyond ASCII", "a", "a\u0085b", `{}`, 1},
			{"50 labels", "a", "x", labels(50), 0},
			{"51 labels", "a", "x", labels(51), 1},
			{"key of 64", "a", "x", label(strings.Repeat("k", 64), ""), 0},
			{"key of 65", "a", "x", label(strings.Repeat("k", 65), ""), 1},
			{"key of every character", "a", "x", label("0a._:/-Z", "x"), 0},
			{"key that begins with a hyphen", "a", "x", label("-a", ""), 1},
			{"key that begins with a point", "a", "x", label(".a", ""), 1},
			{"key with a space", "a", "x", label("a b", ""), 1},
			{"key with an at", "a", "x", label("a@b", ""), 1},
			{"key beyond ASCII", "a", "x", label("é", ""), 1},
			{"key that is empty", "a", "x", label("", ""), 1},
			{"value of 256", "a", "x", label("k", long(256)), 0},
			{"value of 257", "a", "x", label("k", long(257)), 1},
			{"value that is empty", "a", "x", label("k", ""), 0},
			{"value that is a number", "a", "x", `{"k":1}`, 1},
			{"value that is null", "a", "x", `{"k":null}`, 1},
			{"everything at once", "", "", `{"":1,"-a":"x"}`, 5},
		} {
			t.Run(endpoint.method+" "+c.name, func(t *testing.T) {
				h := h.of(t)
				body := fmt.Sprintf(`{"slug":%s,"displayName":%s,"metadata":%s}`, spell(c.slug), spell(c.display), c.metadata)
				r := h.do(owner, endpoint.method, endpoint.path, body)
				if c.refused > 0 {
					if messages := r.refuses(t, 400, "validation").Messages; len(messages) != c.refused {
						t.Errorf("messages = %q, want %d", messages, c.refused)
					}
					return
				}
				if r.status != 200 && r.status != 201 {
					t.Fatalf("%s = %d %s, want it accepted", short(body), r.status, short(r.body))
				}
				got := r.object(t)
				if got["slug"] != c.slug || got["displayName"] != strings.TrimSpace(c.display) || spell(got["metadata"]) != c.metadata {
					t.Errorf("%s answers %s", short(body), short(r.body))
				}
				if endpoint.method == "POST" {
					h.want(200, "DELETE", endpoint.path+"/"+got["id"].(string), "")
				}
			})
		}
		for body, messages := range map[string]int{`{}`: 2, `{"slug":"a"}`: 1, `{"displayName":"a"}`: 1, `{"slug":null,"displayName":[]}`: 2} {
			if e := h.do(owner, endpoint.method, endpoint.path, body).refuses(t, 400, "validation"); len(e.Messages) != messages {
				t.Errorf("%s %s: messages = %q, want %d", endpoint.method, body, e.Messages, messages)
			}
		}
	}
}

// spell is a value as JSON, without escapes that are not needed.
func spell(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// S46 A40: a page holds 1 to 1000 items, and 100 if nothing is said.
func TestPagesHaveTheirBounds(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	for _, list := range []string{"/environments", "/environments/" + h.sandbox + "/themes", theme + "/variants"} {
		for query, want := range map[string][2]float64{"": {1, 100}, "?pageSize=1": {1, 1}, "?pageSize=1000": {1, 1000}, "?pageNumber=2147483647": {2147483647, 100}} {
			if got := h.want(200, "GET", list+query, "").object(t); got["pageNumber"] != want[0] || got["pageSize"] != want[1] {
				t.Errorf("%s%s = page %v of size %v, want %v", list, query, got["pageNumber"], got["pageSize"], want)
			}
		}
		for _, query := range []string{"?pageSize=0", "?pageSize=1001", "?pageNumber=0", "?pageNumber=2147483648"} {
			h.do(owner, "GET", list+query, "").refuses(t, 400, "validation")
		}
	}
}
