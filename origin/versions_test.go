package origin_test

import (
	"fmt"
	"strings"
	"testing"
)

// rows spells the versions of a list: number, author, note, tokens, added, removed, changed.
func (h *testOrigin) rows(path, query string) (rows []string, next string) {
	h.t.Helper()
	page := h.want(200, "GET", path+"/tokens/versions?"+query, "").object(h.t)
	for _, item := range page["items"].([]any) {
		v := item.(map[string]any)
		if v["publishedAt"] == nil {
			h.t.Errorf("version %v does not say when it was published", v)
		}
		rows = append(rows, strings.TrimSpace(fmt.Sprintln(v["version"], v["publishedBy"], v["note"], v["tokenCount"], v["added"], v["removed"], v["changed"])))
	}
	next, _ = page["next"].(string)
	return rows, next
}

func (h *testOrigin) wantRows(path, query string, want ...string) {
	h.t.Helper()
	if got, _ := h.rows(path, query); strings.Join(got, "; ") != strings.Join(want, "; ") {
		h.t.Errorf("versions of %s?%s = %q, want %q", path, query, got, want)
	}
}

// Every version says when, by whom, with which note and how much it changed; newest first, from page to page.
func TestVersionsSayWhatTheyChanged(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("t")
	v := h.variant(theme, "v")
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":"#f00","$type":"color"}},{"operation":"add","path":"/b","value":{"$value":"1px","$type":"dimension"}}]`)
	h.patch(v, `[{"operation":"set","path":"a","value":"#e00"}]`)
	h.want(200, "POST", theme+"/tokens/publish", `{"note":"  The first  "}`)
	h.want(200, "POST", v+"/tokens/publish", `{"note":"Brand"}`)
	h.patch(theme, `[{"operation":"move","from":"/a","path":"/c"},{"operation":"remove","path":"/b"},{"operation":"add","path":"/d","value":{"$value":"#00f","$type":"color"}}]`)
	r := h.do(designer, "POST", theme+"/tokens/publish", "")
	if r.status != 200 {
		t.Fatal(r.body)
	}
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", `{"note":null}`)
	h.patch(v, `[{"operation":"set","path":"d","value":"#00e"},{"operation":"unset","path":"c"}]`)
	h.want(200, "POST", v+"/tokens/publish", `{}`)
	h.wantRows(theme, "", "3 owner <nil> 2 0 0 0", "2 designer <nil> 2 1 1 1", "1 owner The first 2 2 0 0")
	h.wantRows(v, "", "3 owner <nil> 1 1 1 0", "1 owner Brand 1 1 0 0")
	rows, next := h.rows(theme, "pageSize=2")
	if len(rows) != 2 || next == "" {
		t.Fatalf("a page of two = %q, next %q", rows, next)
	}
	h.wantRows(theme, "pageSize=2&after="+next, "1 owner The first 2 2 0 0")
	if rows, next := h.rows(theme, "pageSize=3"); len(rows) != 3 || next != "" {
		t.Errorf("the last page = %q, next %q, want three and no next", rows, next)
	}
	h.do(owner, "GET", theme+"/tokens/versions?pageSize=0", "").refuses(t, 400, "validation")
	h.do(owner, "GET", theme+"/tokens/versions?after=x", "").refuses(t, 400, "payload")
	for body, cause := range map[string]string{`{"note":7}`: "validation", `{"note":"a\nb"}`: "validation", `{`: "payload", `{"note":"` + strings.Repeat("ü", 501) + `"}`: "validation"} {
		h.do(owner, "POST", theme+"/tokens/publish?unchanged=true", body).refuses(t, 400, cause)
	}
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", `{"note":"`+strings.Repeat("ü", 500)+`"}`)
}

// tokensOf spells the tokens of a set: path=value.
func (h *testOrigin) tokensOf(path, query string) string {
	h.t.Helper()
	var all []string
	for _, token := range h.want(200, "GET", path+"/tokens?"+query, "").object(h.t)["tokens"].([]any) {
		t := token.(map[string]any)
		all = append(all, fmt.Sprintf("%v=%v", t["path"], t["value"]))
	}
	return strings.Join(all, " ")
}

