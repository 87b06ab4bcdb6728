package origin_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/storage"
)

// brands creates a published Theme with Variants, each with its own red, all published.
func (h *testOrigin) brands(slugs ...string) (theme string, variants []string) {
	h.t.Helper()
	theme = h.theme("brands")
	for _, slug := range slugs {
		v := h.variant(theme, slug)
		h.patch(v, `[{"operation":"set","path":"red","value":"#e00"}]`)
		variants = append(variants, v)
	}
	h.patch(theme, red)
	h.publish(theme)
	h.want(200, "POST", theme+"/variants/publish", `{"variants":"all"}`)
	return theme, variants
}

// many asks for something of many Variants, and returns the slugs to which it was done, and the reasons of the others
// in order.
func (h *testOrigin) many(path, body string) (done, reasons string) {
	h.t.Helper()
	answer := h.want(200, "POST", path, body).object(h.t)
	var slugs, why []string
	for _, name := range []string{"published", "discarded"} {
		list, _ := answer[name].([]any)
		for _, item := range list {
			slugs = append(slugs, item.(map[string]any)["slug"].(string))
		}
	}
	for _, item := range answer["skipped"].([]any) {
		why = append(why, item.(map[string]any)["reason"].(string))
	}
	return strings.Join(slugs, " "), strings.Join(why, " ")
}

// Many Variants are published in one commit, each by the same rules as alone; those that cannot be are skipped with
// the reason, and only those whose draft is as reviewed, changed or unchanged, if the request says so.
func TestManyVariantsArePublishedAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, v := h.brands("a", "b", "c", "d")
	publish, discard := theme+"/variants/publish", theme+"/variants/discard"
	if done, why := h.many(publish, `{"variants":"all"}`); done != "" || why != "alreadyPublished alreadyPublished alreadyPublished alreadyPublished" {
		t.Fatalf("a second publish = %q, skipped %q, want nothing and alreadyPublished", done, why)
	}
	h.patch(theme, `[{"operation":"move","from":"/red","path":"/crimson"}]`)
	h.publish(theme)
	stale := h.patch(v[1], `[{"operation":"set","path":"crimson","value":"#d00"}]`)
	etag := h.patch(v[1], `[{"operation":"set","path":"crimson","value":"#c00"}]`)
	h.want(200, "DELETE", v[3]+"/tokens?etag="+h.want(200, "GET", v[3]+"/tokens", "").text(t, "etag"), "")
	before := h.want(200, "GET", theme+"/variants", "").body
	dry := h.want(200, "POST", publish, `{"variants":"all","dryRun":true}`).object(t)["published"].([]any)
	if len(dry) != 3 || h.want(200, "GET", theme+"/variants", "").body != before {
		t.Fatalf("a dry run = %v, want three and no change", dry)
	}
	if b := dry[1].(map[string]any); fmt.Sprint(b["changed"]) != "[crimson]" || b["etag"] != etag || fmt.Sprint(b["added"], b["removed"], b["version"]) != "[] [] 2" {
		t.Errorf("dry run of b = %v, want crimson changed and the draft's etag", b)
	}
	ids := func(id ...string) string { return `["` + strings.Join(id, `","`) + `"]` }
	for _, c := range []struct{ path, body, done, why string }{
		{publish, `{"variants":"all","only":"unchanged"}`, "a c", "changed noDraft"},
		{publish, `{"variants":[{"id":"` + idOf(v[1]) + `","etag":"` + stale + `"},"` + idOf(v[0]) + `","var_00000000000000000000000000"]}`, "", "staleEtag alreadyPublished notFound"},
		{publish, `{"variants":` + ids(idOf(v[1])) + `,"only":"unchanged"}`, "", "changed"},
		{publish, `{"variants":[{"id":"` + idOf(v[1]) + `","etag":"` + etag + `"}],"only":"changed","note":"reviewed"}`, "b", ""},
		{publish, `{"variants":[]}`, "", ""},
	} {
		if done, why := h.many(c.path, c.body); done != c.done || why != c.why {
			t.Errorf("%s = %q, skipped %q, want %q, %q", c.body, done, why, c.done, c.why)
		}
	}
	if got := h.want(200, "GET", v[1]+"/tokens?version=2", "").body; !strings.Contains(got, `"path":"crimson"`) || !strings.Contains(got, "#c00") {
		t.Errorf("version 2 of b = %s, want the reviewed value at the new name", got)
	}
	h.patch(theme, `[{"operation":"add","path":"/green","value":{"$value":"#0f0"}}]`)
	h.publish(theme)
	changed := h.patch(v[0], `[{"operation":"set","path":"green","value":"#0e0"}]`)
	if done, why := h.many(discard, `{"variants":[{"id":"`+idOf(v[0])+`","etag":"`+changed+`"},{"id":"`+idOf(v[1])+`","etag":"x"}]}`); done != "a" || why != "staleEtag" {
		t.Errorf("discard = %q, skipped %q, want a, staleEtag", done, why)
	}
	if done, why := h.many(discard, `{"variants":"all"}`); done != "b c d" || why != "noDraft" {
		t.Errorf("discard of all = %q, skipped %q, want b c d, noDraft", done, why)
	}
	for body, cause := range map[string]string{
		``: "payload", `{}`: "validation", `{"variants":"some"}`: "validation", `{"variants":["a","a"]}`: "validation", `{"variants":"all","only":"x"}`: "validation",
		`{"variants":"all","note":"` + strings.Repeat("x", 501) + `"}`: "validation", `{"variants":[7],"dryRun":1}`: "validation",
	} {
		h.do(owner, "POST", publish, body).refuses(t, 400, cause)
	}
	fresh := h.theme("fresh")
	h.patch(h.variant(fresh, "x"), `[{"operation":"set","path":"red","value":"#e00"}]`)
	if done, why := h.many(fresh+"/variants/publish", `{"variants":"all"}`); done != "" || why != "themeUnpublished" {
		t.Errorf("of a Theme without a version = %q, skipped %q, want themeUnpublished", done, why)
	}
}

