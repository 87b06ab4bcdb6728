package edge_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// moded returns a feed with a Theme that has modes, and a Variant of it.
func moded(t testing.TB) *feed {
	f := publishedFeed(t)
	f.override(thm, brand, 1, `{"space.small":"6px"}`, true)
	f.mode(thm, "scheme", "dark", `{"space.small":"9px"}`)
	f.mode(thm, "scheme", "dim", `{"space.small":"8px"}`)
	f.mode(thm, "contrast", "more", `{"space.inner":"1px"}`)
	return f
}

// Each combination of modes is served from its own address, of the Theme and of a Variant, at each version; everything
// else is not there, and the file without modes stays as it is.
func TestModesAreServed(t *testing.T) {
	f := moded(t)
	r := run(t, f)
	for variant, plain := range map[string]string{"-": "4px", brand: "6px"} {
		for _, version := range []string{"1", "latest"} {
			css := path(variant, version, "tokens.css")
			for range 2 { // made, and from memory
				want(t, r.get(css+"?modes=scheme.dark"), 200, "9px")
				want(t, r.get(css+"?modes=scheme.dim"), 200, "8px")
				want(t, r.get(css), 200, plain)
				want(t, r.get(css+"?modes=scheme.dim,contrast.more"), 200, "1px")
				want(t, r.get(css+"?modes=contrast.more"), 200, plain)
				want(t, r.get(css+"?modes=scheme,contrast"), 200, "1px")
				want(t, r.get(css+"?modes=scheme%2Ccontrast"), 200, "1px")
				want(t, r.get(css+"?modes=scheme%2edim%2ccontrast.more"), 200, "1px")
				want(t, r.get(css+"?v=1"), 200, plain)
				want(t, r.get(css+"?modes=scheme.dark&v=1"), 200, "9px")
			}
			for _, file := range allFiles {
				want(t, r.get(path(variant, version, file)+"?modes=scheme.dark"), 200, "9")
			}
			for _, missing := range []string{
				css + "?modes=scheme.light", css + "?modes=touch", css + "?modes=contrast.more,scheme.dark", css + "?modes=contrast,scheme",
				css + "?v=1&modes=scheme.dark", css + "?modes=", css + "?modes=scheme%252edark", css + "?modes=scheme+contrast", path(variant, version, "tokens.json") + "?modes=scheme",
				path(variant, "7", "tokens.css") + "?modes=scheme.dark",
			} {
				want(t, r.get(missing), 404, "notFound")
				header(t, r.get(missing), "Cache-Control", "no-cache")
			}
		}
	}
}

// An address with modes obeys the rules of the same address without: its caches, conditions, ranges, codings and methods
// are the same, and a hit is one.
func TestModesHaveTheRulesOfTheirFile(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	f.override(thm, brand, 1, `{"space.s7":"77px"}`, false)
	f.mode(thm, "scheme", "dark", `{"space.s8":"78px"}`)
	r := run(t, f)
	r.settle()
	for _, address := range []string{path("-", "1", "tokens.css"), path("-", "latest", "tokens.css"), path(brand, "1", "tokens.css")} {
		moded := address + "?modes=scheme.dark"
		plainTag, tag := r.get(address).header.Get("Etag"), r.get(moded).header.Get("Etag")
		if plainTag == tag {
			t.Errorf("%s has the validator of the file without modes", moded)
		}
		for name, lines := range map[string][]string{
			"plain": nil, "gzip": {"Accept-Encoding: gzip"}, "zstd": {"Accept-Encoding: zstd"}, "brotli": {"Accept-Encoding: br"},
			"a range": {"Range: bytes=3-9"}, "a copy": {"If-None-Match: *"}, "an origin": {"Origin: https://a.example"}, "another tag": {`If-Match: "x"`},
		} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost} {
				r.do(method, address, lines...)
				r.do(method, moded, lines...)
				was, got := r.do(method, address, lines...), r.do(method, moded, lines...)
				if got.status != was.status || !slices.Equal(slices.Sorted(maps.Keys(got.header)), slices.Sorted(maps.Keys(was.header))) {
					t.Errorf("%s, %s: %s = %d %v, without modes %d %v", address, name, method, got.status, got.header, was.status, was.header)
				}
				for _, field := range []string{"Cache-Control", "Cache-Status", "Vary", "Content-Type", "Content-Encoding", "Accept-Ranges", "Allow"} {
					header(t, got, field, was.header.Get(field))
				}
			}
		}
		want(t, r.get(moded, "If-None-Match: "+tag), 304, "")
		want(t, r.get(moded, "If-None-Match: "+plainTag), 200, "78px")
	}
}

