package origin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/renderer"
	"example.com/livery/storage"
)

// darkModes is the list with one dimension whose mode dark is a Variant.
func darkModes(variant string) string {
	return fmt.Sprintf(`{"modes":[{"dimension":"scheme","mode":"light","variant":null},{"dimension":"scheme","mode":"dark","variant":%q,"when":"(prefers-color-scheme: dark)"}]}`, idOf(variant))
}

// Decision 10.1: the list is replaced whole or not at all, and read as it was put.
func TestModesAreReplacedWhole(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme, other := h.theme("brand"), h.theme("other")
	dark, foreign := h.variant(theme, "dark"), h.variant(other, "dark")
	if r := h.want(200, "GET", theme+"/modes", ""); r.body != `{"modes":[]}` {
		t.Errorf("GET = %s, want an empty list", r.body)
	}
	before := h.want(200, "GET", theme, "").text(t, "updatedAt")
	h.clock.move(time.Second)
	put := h.want(200, "PUT", theme+"/modes", darkModes(dark))
	if put.body != darkModes(dark) {
		t.Errorf("PUT = %s, want %s", put.body, darkModes(dark))
	}
	if h.want(200, "GET", theme, "").text(t, "updatedAt") == before {
		t.Error("updatedAt stays as it was")
	}
	for _, bad := range []string{`{}`, `[]`, `{"modes":[{"dimension":"Scheme","mode":"a","variant":null}]}`, `{"modes":[{"dimension":"a","mode":"a"}]}`} {
		h.do(owner, "PUT", theme+"/modes", bad).refuses(t, 400, "validation")
	}
	h.do(owner, "PUT", theme+"/modes", `{`).refuses(t, 400, "payload")
	for _, id := range []string{idOf(foreign), "var_0", "dark"} {
		h.do(owner, "PUT", theme+"/modes", strings.ReplaceAll(darkModes(dark), idOf(dark), id)).refuses(t, 404, "notFound")
		h.do(owner, "PUT", theme+"/modes", fmt.Sprintf(`{"modes":[{"dimension":"a","mode":"b","variant":null,"for":%q}]}`, id)).refuses(t, 404, "notFound")
	}
	get := h.want(200, "GET", theme+"/modes", "")
	if get.body != darkModes(dark) || etagOf(t, get) != etagOf(t, put) {
		t.Errorf("GET = %s with %s, want what was put with %s", get.body, etagOf(t, get), etagOf(t, put))
	}
	h.want(304, "GET", theme+"/modes", "", "If-None-Match", etagOf(t, get))
	h.do(owner, "PUT", theme+"/modes", `{"modes":[]}`, "If-Match", `"bogus"`).conflicts(t, 412, "ifMatchFailed")
	h.want(200, "PUT", theme+"/modes", `{"modes":[]}`, "If-Match", etagOf(t, get))
	h.do(owner, "PUT", theme+"/modes", darkModes(dark), "If-Match", etagOf(t, get)).conflicts(t, 412, "ifMatchFailed")
	h.want(200, "PUT", theme+"/modes", darkModes(dark), "If-Match", "*")
}

// Decision 10.1: a Variant that a mode names, as its overrides or as its brand, stays.
func TestVariantsOfModesAreNotDeleted(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	dark, acme, free := h.variant(theme, "dark"), h.variant(theme, "acme"), h.variant(theme, "free")
	h.want(200, "PUT", theme+"/modes", fmt.Sprintf(`{"modes":[{"dimension":"a","mode":"b","variant":%q,"for":%q}]}`, idOf(dark), idOf(acme)))
	for _, variant := range []string{dark, acme} {
		h.do(owner, "DELETE", variant, "").conflicts(t, 409, "modeUsesVariant")
		h.want(200, "GET", variant, "")
	}
	h.want(200, "DELETE", free, "")
	h.want(200, "PUT", theme+"/modes", `{"modes":[]}`)
	h.want(200, "DELETE", dark, "")
	h.want(200, "DELETE", acme, "")
}

