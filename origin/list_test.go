package origin_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/internal/test/race"
	"example.com/livery/origin"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// listPage is one page of a list.
type listPage struct {
	slugs []string
	next  string // empty on the last page
	body  map[string]any
}

// list reads a page of a list.
func (h *testOrigin) list(path, query string) listPage {
	h.t.Helper()
	p := listPage{body: h.want(200, "GET", path+"?"+query, "").object(h.t)}
	for _, item := range p.body["items"].([]any) {
		p.slugs = append(p.slugs, item.(map[string]any)["slug"].(string))
	}
	p.next, _ = p.body["next"].(string)
	return p
}

// follow reads a list from page to page; between does something between two pages.
func (h *testOrigin) follow(path, query string, between func(page int)) (slugs []string) {
	h.t.Helper()
	after := ""
	for n := 0; ; n++ {
		p := h.list(path, query+"&after="+url.QueryEscape(after))
		slugs = append(slugs, p.slugs...)
		if after = p.next; after == "" {
			return slugs
		}
		between(n)
	}
}

// labelled creates a Theme with a display name and labels, later than what was created before, and returns the path of it.
func (h *testOrigin) labelled(slug, name, labels string) string {
	h.t.Helper()
	h.clock.move(time.Millisecond)
	themes := "/environments/" + h.sandbox + "/themes"
	return themes + "/" + h.want(201, "POST", themes, fmt.Sprintf(`{"slug":%q,"displayName":%q,"metadata":%s}`, slug, name, labels)).text(h.t, "id")
}

// Each filter keeps what it says, several keep what passes all of them, and totals count what passes.
func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.sandbox + "/themes"
	h.labelled("acme", "The First Brand", `{"region":"eu","tier":"gold"}`)
	h.labelled("Beta", "second", `{"region":"eu"}`)
	edited := h.labelled("core", "Basis of all brands", `{"region":"us","tier":"gold"}`)
	h.clock.move(time.Millisecond)
	h.patch(edited, red)
	for query, want := range map[string]string{
		"":                                       "Beta acme core",
		"q=BRAND":                                "acme core",
		"q=beta":                                 "Beta",
		"q=nothing":                              "",
		"hasUnpublishedChanges=true":             "core",
		"hasUnpublishedChanges=false":            "Beta acme",
		"label.region=eu":                        "Beta acme",
		"label.region=eu&label.tier=gold":        "acme",
		"label.region=eu&label.region=us":        "",
		"label.tier=":                            "",
		"q=brand&label.region=us&orderBy=slug":   "core",
		"slug=core&hasUnpublishedChanges=true":   "core",
		"slug=core&hasUnpublishedChanges=false":  "",
		"orderBy=updatedAt":                      "acme Beta core",
		"orderBy=updatedAt&orderDir=descending":  "core Beta acme",
		"orderBy=updatedAt&label.region=eu&q=se": "Beta",
	} {
		p := h.list(themes, query+"&includeTotals=true")
		if got := strings.Join(p.slugs, " "); got != want || p.body["totalCount"] != float64(len(p.slugs)) || p.next != "" {
			t.Errorf("Themes with %q = %q of %v and next %q, want %q, all of them, and no next", query, got, p.body["totalCount"], p.next, want)
		}
	}
	h.variant(edited, "dark")
	h.patch(h.variant(edited, "light"), `[{"operation":"set","path":"red","value":"#f00"}]`)
	if p := h.list(edited+"/variants", "hasUnpublishedChanges=true"); strings.Join(p.slugs, " ") != "light" {
		t.Errorf("Variants with a draft = %q, want light", p.slugs)
	}
	if p := h.list("/environments", "q=STAG"); strings.Join(p.slugs, " ") != "staging" {
		t.Errorf("Environments with %q = %q, want staging", "STAG", p.slugs)
	}
	for query, cause := range map[string]string{
		"after=&pageNumber=1": "payload", "after=*": "payload", "after=AAAA": "payload", "orderBy=id": "payload", "hasUnpublishedChanges=yes": "payload",
		"orderBy=updatedAt&after=" + h.list(themes, "pageSize=1").next: "payload", "pageSize=0&after=": "validation",
	} {
		h.do(owner, "GET", themes+"?"+query, "").refuses(t, 400, cause)
	}
	if p := h.list(themes, "pageSize=1&pageNumber=1"); p.next != "" {
		t.Errorf("a page by its number has next %q, want none", p.next)
	}
}

