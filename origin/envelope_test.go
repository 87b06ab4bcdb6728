package origin_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// listRoute is an operation of the document that answers with a list.
type listRoute struct {
	path   string
	get    *openapi3.Operation
	schema *openapi3.Schema
	size   string   // name of the parameter that bounds a page
	more   []string // members of its answers beside those of every list
}

// param returns a query parameter, with how the document refers to it; nil if the route has none of the name.
func (l listRoute) param(name string) *openapi3.ParameterRef {
	for _, p := range l.get.Parameters {
		if p.Value.In == "query" && p.Value.Name == name {
			return p
		}
	}
	return nil
}

// listRoutes returns the lists of the document, by their operation.
func listRoutes(t *testing.T) map[string]listRoute {
	t.Helper()
	lists := map[string]listRoute{}
	for path, item := range readContract(t).document.Paths.Map() {
		if item.Get == nil || item.Get.Responses.Value("200") == nil {
			continue
		}
		media := item.Get.Responses.Value("200").Value.Content.Get("application/json")
		name := item.Get.OperationID
		listed := media != nil && media.Schema != nil && media.Schema.Value.Properties["items"] != nil
		if named := strings.HasPrefix(name, "list"); listed != named {
			t.Errorf("%s: its name says that it is a list: %v; it answers items: %v", name, named, listed)
		}
		if listed {
			l := listRoute{path: strings.TrimPrefix(path, apiPath), get: item.Get, schema: media.Schema.Value, size: "pageSize"}
			if name == "listEvents" {
				l.size, l.more = "limit", []string{"missed"}
			}
			lists[name] = l
		}
	}
	if len(lists) < 9 {
		t.Fatalf("the document has the lists %q", slices.Sorted(maps.Keys(lists)))
	}
	return lists
}

// envelope is the members that every list answers, and the schemas that describe them.
var envelope = map[string]string{"pageNumber": "PageNumber", "pageSize": "PageSize", "pageCount": "PageCount"}

// TestLists_AreDescribedAlike: every list of the document has the one envelope of decision 1.3, and the parameters to page by.
func TestLists_AreDescribedAlike(t *testing.T) {
	t.Parallel()
	for name, l := range listRoutes(t) {
		schemas, required := maps.Clone(envelope), append([]string{"items"}, l.more...)
		required = slices.AppendSeq(required, maps.Keys(envelope))
		schemas["next"] = "Next"
		if l.param("includeTotals") != nil {
			schemas["totalCount"], schemas["totalPages"] = "TotalCount", "TotalPages"
		}
		for member, schema := range schemas {
			if p := l.schema.Properties[member]; p == nil || p.Ref != "#/components/schemas/"+schema {
				t.Errorf("%s: its member %s is not the schema %s", name, member, schema)
			}
		}
		for member := range l.schema.Properties {
			if schemas[member] == "" && member != "items" && !slices.Contains(l.more, member) {
				t.Errorf("%s: its member %s is not of the envelope", name, member)
			}
		}
		slices.Sort(required)
		if got := slices.Sorted(slices.Values(l.schema.Required)); !slices.Equal(got, required) {
			t.Errorf("%s: its answers always have %q, want %q", name, got, required)
		}
		if after := l.param("after"); l.param(l.size) == nil || after == nil || after.Ref == "" && name != "listEvents" {
			t.Errorf("%s: a list has the parameters After and %s", name, l.size)
		}
	}
}

// manyLists makes several items on every list, and returns what its paths can name.
func (h *testOrigin) manyLists(purge *receiver) (names []map[string]string) {
	h.t.Helper()
	var webhooks []string
	for range 2 {
		webhook, _ := h.addWebhook(purge, `,"kinds":["theme.deleted"]`)
		webhooks = append(webhooks, webhook)
		for range 3 {
			h.want(202, "POST", webhook+"/test", "")
		}
	}
	for _, slug := range []string{"one", "two"} {
		theme := h.theme(slug)
		variants := []string{h.variant(theme, "a"), h.variant(theme, "b")}
		for n := range 3 {
			h.patch(theme, fmt.Sprintf(`[{"operation":"add","path":"/red%d","value":{"$value":"#f00","$type":"color"}}]`, n))
			h.publish(theme)
			for i, v := range variants {
				h.patch(v, fmt.Sprintf(`[{"operation":"set","path":"red%d","value":"#e00"}]`, n))
				h.publish(v)
				if n == 0 {
					names = append(names, map[string]string{"environmentID": h.sandbox, "themeID": idOf(theme), "variantID": idOf(v), "webhookID": idOf(webhooks[i])})
				}
			}
		}
	}
	return names
}

