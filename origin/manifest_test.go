package origin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/livery/feedproto"
	"example.com/livery/renderer"
)

// manifestOf is a manifest, as far as the tests look at it.
type manifestOf struct {
	URL, Slug     string
	Version       int
	CacheLifetime int
	Files         map[string]manifestFile
	Variants      map[string]struct {
		ID      string
		Version int
		Sealed  bool
		Files   map[string]manifestFile
	}
	Modes []map[string]string
}

type manifestFile struct {
	Path, Latest, SHA256 string
	Bytes                int
}

// manifest reads the manifest of a Theme from the API, and compares it with what edges are told.
func (e edge) manifest(theme string) (m manifestOf) {
	e.t.Helper()
	shown := e.want(200, "GET", theme+"/manifest", "").body
	fed := fed[feedproto.Manifest](e, "/manifests/"+address(theme))
	var api, feed map[string]any
	if err := json.Unmarshal([]byte(shown), &api); err != nil {
		e.t.Fatal(err)
	}
	if err := json.Unmarshal(fed.Content, &feed); err != nil || fed.EnvironmentID+"/"+fed.ThemeID != address(theme) {
		e.t.Fatal(err, fed.ThemeID)
	}
	delete(api, "url")
	if fmt.Sprint(api) != fmt.Sprint(feed) {
		e.t.Errorf("the API shows %v, edges are told %v", api, feed)
	}
	_ = json.Unmarshal([]byte(shown), &m)
	return m
}

// served checks the files of a manifest against what an edge renders.
func (e edge) served(theme, segment string, files map[string]manifestFile, version string) {
	e.t.Helper()
	p := e.pair(theme, segment, version)
	for name, listed := range files {
		f, _ := renderer.FileByName(name)
		content := e.file(p, f)
		sum := sha256.Sum256([]byte(content))
		want := manifestFile{segment + "/" + version + "/" + name, segment + "/latest/" + name, base64.StdEncoding.EncodeToString(sum[:]), len(content)}
		if listed != want {
			e.t.Errorf("%s of %s = %+v, want %+v", name, segment, listed, want)
		}
	}
}

// A manifest has the files of a Theme and of its Variants by slug, with the digests of what edges serve, and follows what
// they are called. Edges hear of each change of it.
func TestManifestsSayWhatIsServed(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	e.want(404, "GET", theme+"/manifest", "").refuses(t, 404, "notFound")
	if status, body := e.ask("/manifests/" + address(theme)); status != 404 || !strings.Contains(string(body), feedproto.MissingVersion) {
		t.Errorf("an unpublished Theme is fed as %d %s", status, body)
	}
	dark, plain := e.variant(theme, "dark"), e.variant(theme, "plain")
	e.patch(theme, red)
	e.publish(theme)
	e.patch(dark, `[{"operation":"set","path":"red","value":"#aa0000"}]`)
	e.publish(dark)
	m := e.manifest(theme)
	own := m.Variants["dark"]
	if m.Version != 1 || m.Slug != "brand" || len(m.Files) == 0 || len(m.Variants) != 1 || own.ID != idOf(dark) || !own.Sealed || own.Version != 1 ||
		len(own.Files) != len(m.Files) || !strings.HasSuffix(m.URL, "/"+address(theme)+"/manifest.json") {
		t.Errorf("manifest = %+v", m)
	}
	e.served(theme, "-", m.Files, "1")
	e.served(theme, idOf(dark), own.Files, "1")
	if own.Files["tokens.css"].SHA256 == m.Files["tokens.css"].SHA256 {
		t.Errorf("manifest = %+v", m)
	}

	told := func(what string, change func()) {
		t.Helper()
		after := fed[feedproto.Changes](e, "/changes").Cursor
		change()
		if got := fed[feedproto.Changes](e, "/changes?after="+after); len(got.Changes) != 1 || got.Changes[0].ThemeID != idOf(theme) {
			t.Errorf("edges are told %+v of %s", got.Changes, what)
		}
	}
	told("a new slug", func() { e.want(200, "PUT", dark, `{"slug":"night","displayName":"Night"}`) })
	told("a new slug by a batch", func() {
		e.want(200, "POST", theme+"/variants/batch", `{"change":[{"id":"`+idOf(dark)+`","slug":"dusk"}]}`)
	})
	if _, known := e.manifest(theme).Variants["dusk"]; !known {
		t.Error("the manifest lacks the slug that a batch gave")
	}
	e.want(200, "PUT", dark, `{"slug":"night","displayName":"Night"}`)
	told("a Theme's new slug", func() { e.want(200, "PUT", theme, `{"slug":"brands","displayName":"Brand"}`) })
	told("a first publish of a Variant", func() { e.publish(plain) })
	told("modes", func() {
		e.want(200, "PUT", theme+"/modes", `{"modes":[{"dimension":"scheme","mode":"light","variant":null},
			{"dimension":"scheme","mode":"dark","variant":"`+idOf(dark)+`","when":"(prefers-color-scheme: dark)","for":"`+idOf(plain)+`"}]}`)
	})
	after := fed[feedproto.Changes](e, "/changes").Cursor
	e.want(200, "PUT", dark, `{"slug":"night","displayName":"Nightly","metadata":{"team":"a"}}`)
	e.want(200, "PUT", theme, `{"slug":"brands","displayName":"Brands"}`)
	if got := fed[feedproto.Changes](e, "/changes?after="+after); len(got.Changes) != 0 {
		t.Errorf("edges are told %+v of a label and names", got.Changes)
	}
	e.patch(theme, `[{"operation":"replace","path":"/red/$value","value":"#ff0001"}]`)
	told("a publish", func() { e.publish(theme) })
	m = e.manifest(theme)
	night := m.Variants["night"]
	want := []map[string]string{{"dimension": "scheme", "mode": "light"}, {"dimension": "scheme", "mode": "dark", "variant": "night", "when": "(prefers-color-scheme: dark)", "for": "plain"}}
	if m.Version != 2 || m.Slug != "brands" || night.Sealed || night.Version != 1 || m.Variants["dark"].Files != nil || fmt.Sprint(m.Modes) != fmt.Sprint(want) {
		t.Errorf("manifest = %+v", m)
	}
	e.served(theme, "-", m.Files, "2")
	e.served(theme, idOf(dark), night.Files, "2")
}

