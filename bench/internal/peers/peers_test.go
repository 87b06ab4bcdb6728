package peers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// A brand changes at most 50 tokens, and each to what another token of its type is.
func TestBrandOfGivesTokensValuesOfTheirType(t *testing.T) {
	root, err := jsontree.Parse(`{"a":{"$type":"color","$value":"#111111"},"b":{"$type":"number","$value":1},"c":{"$type":"color","$value":"{d}"},"d":{"$type":"color","$value":"#222222"}}`)
	if err != nil {
		t.Fatal(err)
	}
	got := string(jsontree.Append(nil, brandOf(dtcg.Read(root).Tokens)))
	if want := `{"a":"#222222","c":"#222222"}`; got != want {
		t.Errorf("brandOf = %s, want %s", got, want)
	}
}

// What is measured is what the renderer serves.
func TestPrepareAndRenderMakeTheRealFiles(t *testing.T) {
	d := document{what: "d", file: filepath.Join(t.TempDir(), "d.tokens.json")}
	text := `{"a":{"$type":"color","$value":"#111111"},"b":{"$type":"color","$value":"#222222"}}`
	if err := os.WriteFile(d.file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := d.prepare(); err != nil {
		t.Fatal(err)
	}
	if err := d.render(); err != nil {
		t.Fatal(err)
	}
	set, err := renderer.Load(text, `{"a":"#222222"}`, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := string(set.Append(nil, renderer.TokensCSS)); string(d.out) != want {
		t.Errorf("the brand's tokens.css = %s, want %s", d.out, want)
	}
	for what, s := range map[string]samples{"all": d.all, "brand": d.brand, "compile": d.compile, "compiled overlay": d.compiledOverlay} {
		if len(s) != 1 || s[0] <= 0 {
			t.Errorf("%s has the samples %v, want one", what, s)
		}
	}
}

// A peer that builds a document stands beside us, and one that refuses it is named with its reason.
func TestRefusalsAreNoted(t *testing.T) {
	folder := t.TempDir()
	for _, p := range peers {
		dir := filepath.Join(folder, "node_modules", p.module)
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"version":"1.2.3"}`), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	d := document{what: "d", tokens: 60, all: samples{time.Millisecond}, compiledOverlay: samples{time.Microsecond}}
	d.peers[0] = builds{whole: samples{3 * time.Second}, work: samples{2 * time.Second}}
	d.peers[1] = builds{refused: "no such type"}
	var set figures.Set
	if err := (&bench{folder: folder}).addFigures(&set, []*document{&d}); err != nil {
		t.Fatal(err)
	}
	if f, ok := set.Find("one more brand, d", "Style Dictionary", "ms", 0); !ok || f.Value != 2000 {
		t.Errorf("the brand of Style Dictionary = %+v, %v", f, ok)
	}
	if _, ok := set.Find("the whole document, d", "Terrazzo", "ms", 0); ok {
		t.Error("a document that was refused has a time")
	}
	if want := []string{"Style Dictionary 1.2.3", "Terrazzo 1.2.3", "Terrazzo does not build d: no such type"}; !slices.Equal(set.Notes, want) {
		t.Errorf("notes = %q, want %q", set.Notes, want)
	}
}
