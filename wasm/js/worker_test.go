package js

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/plan"
)

// sampleFolder has what a first run of Livery serves.
const sampleFolder = root + "/cli/serve/sample/"

// bundles is what the example Worker is given, and what it must serve, by Variant and file.
type bundles struct {
	Plan     []byte                       `json:"plan"`
	Overlays map[string][]byte            `json:"overlays"`
	Want     map[string]map[string][]byte `json:"want"`
}

// sampleBundles compiles the sample Theme and its Variants natively, as a publish does.
func sampleBundles(t *testing.T) bundles {
	theme := string(readFile(t, sampleFolder+"tidewater.tokens.json"))
	b := bundles{Overlays: map[string][]byte{}, Want: map[string]map[string][]byte{"plain": {}}}
	for _, slug := range []string{"midnight", "lantern"} {
		overrides := string(readFile(t, filepath.Join(sampleFolder, slug+".variant.json")))
		var plans, overlays [][]byte
		b.Want[slug] = map[string][]byte{}
		for f, made := range (source{Theme: theme, Overrides: overrides}).native(t) {
			plans, overlays = append(plans, made.plan), append(overlays, made.overlay)
			b.Want["plain"][renderer.File(f).Name()] = made.alone
			b.Want[slug][renderer.File(f).Name()] = made.variant
		}
		b.Plan, b.Overlays[slug] = plan.AppendBundle(nil, plans), plan.AppendBundle(nil, overlays)
	}
	return b
}

// The example Worker serves from the blobs that an origin makes what an edge of ours would.
func TestWorkerServesNativeBytes(t *testing.T) {
	t.Parallel()
	module(t)
	sample := sampleBundles(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, sample) }))
	defer server.Close()
	runNode(t, "worker.test.mjs", server.URL+"/", *modulePath, canary(t))
}
