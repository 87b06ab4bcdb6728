package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/bench/markdown"
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
	for what, s := range map[string]samples{"all": d.all, "brand": d.brand, "compile": d.compile, "held": d.held} {
		if len(s) != 1 || s[0] <= 0 {
			t.Errorf("%s has the samples %v, want one", what, s)
		}
	}
}

func TestRowsCompareWithTheBestPeerThatBuilds(t *testing.T) {
	d := document{what: "d", tokens: 60, all: samples{time.Millisecond}, held: samples{time.Microsecond}}
	d.peers[0] = builds{whole: samples{3 * time.Second, 2 * time.Second, 4 * time.Second}, work: samples{time.Second, 2 * time.Second, 3 * time.Second}}
	d.peers[1] = builds{refused: "a | b"}
	rows := d.wholeRows()
	if got, want := strings.Join(rows[1], ";"), "d;60;Style Dictionary;2.00 s;1.00 s to 3.00 s;3.00 s;2000;3000"; got != want {
		t.Errorf("row = %s, want %s", got, want)
	}
	if got, want := strings.Join(rows[2], ";"), "d;60;Terrazzo;refused;a / b;;;"; got != want {
		t.Errorf("row = %s, want %s", got, want)
	}
	if got, want := strings.Join(d.brandRow("held", d.held), ";"), "d;held;1.0 µs;1.0 µs to 1.0 µs;2.00 s;refused;2000000"; got != want {
		t.Errorf("row = %s, want %s", got, want)
	}
}

func TestAlignMakesColumnsOfOneWidth(t *testing.T) {
	got := markdown.Table([][]string{{"a", "took"}, {"long", "1.0 µs"}}, nil)
	if want := "| a    | took   |\n|------|--------|\n| long | 1.0 µs |\n"; got != want {
		t.Errorf("Table = %q, want %q", got, want)
	}
}