// A hundred Variants are made with their overrides, reviewed with every value, and published in three requests. The publish
// is one commit: it adds one entry to the change log.
func TestAHundredVariantsTakeThreeRequests(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	themes := "/environments/" + h.foreign + "/themes" // the plan pro
	post := func(path, body string) reply {
		r := h.do(stranger, "POST", path, body)
		if r.status >= 300 {
			t.Fatalf("POST %s = %d %s", path, r.status, short(r.body))
		}
		return r
	}
	theme := themes + "/" + post(themes, `{"slug":"t","displayName":"T"}`).text(t, "id")
	if r := h.do(stranger, "PATCH", theme+"/tokens", `{"operations":`+red+`}`); r.status != 200 {
		t.Fatal(r)
	}
	post(theme+"/tokens/publish", "")
	var brands []string
	for n := range 100 {
		brands = append(brands, fmt.Sprintf(`{"slug":"v%02d","displayName":"V","operations":[{"operation":"set","path":"red","value":"#0000%02x"}]}`, n, n))
	}
	if made := post(theme+"/variants/batch", `{"create":[`+strings.Join(brands, ",")+`]}`).object(t)["created"].([]any); len(made) != 100 {
		t.Fatalf("%d Variants were made, want 100", len(made))
	}
	reviewed := post(theme+"/variants/publish", `{"variants":"all","dryRun":true,"values":true}`).object(t)["published"].([]any)
	var picks []string
	for n, item := range reviewed {
		v := item.(map[string]any)
		if want := fmt.Sprintf("[map[path:red to:#0000%02x]]", n); fmt.Sprint(v["values"]) != want {
			t.Fatalf("values of %s = %v, want %s", v["slug"], v["values"], want)
		}
		picks = append(picks, fmt.Sprintf(`{"id":%q,"etag":%q}`, v["id"], v["etag"]))
	}
	changes := h.countChanges(t)
	done := post(theme+"/variants/publish", `{"variants":[`+strings.Join(picks, ",")+`],"note":"all of them"}`).object(t)
	if n := len(done["published"].([]any)); n != 100 || len(done["skipped"].([]any)) != 0 {
		t.Errorf("%d published, skipped %v, want 100 and none", n, done["skipped"])
	}
	if now := h.countChanges(t); now != changes+1 {
		t.Errorf("%d entries of the change log, want 1", now-changes)
	}
}

// A dry run shows each override that a publish would change, with what it was and what it would be; a publish does not.
func TestAReviewShowsValues(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, v := h.brands("a")
	h.patch(theme, `[{"operation":"add","path":"/green","value":{"$value":"#0f0"}},{"operation":"add","path":"/blue","value":{"$value":"#00f"}}]`)
	h.publish(theme)
	h.patch(v[0], `[{"operation":"set","path":"green","value":null}]`)
	h.publish(v[0])
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	h.patch(v[0], `[{"operation":"set","path":"red","value":{"a":1}},{"operation":"unset","path":"green"},{"operation":"set","path":"blue","value":"#00e"}]`)
	publish := theme + "/variants/publish"
	done := h.want(200, "POST", publish, `{"variants":"all","dryRun":true,"values":true}`).object(t)["published"].([]any)[0].(map[string]any)
	want := "[map[path:blue to:#00e] map[from:<nil> path:green] map[from:#e00 path:red to:map[a:1]]]"
	if fmt.Sprint(done["values"]) != want {
		t.Errorf("values = %v, want %s", done["values"], want)
	}
	h.do(owner, "POST", publish, `{"variants":"all","values":true}`).refuses(t, 400, "validation")
	if r := h.want(200, "POST", publish, `{"variants":"all"}`); strings.Contains(r.body, "values") {
		t.Errorf("a publish = %s, want no values", r.body)
	}
}

// countChanges returns how many entries the change log has that name a Theme.
func (h *testOrigin) countChanges(t *testing.T) (n int) {
	t.Helper()
	all, err := h.store.Changes(t.Context(), storage.Cursor{}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Change.ThemeID != "" {
			n++
		}
	}
	return n
}
