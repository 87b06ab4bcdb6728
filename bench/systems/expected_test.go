package systems

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
)

// expected is what becomes of a system, without its text.
type expected struct {
	In, Served, Named int
	Contexts          int    // the default, the modes and the Variants
	Digest            string // of the custom properties in all contexts
	Tokens            []byte // the first three bytes of a digest of each custom property of the default, in order
}

const expectedFile = "testdata/expected.json"

func readExpected(t *testing.T) (all map[string]expected) {
	t.Helper()
	text, err := os.ReadFile(expectedFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func writeExpected(t *testing.T, all map[string]expected) {
	t.Helper()
	text, err := json.MarshalIndent(all, "", " ")
	if err == nil {
		err = os.WriteFile(expectedFile, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (r *record) expected() expected {
	e := expected{In: r.In, Served: r.Served, Named: r.Named, Contexts: len(r.Contexts)}
	text, _ := json.Marshal(r.Contexts)
	digest := sha256.Sum256(text)
	e.Digest = hex.EncodeToString(digest[:8])
	var tokens []string
	for name, value := range r.values(0) {
		tokens = append(tokens, tokenDigest(name, value))
	}
	slices.Sort(tokens)
	for _, token := range tokens {
		e.Tokens = append(e.Tokens, token...)
	}
	return e
}

func tokenDigest(name, value string) string {
	digest := sha256.Sum256([]byte(name + ": " + value))
	return string(digest[:3])
}

// compareExpected fails if the system does not become what is expected, and prints the custom properties that differ.
func (r *record) compareExpected(t *testing.T, want expected) {
	t.Helper()
	got := r.expected()
	if got.Digest == want.Digest && got.In == want.In && got.Served == want.Served && got.Named == want.Named {
		return
	}
	t.Errorf("%s: %d in, %d served, %d named, %d contexts, digest %s; want %d, %d, %d, %d, %s", r.Name,
		got.In, got.Served, got.Named, got.Contexts, got.Digest, want.In, want.Served, want.Named, want.Contexts, want.Digest)
	known := map[string]bool{}
	for token := range slices.Chunk(want.Tokens, 3) {
		known[string(token)] = true
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(r.values(0))) {
		if token := tokenDigest(name, r.values(0)[name]); known[token] {
			delete(known, token)
		} else {
			others = append(others, fmt.Sprintf("%s: %s", name, clip(r.values(0)[name])))
		}
	}
	t.Logf("%d custom properties of the default are new or have another value, and %d of before are gone or had another:", len(others), len(known))
	list("now", others)
}