// A mode whose Variant overrides nothing of the Theme is named, one for a brand among what is said of the brand's Variant.
func TestDiagnosticsNameModesThatDoNothing(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	dark, acme := h.variant(theme, "dark"), h.variant(theme, "acme")
	h.patch(theme, red)
	h.want(200, "PUT", theme+"/modes", fmt.Sprintf(`{"modes":[{"dimension":"scheme","mode":"light","variant":null},{"dimension":"scheme","mode":"dark","variant":%q},
		{"dimension":"scheme","mode":"dark","variant":%q,"for":%q}]}`, idOf(dark), idOf(dark), idOf(acme)))
	check := func(want int) {
		t.Helper()
		for _, path := range []string{theme, acme} {
			got := h.want(200, "GET", path+"/tokens/diagnostics", "").body
			if strings.Count(got, `{"path":"scheme.dark","kind":"modeIgnored","message":"the Variant dark of this mode`) != want || strings.Count(got, "modeIgnored") != want {
				t.Errorf("diagnostics of %s = %s, want %d of the mode", path, got, want)
			}
		}
		if got := h.want(200, "GET", dark+"/tokens/diagnostics", "").body; strings.Contains(got, "modeIgnored") {
			t.Errorf("diagnostics of the mode's own Variant = %s", got)
		}
	}
	check(1)
	h.patch(dark, `[{"operation":"set","path":"blue","value":"#000000"}]`)
	check(1)
	h.patch(dark, `[{"operation":"set","path":"red","value":"#000000"}]`)
	check(0)
}

