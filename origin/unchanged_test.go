package origin_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/origin/api"
	"example.com/livery/storage"
)

// A request whose result is what is stored already changes nothing: no record, no event, no audit entry, and nothing that edges
// or webhooks hear of. Every route that replaces or edits something has a case.
func TestRequestsThatChangeNothing(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	variant, drafted := h.variant(theme, "dark"), h.variant(theme, "drafted")
	h.patch(theme, red)
	h.publish(theme)
	h.patch(variant, `[{"operation":"set","path":"red","value":"#00ff00"}]`)
	h.publish(variant)
	etag := h.patch(drafted, `[{"operation":"set","path":"red","value":"#0000ff"}]`)
	integrations := `{"integrations":[{"framework":"vue","library":"plainCSS"},{"framework":"react","library":"plainCSS"}]}`
	named := `{"slug":%q,"displayName":"Name","metadata":{"b":"2","a":"1"}}`
	h.want(200, "PUT", theme+"/integrations", integrations)
	h.want(200, "PUT", theme+"/modes", darkModes(variant))
	h.want(200, "PUT", theme, fmt.Sprintf(named, "brand"))
	h.want(200, "PUT", variant, fmt.Sprintf(named, "dark"))
	const variantRoute = themeRoute + "/variants/{variantID}"
	cases := []struct{ route, path, body string }{
		{"PUT " + themeRoute, theme, fmt.Sprintf(named, "brand")},
		{"PUT " + themeRoute, theme, `{"slug":"brand","displayName":" Name "}`},
		{"PUT " + themeRoute + "/integrations", theme + "/integrations", integrations},
		{"PUT " + themeRoute + "/modes", theme + "/modes", darkModes(variant)},
		{"PUT " + variantRoute, variant, fmt.Sprintf(named, "dark")},
		{"PATCH " + themeRoute + "/tokens", theme + "/tokens", `{"operations":[]}`},
		{"PATCH " + themeRoute + "/tokens", theme + "/tokens", `{"operations":[{"operation":"replace","path":"/red/$value","value":"#ff0000"}]}`},
		{"PATCH " + variantRoute + "/tokens", variant + "/tokens", `{"operations":[{"operation":"set","path":"red","value":"#00ff00"}]}`},
		{"PATCH " + variantRoute + "/tokens", drafted + "/tokens?etag=" + etag, `{"operations":[{"operation":"set","path":"red","value":"#0000ff"},{"operation":"unset","path":"x"}]}`},
		{"DELETE " + themeRoute + "/tokens", theme + "/tokens", ""},
		{"DELETE " + variantRoute + "/tokens", variant + "/tokens", ""},
		{"POST " + themeRoute + "/tokens/restore", theme + "/tokens/restore?version=1", ""},
		{"POST " + variantRoute + "/tokens/restore", variant + "/tokens/restore?version=1", ""},
		{"POST " + themeRoute + "/variants/batch", theme + "/variants/batch", fmt.Sprintf(
			`{"change":[{"id":%q,"slug":"dark","displayName":"Name","metadata":{"a":"1","b":"2"},"operations":[{"operation":"set","path":"red","value":"#00ff00"}]}]}`, idOf(variant))},
		{"POST " + themeRoute + "/variants/publish", theme + "/variants/publish", fmt.Sprintf(`{"variants":[%q]}`, idOf(variant))},
		{"POST " + themeRoute + "/variants/discard", theme + "/variants/discard", fmt.Sprintf(`{"variants":[%q]}`, idOf(variant))},
	}
	state := func() (s string) {
		for _, path := range []string{theme, theme + "/modes", variant, drafted, theme + "/tokens", variant + "/tokens", drafted + "/tokens"} {
			r := h.want(200, "GET", path, "")
			s += fmt.Sprintln(path, r.header.Get("ETag"), r.body)
		}
		err := h.store.View(context.Background(), func(r storage.Reader) error {
			s += fmt.Sprintln("change log", r.Cursor())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s + fmt.Sprintln("events and audit entries", h.countKeys('L'), h.countKeys('A'))
	}
	before, tested := state(), map[string]bool{}
	for _, c := range cases {
		h.clock.move(time.Second)
		method, _, _ := strings.Cut(c.route, " ")
		tested[c.route] = true
		r := h.want(200, method, c.path, c.body)
		if after := state(); after != before {
			t.Errorf("%s %s changes something:\n%s\nbefore:\n%s", c.route, c.body, after, before)
			before = after
		}
		if method != "PUT" || strings.HasSuffix(c.path, "/integrations") {
			continue
		}
		if shown := h.want(200, "GET", c.path, ""); shown.body != r.body || shown.header.Get("ETag") != r.header.Get("ETag") {
			t.Errorf("%s answers %s, want what a read shows: %s", c.route, r.body, shown.body)
		}
	}
	for _, route := range slices.Concat(api.Routes(), api.Extras()) {
		if name := route.Method + " " + route.Path; (route.Method == "PUT" || route.Method == "PATCH") && !tested[name] {
			t.Errorf("%s is in no case", name)
		}
	}
}
