package origin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An edit of a draft is an event with the entity tag that the editor was answered, so that everybody knows whether they
// have that draft; every other event has none.
func TestEventsNameTheDraft(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("t")
	v := h.variant(theme, "v")
	var want []any
	want = append(want, nil, nil) // the creations
	want = append(want, h.patch(theme, red))
	want = append(want, h.patch(theme, `[{"operation":"add","path":"/blue","value":{"$type":"color","$value":"#00f"}}]`))
	want = append(want, h.patch(v, `[{"operation":"set","path":"red","value":"#e00"}]`))
	h.publish(theme)
	batch := fmt.Sprintf(`{"create":[{"slug":"w","displayName":"W","operations":[{"operation":"set","path":"red","value":"#d00"}]}],"change":[{"id":%q,"operations":[{"operation":"set","path":"red","value":"#c00"}]}]}`, idOf(v))
	made := h.want(200, "POST", theme+"/variants/batch", batch).object(t)
	etagOf := func(list string) any { return made[list].([]any)[0].(map[string]any)["etag"] }
	want = append(want, nil, nil, etagOf("created"), etagOf("changed")) // theme.published, variant.created
	h.want(200, "DELETE", v+"/tokens?etag="+etagOf("changed").(string), "")
	want = append(want, nil)
	var got []any
	for _, item := range h.want(200, "GET", "/environments/"+h.sandbox+"/events", "").object(t)["items"].([]any) {
		got = append(got, item.(map[string]any)["etag"])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the events have the tags %v, want %v", got, want)
	}
}

// A person at the console sees what another one edits, in the stream that the session opens; a page of another origin
// opens none.
func TestAPersonSeesTheEditsOfAnother(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t, withConsole)
	b := &browser{h: h}
	b.logIn(designer)
	theme := h.theme("t")
	live, answer := h.streamEvents(t.Context(), "", "", "X-Livery-Console", "1", "Sec-Fetch-Site", "same-origin", "Cookie", b.cookie)
	if answer.StatusCode != 200 {
		t.Fatalf("a stream by a session = %d", answer.StatusCode)
	}
	etag := h.patch(theme, red)
	if _, kind := live.next(t); kind != "theme.drafted" || !strings.Contains(live.data, `"etag":"`+etag+`"`) || !strings.Contains(live.data, `"by":"owner"`) {
		t.Errorf("the stream tells %s %s, want the draft %s", kind, live.data, etag)
	}
	if _, r := h.streamEvents(t.Context(), "", "", "Sec-Fetch-Site", "cross-site", "Cookie", b.cookie); r.StatusCode != 401 {
		t.Errorf("a stream for another page = %d, want 401", r.StatusCode)
	}
}

// A client that loses the stream before it tells anything misses nothing: the stream begins with the place to go on after,
// in an Environment that never had an event too.
func TestAStreamBeginsWithItsPlace(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	place := func() string {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s, _ := h.streamEvents(ctx, reader, "")
		for s.lines.Scan() {
			if id, found := strings.CutPrefix(s.lines.Text(), "id: "); found {
				return id
			}
		}
		return ""
	}
	for n := range 2 {
		last := place()
		h.theme(fmt.Sprint("t", n))
		again, answer := h.streamEvents(t.Context(), reader, "", "Last-Event-ID", last)
		if answer.StatusCode != 200 {
			t.Fatalf("a stream after %q = %d", last, answer.StatusCode)
		}
		if _, kind := again.next(t); kind != "theme.created" {
			t.Errorf("after %q the stream tells %q, want what happened meanwhile", last, kind)
		}
	}
}

// overridesPage asks for a page of overrides, and returns them by slug in the order of the answer.
func (h *testOrigin) overridesPage(theme, query string) (slugs []string, items map[string]map[string]any, next string) {
	h.t.Helper()
	page := h.want(200, "GET", theme+"/tokens/overrides?"+query, "").object(h.t)
	items = map[string]map[string]any{}
	for _, i := range page["items"].([]any) {
		item := i.(map[string]any)
		slugs = append(slugs, item["slug"].(string))
		items[item["slug"].(string)] = item
	}
	next, _ = page["next"].(string)
	return slugs, items, next
}