// Decision 10.2: a publish freezes the modes with the version, and one of before has none.
func TestAPublishFreezesModes(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	dark := h.variant(theme, "dark")
	h.patch(theme, red)
	h.publish(theme)
	h.want(200, "PUT", theme+"/modes", darkModes(dark))
	h.want(200, "POST", theme+"/tokens/publish?unchanged=true", "")
	h.want(200, "PUT", theme+"/modes", `{"modes":[]}`)
	for number, want := range map[uint32]int{1: 0, 2: 2} {
		err := h.store.View(t.Context(), func(r storage.Reader) error {
			v, err := storage.ThemeVersions.Read(r, h.sandbox, idOf(theme), storage.Number(number))
			if len(v.Modes) != want {
				t.Errorf("version %d has the modes %+v, want %d", number, v.Modes, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	list := h.want(200, "GET", theme+"/tokens/versions", "").body
	if frozen := strings.TrimPrefix(darkModes(dark), "{"); strings.Count(list, `"modes":`) != 1 || !strings.Contains(list, strings.TrimSuffix(frozen, "}")) {
		t.Errorf("the versions are %s, want the modes of version 2", list)
	}
}

// Decisions 10.2, 10.3, 10.4: what a combination is rendered from, by which list, and when it is sealed.
func TestFeedTellsOfCombinations(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	dark, acme, acmeDark, more := e.variant(theme, "dark"), e.variant(theme, "acme"), e.variant(theme, "acme-dark"), e.variant(theme, "more")
	e.patch(theme, `[{"operation":"add","path":"/a","value":{"$value":"0"}},{"operation":"add","path":"/b","value":{"$value":"0"}},{"operation":"add","path":"/c","value":{"$value":"{a}"}}]`)
	list := `{"modes":[{"dimension":"scheme","mode":"light","variant":null},{"dimension":"scheme","mode":"dark","variant":"` + idOf(dark) + `"},
		{"dimension":"scheme","mode":"dark","variant":"` + idOf(acmeDark) + `","for":"` + idOf(acme) + `"},{"dimension":"contrast","mode":"more","variant":"` + idOf(more) + `","when":"print"}]}`
	e.want(200, "PUT", theme+"/modes", list)
	e.publish(theme)
	for variant, operations := range map[string]string{
		dark: `{"operation":"set","path":"a","value":"dark"}`, acme: `{"operation":"set","path":"a","value":"acme"},{"operation":"set","path":"b","value":"acme"}`,
		acmeDark: `{"operation":"set","path":"b","value":"acme-dark"}`, more: `{"operation":"set","path":"b","value":"{c}"}`,
	} {
		e.patch(variant, "["+operations+"]")
		if variant != more {
			e.publish(variant)
		}
	}
	flat := func(variant, version, modes string) (feedproto.Pair, string) {
		t.Helper()
		p := e.pair(theme, variant, version+"/"+modes)
		return p, strings.TrimSpace(e.file(p, renderer.TokensFlatJSON))
	}
	tell := func(variant, version, modes, want string, sealed bool) {
		t.Helper()
		if p, got := flat(variant, version, modes); got != want || p.Sealed != sealed || p.Version == 0 {
			t.Errorf("%s/%s?modes=%s = %s, sealed %v, want %s, sealed %v", variant, version, modes, got, p.Sealed, want, sealed)
		}
	}
	tell("-", "1", "scheme.light", `{"a":"0","b":"0","c":"0"}`, true)
	tell("-", "1", "scheme.dark", `{"a":"dark","b":"0","c":"dark"}`, true)
	tell("-", "latest", "scheme.dark", `{"a":"dark","b":"0","c":"dark"}`, false)
	tell(idOf(acme), "1", "scheme.light", `{"a":"acme","b":"acme","c":"acme"}`, true)
	tell(idOf(acme), "1", "scheme.dark", `{"a":"acme","b":"acme-dark","c":"acme"}`, true)
	tell(idOf(acme), "1", "scheme.dark,contrast.more", `{"a":"acme","b":"acme-dark","c":"acme"}`, false)
	if p := e.pair(theme, idOf(acme), "1/scheme,contrast"); p.Sealed {
		t.Error("a stylesheet is sealed before all of its Variants are published")
	}
	e.publish(more)
	for at, sealed := range map[string]bool{"1/scheme,contrast": true, "latest/scheme,contrast": false} {
		p := e.pair(theme, idOf(acme), at)
		css := e.file(p, renderer.TokensCSS)
		for _, want := range []string{
			`--b: var(--contrast\.not\.more,var(--scheme\.not\.dark,acme)var(--scheme\.dark,acme-dark))var(--contrast\.more,acme);`,
			"@media print {", `[data-scheme="dark"] {` + "\n  color-scheme: dark;\n", `[data-contrast="more"]`,
		} {
			if !strings.Contains(css, want) || p.Sealed != sealed {
				t.Errorf("the stylesheet at %s lacks %q, or is sealed %v: %s", at, want, p.Sealed, css)
			}
		}
		if got := e.file(p, renderer.TokensFlatJSON); strings.Contains(got, "acme") {
			t.Errorf("another file of the stylesheet is %s, want the plan's", got)
		}
	}
	tell(idOf(acme), "1", "scheme.dark,contrast.more", `{"a":"acme","b":"acme","c":"acme"}`, true)
	tell("-", "1", "scheme.dark,contrast.more", `{"a":"dark","b":"dark","c":"dark"}`, true)
	if p, _ := flat("-", "1", "scheme.dark"); p.Overlay != e.pair(theme, idOf(dark), "1").Overlay {
		t.Error("one mode alone has another overlay than its Variant")
	}

	e.want(200, "PUT", theme+"/modes", `{"modes":[{"dimension":"scheme","mode":"dark","variant":"`+idOf(more)+`"}]}`)
	tell("-", "latest", "scheme.dark", `{"a":"0","b":"0","c":"0"}`, false)
	tell("-", "1", "scheme.dark,contrast.more", `{"a":"dark","b":"dark","c":"dark"}`, true)
	e.want(200, "DELETE", dark, "")
	tell("-", "1", "scheme.dark,contrast.more", `{"a":"dark","b":"dark","c":"dark"}`, true)
	for _, at := range []string{
		"latest/scheme.light", "latest/contrast.more", "1/contrast.more,scheme.dark", "1/scheme.dark,contrast", "1/scheme.dark,", "1/x",
	} {
		if status, body := e.ask("/pairs/" + address(theme) + "/-/" + at); status != 404 || string(body) != `{"missing":"modes"}` {
			t.Errorf("pair %s = %d %s, want missing modes", at, status, body)
		}
	}
}

// What an edge requests after a change has the combinations that need not be compiled first.
func TestRefreshesHoldCombinations(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	dark, acme := e.variant(theme, "dark"), e.variant(theme, "acme")
	e.patch(theme, red)
	e.publish(theme)
	for _, variant := range []string{dark, acme} {
		e.patch(variant, `[{"operation":"set","path":"red","value":"#0000ff"}]`)
		e.publish(variant)
	}
	e.want(200, "PUT", theme+"/modes", darkModes(dark))
	addresses := []string{"-/latest/scheme.dark", idOf(acme) + "/latest/scheme.dark", "-/latest/", "-/latest/scheme.dim", "-/latest"}
	ask := func() (got []string) {
		t.Helper()
		status, body := e.ask(strings.TrimPrefix(feedproto.RefreshURI(address(theme), "", slices.Clone(addresses), nil), "/feed/v1"))
		r, err := feedproto.ParseRefresh(body)
		if status != 200 || err != nil {
			t.Fatalf("refresh = %d, %v", status, err)
		}
		blobs := map[string]bool{"": true}
		for _, b := range r.Blobs {
			blobs[string(b.Name)] = true
		}
		for _, p := range r.Pairs {
			got = append(got, p.Address)
			if !blobs[string(p.Pair.Overlay)] {
				t.Errorf("%s comes without its overlay", p.Address)
			}
		}
		return got
	}
	if got, want := ask(), []string{"-/latest", "-/latest/scheme.dark"}; !slices.Equal(got, want) {
		t.Errorf("the refresh has %v, want %v", got, want)
	}
	e.pair(theme, idOf(acme), "latest/scheme.dark")
	if got := ask(); len(got) != 3 {
		t.Errorf("the refresh has %v, want what is compiled by now too", got)
	}
}