// A signature is of the modes too: that of a file gives no modes of it, that of modes no others and not the file. A folder's
// covers the modes of the files in it.
func TestSignaturesCoverModes(t *testing.T) {
	f := moded(t)
	key := record.SigningKey{ID: "key_1", Secret: []byte("a secret of sixteen")}
	f.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}})
	r := run(t, f)
	css, until := path("-", "latest", "tokens.css"), time.Now().Add(time.Hour)
	dark, plain := policy.Sign(css+"?modes=scheme.dark", until, key), policy.Sign(css, until, key)
	folder := policy.SignFolder("/"+env+"/"+thm+"/", until, key)
	for range 2 { // asked for, and from memory
		for query, status := range map[string]int{
			"modes=scheme.dark&" + dark:                   200,
			plain:                                         200,
			"modes=scheme.dark&" + folder:                 200,
			folder:                                        200,
			"modes=scheme.dim&" + dark:                    403,
			"modes=scheme&" + dark:                        403,
			"modes=scheme.dark&" + plain:                  403,
			"modes=scheme.dark":                           403,
			"modes=scheme.light":                          403, // not told whether it exists
			dark:                                          403,
			"modes=scheme.dark&v=1&" + dark:               403,
			"modes=scheme.dark&" + dark + "&v=1":          403,
			"modes=scheme.dark&" + dark + "&":             403,
			dark + "&modes=scheme.dark":                   404,
			"modes=scheme.dark&" + dark + "&modes=":       404,
			"modes=scheme%2Edark&" + dark:                 200,
			"modes=scheme%252Edark&" + dark:               404,
			"modes=scheme%2Edim&" + dark:                  403,
			"modes=scheme.light&" + folder:                404,
			"modes=scheme.dark&modes=scheme.dark&" + dark: 404,
		} {
			if got := r.get(css + "?" + query); got.status != status {
				t.Errorf("%s: %d, want %d", query, got.status, status)
			}
		}
	}
}

// The rules of a Theme on origins and clients hold for its modes.
func TestRulesHoldForModes(t *testing.T) {
	f := moded(t)
	r := run(t, f)
	css := path("-", "latest", "tokens.css") + "?modes=scheme.dark"
	want(t, r.get(css), 200, "9px")
	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"})
	eventually(t, "the origin list", func() bool { return r.get(css).status == 403 })
	want(t, r.get(css, "Origin: https://evil.example"), 403, "")
	got := r.get(css, "Origin: https://good.example")
	want(t, got, 200, "9px")
	header(t, got, "Vary", "Accept-Encoding, Origin")
	header(t, got, "Cache-Control", "private, max-age=60, stale-if-error=86400")
	f.serving(thm, record.Serving{Mode: "public", AllowedIPRanges: []string{"192.0.2.0/24"}})
	eventually(t, "the range", func() bool { return r.get(css, "Origin: https://good.example").status == 403 })
}

// What changes is seen in modes too, from one question for all that is hot, and the overlay comes with it: upstream does
// not keep it.
func TestModesFollowTheTheme(t *testing.T) {
	f := moded(t)
	f.forgetOverlays()
	f.mu.Lock()
	f.whole = true
	f.mu.Unlock()
	r := run(t, f)
	latest, pinned := path("-", "latest", "tokens.css")+"?modes=contrast.more", path("-", "1", "tokens.css")+"?modes=contrast.more"
	want(t, r.get(latest), 200, "4px")
	want(t, r.get(pinned), 200, "4px")
	r.settle()
	before := f.count("pairs/")
	r.refreshes(f, func() { f.publish(thm, biggerTheme) })
	got := r.get(latest)
	want(t, got, 200, "5px")
	header(t, got, "Cache-Status", "livery; hit")
	want(t, r.get(pinned), 200, "4px")
	if asked := f.count("pairs/"); asked != before {
		t.Errorf("%d pairs were asked for one by one", asked-before)
	}
	f.edit(thm, func(th *fedTheme) { th.modes = th.modes[:2] })
	eventually(t, "the mode that was deleted", func() bool { return r.get(latest).status == 404 })
	want(t, r.get(strings.Replace(latest, "contrast.more", "scheme.dim", 1)), 200, "8px")
}