// One request has the overrides of all Variants of a Theme, each as its own read has them.
func TestOverridesOfAllVariantsAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("t")
	h.patch(theme, red)
	h.publish(theme)
	for n, slug := range []string{"none", "drafted", "published", "both", "carried"} {
		v := h.variant(theme, slug)
		if n == 0 {
			continue
		}
		h.patch(v, fmt.Sprintf(`[{"operation":"set","path":"red","value":"#%d00"},{"operation":"set","path":"a.b","value":{"x":[1,null,"%s"]}}]`, n, slug))
		if n > 1 {
			h.publish(v)
		}
		if slug == "both" {
			h.patch(v, `[{"operation":"unset","path":"a.b"}]`)
		}
	}
	h.patch(theme, `[{"operation":"add","path":"/blue","value":{"$type":"color","$value":"#00f"}}]`)
	h.publish(theme)
	slugs, items, next := h.overridesPage(theme, "")
	if !slices.Equal(slugs, []string{"both", "carried", "drafted", "none", "published"}) || next != "" {
		t.Errorf("the Variants are %v, next %q", slugs, next)
	}
	for slug, item := range items {
		set := h.want(200, "GET", theme+"/variants/"+item["variant"].(string)+"/tokens", "").object(t)
		own := map[string]any{}
		for _, token := range set["tokens"].([]any) {
			own[token.(map[string]any)["path"].(string)] = token.(map[string]any)["value"]
		}
		got, _ := json.Marshal([]any{item["overrides"], item["etag"], item["latestVersion"]})
		if want, _ := json.Marshal([]any{own, set["etag"], set["latestVersion"]}); string(got) != string(want) {
			t.Errorf("%s: %s, want %s as its own read", slug, got, want)
		}
	}
	var walked []string
	for after, n := "", 0; n < 5; n++ {
		slugs, _, next := h.overridesPage(theme, "pageSize=2&after="+after)
		if walked, after = append(walked, slugs...), next; next == "" {
			break
		}
	}
	if !slices.Equal(walked, slugs) {
		t.Errorf("page after page: %v, want %v", walked, slugs)
	}
	for query, want := range map[string][]string{"orderDir=descending&q=ED": {"published", "drafted", "carried"}, "slug=both": {"both"}, "label.a=b": nil} {
		if filtered, _, _ := h.overridesPage(theme, query); !slices.Equal(filtered, want) {
			t.Errorf("%s: %v, want %v", query, filtered, want)
		}
	}
	h.do(owner, "GET", theme+"/tokens/overrides?pageNumber=1", "").refuses(t, 400, "payload")
	h.do(owner, "GET", theme+"/tokens/overrides?pageSize=0", "").refuses(t, 400, "validation")
}

// A page ends before its overrides become too many bytes, and goes on after the last one that it has.
func TestPagesOfOverridesAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("t")
	value := strings.Repeat("x", 3<<20)
	for n := range 3 {
		operation := map[string]string{"operation": "set", "path": "a", "value": value}
		body := map[string]any{"create": []any{map[string]any{"slug": fmt.Sprint("v", n), "displayName": "V", "operations": []any{operation}}}}
		if status, answer := ask(t, "POST", h.base+apiPath+theme+"/variants/batch", h.token(owner), body); status != 200 {
			t.Fatalf("a Variant = %d %s", status, short(answer))
		}
	}
	slug := regexp.MustCompile(`"slug":"(v[0-9])"`)
	page := func(query string) (slugs []string, next string) {
		_, answer := ask(t, "GET", h.base+apiPath+theme+"/tokens/overrides?"+query, h.token(owner), nil)
		for _, found := range slug.FindAllStringSubmatch(answer, -1) {
			slugs = append(slugs, found[1])
		}
		_, rest, _ := strings.Cut(answer, `"next":"`)
		next, _, _ = strings.Cut(rest, `"`)
		return slugs, next
	}
	for _, query := range []string{"", "orderBy=updatedAt&"} {
		first, next := page(query)
		second, end := page(query + "after=" + next)
		if !slices.Equal(first, []string{"v0", "v1"}) || !slices.Equal(second, []string{"v2"}) || end != "" {
			t.Errorf("%q: the pages are %v and %v, want two and one", query, first, second)
		}
	}
}