// A list that is followed by next holds every item that is there all the while once, in order, whatever is created and
// deleted meanwhile.
func TestAListThatIsFollowedSkipsNothing(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "&orderDir=descending", "&q=t", "&q=t&orderDir=descending", "&orderBy=updatedAt", "&orderBy=updatedAt&orderDir=descending"} {
		h := newTestOrigin(t)
		themes := "/environments/" + h.sandbox + "/themes"
		paths, stays := map[string]string{}, []string{}
		for n := range 12 {
			slug := fmt.Sprintf("t%02d", n)
			h.clock.move(time.Millisecond)
			if paths[slug] = h.theme(slug); n%3 != 0 {
				stays = append(stays, slug)
			}
		}
		if strings.Contains(query, "descending") {
			slices.Reverse(stays)
		}
		deleted := []string{"t00", "t03", "t06", "t09"}
		got := h.follow(themes, "pageSize=2"+query, func(page int) {
			if page < len(deleted) {
				h.want(200, "DELETE", paths[deleted[page]], "")
				h.theme(fmt.Sprintf("u%02d", page))
			}
		})
		var kept []string
		for _, slug := range got {
			if slices.Contains(stays, slug) {
				kept = append(kept, slug)
			}
		}
		if !slices.Equal(kept, stays) {
			t.Errorf("followed with %q: %q, want %q in this order", query, got, stays)
		}
	}
}

// A page of 20,000 Themes reads the keys and the records of the page alone, wherever it begins. A filter and an order by time
// read the records alone; but the first one reads all entries, and one after a change those of the bucket that changed.
func TestAPageOfALongListReadsWhatItShows(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	const count, size = 20_000, 50
	reads := &readsStore{}
	h := newTestOrigin(t, func(c *origin.Config) {
		sandbox := sandboxOf(t, c.Store)
		manyThemes(t, c.Store, sandbox, count)
		reads.Store, c.Store = c.Store, reads
	})
	themes := "/environments/" + h.sandbox + "/themes"
	after := ""
	for range count/1000 - 1 {
		after = h.list(themes, "pageSize=1000&after="+after).next
	}
	reading := func(query string) (slugs []string, gets, scanned int64) {
		reads.gets.Store(0)
		reads.scanned.Store(0)
		slugs = h.list(themes, fmt.Sprintf("pageSize=%d&%s", size, query)).slugs
		return slugs, reads.gets.Load(), reads.scanned.Load()
	}
	if _, _, scanned := reading("q=theme"); scanned > count {
		t.Errorf("the first search reads %d entries, want %d", scanned, count)
	}
	for query, want := range map[string]struct {
		items int
		keys  int64
	}{
		"": {size, size + 1}, "after=": {size, size + 1}, "after=" + after: {size, size + 1}, "after=&orderDir=descending": {size, size + 1},
		"after=&includeTotals=true": {size, size + 3},
		"q=theme-1999":              {10, 0}, "q=nothing": {0, 0}, "q=e&includeTotals=true": {size, 0},
		"label.a=b": {0, 0}, "hasUnpublishedChanges=true": {0, 0}, "hasUnpublishedChanges=false": {size, 0},
		"orderBy=updatedAt&after=": {size, 0}, "orderBy=updatedAt&pageNumber=200": {size, 0},
		"q=theme-000&orderBy=updatedAt&orderDir=descending": {size, 0},
	} {
		slugs, gets, scanned := reading(query)
		if len(slugs) != want.items || scanned > want.keys || gets > size+8 {
			t.Errorf("%s: %d items, %d records and %d keys read, want %d, at most %d and %d", query, len(slugs), gets, scanned, want.items, size+8, want.keys)
		}
	}
	h.theme("new")
	if slugs, _, scanned := reading("q=new"); len(slugs) != 1 || scanned > 2*count/storage.Buckets {
		t.Errorf("a search after a change finds %q and reads %d entries, want new and one bucket of about %d", slugs, scanned, count/storage.Buckets)
	}
}

// sandboxOf returns the id of the Environment that tests write to.
func sandboxOf(t *testing.T, store storage.Store) (id string) {
	t.Helper()
	err := store.View(context.Background(), func(r storage.Reader) error {
		return storage.Environments.Scan(r, storage.Ascending, func(_ []byte, e record.Environment) bool {
			if e.Slug == "sandbox" && e.Grants[owner] == record.Admin {
				id = e.ID
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestCursor_OfAnotherQuery: a cursor that is damaged, or comes from another list, order or filter, is refused and skips nothing.
func TestCursor_OfAnotherQuery(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	for _, slug := range []string{"a", "b", "c"} {
		h.theme(slug)
	}
	themes := "/environments/" + h.sandbox + "/themes"
	next := h.list(themes, "pageSize=1&after=").next
	if got := h.list(themes, "pageSize=1&after="+next).slugs; !slices.Equal(got, []string{"b"}) {
		t.Fatalf("the second page is %q", got)
	}
	damaged := []byte(next)
	damaged[len(damaged)/2] ^= 1
	for name, query := range map[string]string{
		"damaged": "after=" + string(damaged), "cut": "after=" + next[:len(next)-4], "of another order": "orderBy=updatedAt&after=" + next,
		"of another direction": "orderDir=descending&after=" + next, "of another filter": "q=a&after=" + next,
		"of no filter for labels": "label.a=b&after=" + next, "of no list": "after=bm90aGluZw",
	} {
		if got := h.do(owner, "GET", themes+"?pageSize=1&"+query, ""); got.status != 400 {
			t.Errorf("a cursor %s: %d, want 400", name, got.status)
		}
	}
	h.want(400, "GET", "/environments?pageSize=1&after="+next, "")
}