// onePath spells the path of a list.
func (l listRoute) onePath(names map[string]string) string {
	path := l.path
	for name, id := range names {
		path = strings.ReplaceAll(path, "{"+name+"}", id)
	}
	return path
}

// TestLists_AnswerAlike follows every list of the document from page to page: each answer has the members of the one envelope
// (S44, S46), and a cursor is refused by every list but its own, and by its own in another order or with another filter.
func TestLists_AnswerAlike(t *testing.T) {
	t.Parallel()
	purge, trusting := newReceiver(t, nil)
	h := newTestOrigin(t, trusting)
	names, cursors, lists := h.manyLists(purge), map[string]string{}, map[string]listRoute{}
	for name, l := range listRoutes(t) {
		for _, n := range names {
			path := l.onePath(n)
			if strings.Contains(path, "{") {
				t.Fatalf("%s: this test does not know what %s names", name, path)
			}
			if lists[path].get != nil {
				continue
			}
			lists[path], cursors[path] = l, h.followsAlike(l, path)
		}
	}
	for path, after := range cursors {
		if lists[path].size == "limit" {
			continue // the cursor of an event is its id
		}
		h.refusesCursor(lists[path], path, "after=1")
		for other, l := range lists {
			if other != path {
				h.refusesCursor(l, other, "after="+after)
			}
		}
		for _, p := range lists[path].get.Parameters {
			query := url.Values{p.Value.Name: {fmt.Sprint(p.Value.Example)}}.Encode()
			switch p.Value.Name {
			case "after", "pageSize", "pageNumber", "includeTotals":
				continue
			case "label":
				query = "label.region=eu"
			}
			if p.Value.In == "query" && p.Ref != "#/components/parameters/IgnoredSlug" {
				h.refusesCursor(lists[path], path, query+"&after="+after)
			}
		}
	}
}

// refusesCursor wants a list to refuse a cursor of another list.
func (h *testOrigin) refusesCursor(l listRoute, path, query string) {
	h.t.Helper()
	want := "after: is not the next of this list with this order and these filters; send it as it was answered"
	if l.size == "limit" {
		want = "after: is not the id of an event"
	}
	r := h.do(owner, "GET", path+"?"+query, "")
	if r.status != 400 || !slices.Equal(r.refuses(h.t, 400, "payload").Messages, []string{want}) {
		h.t.Errorf("GET %s?%s = %d %s, want 400 %q", path, query, r.status, short(r.body), want)
	}
}

// followsAlike reads a list at once and by pages of one item, and returns the cursor after its first item.
func (h *testOrigin) followsAlike(l listRoute, path string) (cursor string) {
	h.t.Helper()
	always := append([]string{"items"}, l.more...)
	always = slices.AppendSeq(always, maps.Keys(envelope))
	page := func(query string, size int, more ...string) (items []any, next string) {
		h.t.Helper()
		body := h.want(200, "GET", path+"?"+query, "").object(h.t)
		items, next = body["items"].([]any), ""
		want := append(more, always...)
		if text, follows := body["next"].(string); follows {
			next, want = text, append(want, "next")
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(body)); !slices.Equal(got, want) || body["pageNumber"] != 1.0 || body["pageSize"] != float64(size) || body["pageCount"] != float64(len(items)) {
			h.t.Errorf("GET %s?%s answers %q, page %v of size %v with %v of %d items; want %q", path, query, got, body["pageNumber"], body["pageSize"], body["pageCount"], len(items), want)
		}
		return items, next
	}
	all, next := page("", 100)
	if len(all) < 2 || next != "" {
		h.t.Fatalf("GET %s has %d items and next %q, want some and none: manyLists makes them", path, len(all), next)
	}
	if l.param("includeTotals") != nil {
		page("includeTotals=true", 100, "totalCount", "totalPages")
	}
	for i, item := range all {
		one, next := page(l.size+"=1&after="+cursor, 1)
		if len(one) != 1 || identity(one[0]) != identity(item) || (next == "") != (i == len(all)-1) {
			h.t.Fatalf("item %d of %d of GET %s is %v and next %q, want %v", i+1, len(all), path, one, next, item)
		}
		if cursor = next; i == 0 {
			defer func(first string) { cursor = first }(next)
		}
	}
	return cursor
}

// identity returns what tells an item from the others of its list.
func identity(item any) string {
	o := item.(map[string]any)
	return fmt.Sprint(o["id"], o["variant"], o["version"])
}