// A restarted edge serves modes without upstream, and an edge that is cut off goes on.
func TestModesOutlastARestart(t *testing.T) {
	f := moded(t)
	f.forgetOverlays()
	first := run(t, f, ownRuntime(t))
	latest, pinned := path("-", "latest", "tokens.css")+"?modes=scheme.dark", path(brand, "1", "tokens.css")+"?modes=scheme.dim,contrast.more"
	want(t, first.get(latest), 200, "9px")
	want(t, first.get(pinned), 200, "1px")
	f.stop()
	first.clock.add(2 * time.Minute)
	got := first.get(latest)
	want(t, got, 200, "9px")
	header(t, got, "Cache-Status", "livery; hit; detail=stale")
	first.stop()

	second := run(t, f, ownRuntime(t), at(first.dir))
	want(t, second.get(strings.Replace(latest, "tokens.css", "tokens.json", 1)), 200, "9px")
	got = second.get(pinned)
	want(t, got, 200, "1px")
	header(t, got, "Cache-Control", immutable)
	want(t, second.get(strings.Replace(latest, "dark", "dim", 1)), 503, "")
	f.restart()
	eventually(t, "upstream again", func() bool { return second.get(strings.Replace(latest, "dark", "dim", 1)).status == 200 })
}

// An edge behind an edge serves modes, whose overlays come with their pairs.
func TestTreeServesModes(t *testing.T) {
	f := moded(t)
	f.forgetOverlays()
	middle := run(t, f)
	leaf := run(t, f, behind(middle.serveFeed("127.0.0.1:0")))
	leaf.settle()
	latest := path("-", "latest", "tokens.css")
	leaf.warm(latest+"?modes=scheme.dark", path(brand, "1", "tokens.json")+"?modes=scheme.dim,contrast.more")
	want(t, leaf.get(latest+"?modes=scheme.dark"), 200, "9px")
	want(t, leaf.get(path(brand, "1", "tokens.json")+"?modes=scheme.dim,contrast.more"), 200, "1px")
	want(t, leaf.get(latest+"?modes=scheme.light"), 404, "notFound")
	f.publish(thm, biggerTheme)
	eventually(t, "the publish", func() bool { return strings.Contains(leaf.get(latest+"?modes=contrast.more").body, "5px") })
	want(t, leaf.get(latest+"?modes=scheme.dark"), 200, "9px")
	if asked := f.count("pairs/" + env + "/" + thm + "/-/latest/scheme.dark"); asked > 3 {
		t.Errorf("the origin was asked %d times for a pair", asked)
	}
}

// A delta is of the same file in the same modes; the file without modes is no dictionary of it.
func TestDictionariesAreOfTheSameModes(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	first := strings.SplitN(strings.SplitN(variedTheme(), `dimension","`, 2)[1], `"`, 2)[0]
	f.mode(thm, "scheme", "dark", fmt.Sprintf(`{"space.%s":"12345px"}`, first))
	f.mode(thm, "scheme", "dim", fmt.Sprintf(`{"space.%s":"54321px"}`, first))
	r := run(t, f)
	plain, dark := path("-", "latest", "tokens.css"), path("-", "latest", "tokens.css")+"?modes=scheme.dark"
	old, oldPlain, oldDim := r.get(dark).body, r.get(plain).body, r.get(strings.Replace(dark, "dark", "dim", 1)).body
	header(t, r.get(dark), "Use-As-Dictionary", strings.TrimSuffix(offer("-", "tokens.css"), `"`)+`?modes=scheme.dark"`)
	f.publish(thm, editedTheme(7))
	eventually(t, "a hit of the second version", func() bool {
		got := r.get(dark)
		return strings.Contains(got.body, "rem") && got.header.Get("Cache-Status") == "livery; hit"
	})
	client := []string{acceptsDeltas, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://a.example"}
	if text := undelta(t, r.get(dark, append(client, has(old))...), old); text != r.get(dark).body {
		t.Errorf("the delta says %d bytes, the file has %d", len(text), len(r.get(dark).body))
	}
	for name, other := range map[string]string{"the file without modes": oldPlain, "another mode": oldDim} {
		for range 2 {
			if got := r.get(dark, append(client, has(other))...); got.header.Get("Content-Encoding") == "dcz" {
				t.Errorf("%s is a dictionary of a mode", name)
			}
		}
	}
	if got := r.get(plain, append(client, has(old))...); got.header.Get("Content-Encoding") == "dcz" {
		t.Error("a mode is a dictionary of the file without modes")
	}
}