// published makes a Theme of two colours and a Variant that overrides both, and publishes them.
func (h *testOrigin) published() (theme, variant string) {
	h.t.Helper()
	theme = h.theme("t")
	variant = h.variant(theme, "v")
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":"#f00","$type":"color"}},{"operation":"add","path":"/b","value":{"$value":"#0f0","$type":"color"}}]`)
	h.patch(variant, `[{"operation":"set","path":"a","value":"#e00"},{"operation":"set","path":"b","value":"{a}"}]`)
	h.publish(theme)
	h.publish(variant)
	return theme, variant
}

// A restored version is a draft with its content; published, the overrides of Variants follow the renames back. A restore of
// what is newest leaves no draft, and one needs the etag of a draft that it replaces.
func TestAVersionIsRestored(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, v := h.published()
	for _, step := range []string{
		`[{"operation":"move","from":"/a","path":"/x"}]`,
		`[{"operation":"move","from":"/x","path":"/y"},{"operation":"replace","path":"/y/$value","value":"#00f"}]`,
	} {
		h.patch(theme, step)
		h.publish(theme)
		h.publish(v)
	}
	if got := h.tokensOf(v, ""); got != "y=#e00 b={y}" {
		t.Fatalf("overrides at version 3 = %s", got)
	}
	h.do(owner, "POST", theme+"/tokens/restore", "").refuses(t, 400, "payload")
	h.do(owner, "POST", theme+"/tokens/restore?version=9", "").refuses(t, 404, "notFound")
	h.do(owner, "POST", theme+"/tokens/restore?version=1&etag=x", "").refuses(t, 409, "conflict")
	if r := h.want(200, "POST", theme+"/tokens/restore?version=3", "").object(t); r["etag"] != nil || r["hasUnpublishedChanges"] != false {
		t.Errorf("a restore of the newest version = %v, want no draft", r)
	}
	before := h.tokensOf(theme, "version=1")
	etag := h.want(200, "POST", theme+"/tokens/restore?version=1", "").text(t, "etag")
	if got := h.tokensOf(theme, ""); got != before {
		t.Errorf("the draft = %s, want version 1: %s", got, before)
	}
	h.do(owner, "POST", theme+"/tokens/restore?version=2", "").refuses(t, 409, "conflict")
	etag = h.want(200, "POST", theme+"/tokens/restore?version=2&etag="+etag, "").text(t, "etag")
	h.want(200, "POST", theme+"/tokens/restore?version=1", "", "If-Match", `"`+etag+`"`)
	h.want(200, "POST", theme+"/tokens/publish", `{"note":"back to 1"}`)
	if got := h.tokensOf(theme, "version=4"); got != before {
		t.Errorf("version 4 = %s, want that of version 1: %s", got, before)
	}
	if got := h.tokensOf(v, ""); got != "a=#e00 b={a}" {
		t.Errorf("overrides after the publish = %s, want those that follow the renames back", got)
	}
	h.wantRows(theme, "pageSize=1", "4 owner back to 1 2 0 0 1")
}

// A Variant's restored version follows the renames that its Theme made since, and drops what lost its token.
func TestAVariantsVersionIsRestored(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, v := h.published()
	h.patch(v, `[{"operation":"unset","path":"a"},{"operation":"set","path":"b","value":"#010203"}]`)
	h.patch(theme, `[{"operation":"move","from":"/a","path":"/x"}]`)
	h.publish(theme)
	h.publish(v)
	h.do(owner, "POST", v+"/tokens/restore?version=7", "").refuses(t, 404, "notFound")
	h.want(200, "POST", v+"/tokens/restore?version=1", "")
	if got := h.tokensOf(v, ""); got != "x=#e00 b={x}" {
		t.Errorf("restored overrides = %s, want those of version 1 at the new name", got)
	}
	etag := h.want(200, "GET", v+"/tokens", "").text(t, "etag")
	if r := h.want(200, "POST", v+"/tokens/restore?version=2&etag="+etag, "").object(t); r["etag"] != nil {
		t.Errorf("a restore of what is served = %v, want no draft", r)
	}
	h.patch(theme, `[{"operation":"remove","path":"/b"},{"operation":"add","path":"/c","value":{"$value":"#00f","$type":"color"}}]`)
	h.publish(theme)
	etag = h.want(200, "GET", v+"/tokens", "").text(t, "etag")
	h.want(200, "POST", v+"/tokens/restore?version=1&etag="+etag, "")
	h.want(200, "POST", v+"/tokens/publish", "")
	h.wantRows(v, "pageSize=1", "3 owner <nil> 1 1 0 0")
}
