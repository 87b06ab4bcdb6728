package edge_test

import (
	"strings"
	"testing"
	"time"

	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

// manifestPath is the address of the manifest of a Theme.
func manifestPath(theme string) string { return "/" + env + "/" + theme + "/manifest.json" }

// The manifest of a Theme is served beside its files as upstream has it, with the rules of latest: its lifetime, conditions,
// parts, methods and digest, and it follows every change of the Theme. No other address leads to one.
func TestManifestsAreServed(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	address := manifestPath(thm)
	for _, missing := range []string{
		address + "/", "/" + address, manifestPath("thm_99999999999999999999999999"), "/" + env + "/" + thm + "/-/manifest.json", "/" + env + "/manifest.json",
		path("-", "latest", "manifest.json"), "/" + env + "/" + thm + "/" + brand + "/manifest.json", "/" + env + "/" + thm + "/manifest.jso",
	} {
		want(t, r.get(missing), 404, "notFound")
	}
	const first = `{"version":1,"name":"A \u003c 0"}`
	for i := range 2 { // asked for, and from memory
		got := r.get(address)
		want(t, got, 200, first)
		header(t, got, "Cache-Control", "public, max-age=60, stale-if-error=86400")
		header(t, got, "Content-Type", "application/json")
		header(t, got, "Repr-Digest", digestOf(first))
		header(t, got, "Access-Control-Allow-Origin", "*")
		header(t, got, "Use-As-Dictionary", "")
		header(t, got, "Cache-Status", []string{"livery; fwd=uri-miss; stored", "livery; hit"}[i])
		tag := got.header.Get("Etag")
		if again := r.get(address, "If-None-Match: "+tag); again.status != 304 || again.body != "" {
			t.Errorf("If-None-Match: %d %q", again.status, again.body)
		}
		header(t, r.do("HEAD", address), "Etag", tag)
		want(t, r.get(address, "Range: bytes=1-9"), 206, `"version"`)
		want(t, r.get(address, `If-Match: "x"`), 412, "conflict")
		want(t, r.do("POST", address), 405, "payload")
		want(t, r.do("OPTIONS", address), 204, "")
	}
	if asked := f.count("manifests/" + env + "/" + thm); asked != 1 {
		t.Errorf("upstream was asked %d times, want once", asked)
	}
	f.publish(thm, biggerTheme)
	eventually(t, "the publish", func() bool { return strings.HasPrefix(r.get(address).body, `{"version":2`) })
	f.override(thm, brand, 2, `{"space.small":"9px"}`, true)
	eventually(t, "a new Variant", func() bool { return strings.Contains(r.get(address).body, `\u003c 1`) })
	f.removeTheme(thm)
	eventually(t, "the end of the Theme", func() bool { return r.get(address).status == 404 })
}

// A Theme without a version has no manifest, until it is published.
func TestUnpublishedThemesHaveNoManifest(t *testing.T) {
	f := newFeed(t)
	f.edit(thm, func(*fedTheme) {})
	r := run(t, f)
	r.settle()
	want(t, r.get(manifestPath(thm)), 404, "notFound")
	f.publish(thm, smallTheme)
	eventually(t, "the publish", func() bool { return r.get(manifestPath(thm)).status == 200 })
}

// Who may not have the files of a Theme may not know what its brands are called either.
func TestManifestsHaveTheRulesOfTheirTheme(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	address := manifestPath(thm)
	want(t, r.get(address), 200, "version")
	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"})
	eventually(t, "the list of origins", func() bool { return r.get(address).status == 403 })
	want(t, r.get(address, "Origin: https://bad.example"), 403, "forbidden")
	got := r.get(address, "Origin: https://good.example")
	want(t, got, 200, "version")
	header(t, got, "Cache-Control", "private, max-age=60, stale-if-error=86400")
	header(t, got, "Access-Control-Allow-Origin", "https://good.example")
	f.serving(thm, record.Serving{Mode: "public", AllowedIPRanges: []string{"192.0.2.0/24"}})
	eventually(t, "the ranges", func() bool { return r.get(address, "Origin: https://good.example").status == 403 })
	key, until := record.SigningKey{ID: "k1", Secret: []byte("secret")}, time.Now().Add(time.Hour)
	f.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{key}})
	eventually(t, "signed addresses", func() bool { return r.get(address+"?"+policy.Sign(address, until, key)).status == 200 })
	want(t, r.get(address), 403, "forbidden")
	want(t, r.get(address+"?"+policy.Sign(path("-", "latest", "tokens.css"), until, key)), 403, "forbidden")
}

// A Theme that keeps its brands to itself has no manifest, from the moment on that the operator says so.
func TestManifestsCanBeOff(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	want(t, r.get(manifestPath(thm)), 200, "version")
	f.serving(thm, record.Serving{Mode: "public", NoManifest: true})
	eventually(t, "its end", func() bool { return r.get(manifestPath(thm)).status == 404 })
	want(t, r.get(path("-", "latest", "tokens.css")), 200, "4px")
	f.serving(thm, record.Serving{Mode: "public"})
	eventually(t, "its return", func() bool { return r.get(manifestPath(thm)).status == 200 })
}

// What an edge has of a manifest is on its disk: it is served without upstream, and follows it again.
func TestManifestsOutlastARestart(t *testing.T) {
	f := publishedFeed(t)
	first := run(t, f, ownRuntime(t))
	want(t, first.get(manifestPath(thm)), 200, `"version":1`)
	first.stop()
	f.stop()
	second := run(t, f, ownRuntime(t), at(first.dir))
	got := second.get(manifestPath(thm))
	want(t, got, 200, `"version":1`)
	header(t, got, "Cache-Status", "livery; hit; detail=stale")
	f.restart()
	f.publish(thm, biggerTheme)
	eventually(t, "catching up", func() bool { return strings.HasPrefix(second.get(manifestPath(thm)).body, `{"version":2`) })
}

// Edges behind an edge serve the same bytes.
func TestTreeServesManifests(t *testing.T) {
	f := publishedFeed(t)
	middle := run(t, f)
	leaf := run(t, f, behind(middle.serveFeed("127.0.0.1:0")))
	leaf.settle()
	leaf.warm(manifestPath("thm_99999999999999999999999999"), manifestPath(thm))
	want(t, leaf.get(manifestPath("thm_99999999999999999999999999")), 404, "notFound")
	got := leaf.get(manifestPath(thm))
	want(t, got, 200, `{"version":1,"name":"A \u003c 0"}`)
	header(t, middle.get(manifestPath(thm)), "Etag", got.header.Get("Etag"))
	f.publish(thm, biggerTheme)
	eventually(t, "the publish", func() bool { return strings.HasPrefix(leaf.get(manifestPath(thm)).body, `{"version":2`) })
}