// A manifest tells strangers of no Variant before its first publish, not even as a mode, and of no display name.
func TestManifestsKeepUnpublishedVariantsAndNames(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	theme := e.theme("brand")
	e.want(200, "PUT", theme, `{"slug":"brand","displayName":"Secret Theme"}`)
	known, hidden, dark := e.variant(theme, "known"), e.variant(theme, "hidden"), e.variant(theme, "hiddenmode")
	for slug, variant := range map[string]string{"known": known, "hidden": hidden, "hiddenmode": dark} {
		e.want(200, "PUT", variant, `{"slug":"`+slug+`","displayName":"Secret `+slug+`"}`)
	}
	e.want(200, "PUT", theme+"/modes", `{"modes":[{"dimension":"scheme","mode":"dark","variant":"`+idOf(dark)+`","when":"(prefers-color-scheme: dark)"},
		{"dimension":"scheme","mode":"dark","variant":"`+idOf(dark)+`","when":"(prefers-color-scheme: dark)","for":"`+idOf(hidden)+`"},
		{"dimension":"scheme","mode":"dark","variant":"`+idOf(known)+`","when":"(prefers-color-scheme: dark)","for":"`+idOf(known)+`"}]}`)
	e.patch(theme, red)
	e.publish(theme)
	e.patch(known, `[{"operation":"set","path":"red","value":"#aa0000"}]`)
	e.publish(known)
	text := string(fed[feedproto.Manifest](e, "/manifests/"+address(theme)).Content)
	for _, secret := range []string{"Secret", "hidden", idOf(hidden), idOf(dark)} {
		if strings.Contains(text, secret) {
			t.Errorf("the manifest tells %q: %s", secret, text)
		}
	}
	want := []map[string]string{
		{"dimension": "scheme", "mode": "dark", "when": "(prefers-color-scheme: dark)"},
		{"dimension": "scheme", "mode": "dark", "variant": "known", "when": "(prefers-color-scheme: dark)", "for": "known"},
	}
	if m := e.manifest(theme); len(m.Variants) != 1 || fmt.Sprint(m.Modes) != fmt.Sprint(want) {
		t.Errorf("manifest = %+v", m)
	}
	e.patch(hidden, `[{"operation":"set","path":"red","value":"#bb0000"}]`)
	e.publish(hidden)
	if m := e.manifest(theme); len(m.Variants) != 2 || len(m.Modes) != 3 {
		t.Errorf("manifest after the first publish of a Variant = %+v", m)
	}
}
