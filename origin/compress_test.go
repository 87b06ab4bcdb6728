package origin_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// manyTokens is a batch that adds so many tokens in groups of a hundred.
func manyTokens(count int) string {
	var groups []string
	for g := 0; g < count; g += 100 {
		var tokens []string
		for i := range 100 {
			tokens = append(tokens, fmt.Sprintf(`"t%d":{"$value":"#%06x"}`, i, (g+i)*7919%0xffffff))
		}
		groups = append(groups, fmt.Sprintf(`{"operation":"add","path":"/g%d","value":{"$type":"color",%s}}`, g, strings.Join(tokens, ",")))
	}
	return "[" + strings.Join(groups, ",") + "]"
}

// decoded returns the body of an answer without its content coding.
func (r reply) decoded(t testing.TB) string {
	t.Helper()
	var from io.Reader = strings.NewReader(r.body)
	var err error
	switch r.header.Get("Content-Encoding") {
	case "br":
		from = brotli.NewReader(from)
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(from); err == nil {
			defer d.Close()
			from = d
		}
	case "gzip":
		from, err = gzip.NewReader(from)
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(from)
	if err != nil {
		t.Fatalf("%s: %v", r.header.Get("Content-Encoding"), err)
	}
	return string(body)
}

// Decision 9.7: answers of 1,024 bytes and more come in the coding that the client prefers, and hold the same.
func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, manyTokens(300))
	plain := h.want(200, "GET", theme+"/tokens", "", "Accept-Encoding", "identity")
	for accept, want := range map[string]string{
		"br": "br", "zstd": "zstd", "gzip": "gzip", "gzip, deflate, br, zstd": "br", "gzip;q=1.0, br;q=0.5": "gzip", "GZIP": "gzip", "*": "br",
		"br;q=0, *": "zstd", "identity": "", "deflate": "", "": "", "gzip;q=0": "", "identity;q=1, gzip;q=0.5": "", "gzip;q=nonsense": "",
	} {
		r := h.want(200, "GET", theme+"/tokens", "", "Accept-Encoding", accept)
		if got := r.header.Get("Content-Encoding"); got != want || r.header.Get("Vary") != "Accept-Encoding" || r.header.Get("Etag") != plain.header.Get("Etag") {
			t.Errorf("Accept-Encoding %q: %v, want the coding %q", accept, r.header, want)
			continue
		}
		if r.decoded(t) != plain.body {
			t.Errorf("Accept-Encoding %q: another body", accept)
		}
		if want != "" && len(r.body)*4 > len(plain.body) {
			t.Errorf("Accept-Encoding %q: %d bytes of %d, want a quarter at most", accept, len(r.body), len(plain.body))
		}
	}
	small := h.want(200, "GET", "/environments/"+h.sandbox, "", "Accept-Encoding", "gzip")
	if len(small.body) >= 1024 || small.header.Get("Content-Encoding") != "" || small.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("a small answer = %v, want it as it is", small.header)
	}
	if r := h.want(200, "HEAD", theme+"/tokens", "", "Accept-Encoding", "gzip"); r.header.Get("Content-Encoding") != "gzip" || r.body != "" {
		t.Errorf("HEAD = %v, want the head of the GET", r.header)
	}
}

// Decision 9.8: an edit of one token of 20,000 answers in less than 5 kB on request, with the etag for the next edit.
func TestAMinimalAnswerIsSmall(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	etag := h.want(200, "PATCH", theme+"/tokens", ops(manyTokens(20_000))).text(t, "etag")
	one := ops(`[{"operation":"replace","path":"/g0/t0/$value","value":"#123456"}]`)
	edited := h.want(200, "PATCH", theme+"/tokens?etag="+etag, one, "Prefer", "respond-async, return=minimal; x=y")
	var wire bytes.Buffer
	_ = edited.header.Write(&wire)
	wire.WriteString(edited.body)
	if wire.Len() >= 5000 {
		t.Fatalf("answer of %d bytes, want less than 5,000", wire.Len())
	}
	set := edited.object(t)
	_, hasTokens := set["tokens"]
	_, hasGroups := set["groups"]
	if hasTokens || hasGroups || set["etag"] == etag || edited.header.Get("Preference-Applied") != "return=minimal" {
		t.Errorf("answer = %s %v, want the set without tokens and groups", edited.body, edited.header)
	}
	if r := h.want(200, "GET", theme+"/tokens?path=g0.t0", ""); len(r.body) > 1000 || listedTokens(t, r) != "g0.t0=#123456" || r.text(t, "etag") != set["etag"] {
		t.Errorf("GET of one path = %s, want the edit", short(r.body))
	}
	if r := h.want(200, "PATCH", theme+"/tokens?etag="+set["etag"].(string), ops(`[]`), "Prefer", "return=representation"); len(r.body) < 1<<20 || r.header.Get("Preference-Applied") != "" {
		t.Errorf("another preference: %d bytes %v, want the whole set", len(r.body), r.header)
	}
	variant := h.variant(theme, "dark")
	r := h.want(200, "PATCH", variant+"/tokens", ops(`[{"operation":"set","path":"g0.t0","value":"#111111"}]`), "Prefer", `return="minimal"`)
	if strings.Contains(r.body, "tokens") || r.text(t, "etag") == "" {
		t.Errorf("minimal answer of a Variant = %s", r.body)
	}
}

// Decision 9.8: path names the tokens and groups that a read answers.
func TestTokenReadsCanBeNarrowed(t *testing.T) {
	t.Parallel()
	h := newTestOrigin(t)
	theme := h.theme("brand")
	h.patch(theme, `[{"operation":"add","path":"/a","value":{"$type":"number","b":{"$description":"B","c":{"$value":1},"d":{"$value":2}},"bc":{"$value":3},"$root":{"$value":4}}},`+
		`{"operation":"add","path":"/e","value":{"$value":"5"}}]`)
	h.publish(theme)
	variant := h.variant(theme, "dark")
	h.patch(variant, `[{"operation":"set","path":"a.b.c","value":9},{"operation":"set","path":"e","value":8}]`)
	for query, want := range map[string]string{
		"path=a.b": "a.b.c=1 a.b.d=2", "path=a.b.d&path=e": "a.b.d=2 e=5", "path=a.$root": "a.$root=4", "path=gone": "", "path=a.b&path=a.b.c": "a.b.c=1 a.b.d=2",
		"version=1&path=a.bc": "a.bc=3", "path=a": "a.b.c=1 a.b.d=2 a.bc=3 a.$root=4",
	} {
		if got := listedTokens(t, h.want(200, "GET", theme+"/tokens?"+query, "")); got != want {
			t.Errorf("tokens of %s = %s, want %s", query, got, want)
		}
	}
	if r := h.want(200, "GET", theme+"/tokens?path=a.b", ""); fmt.Sprint(r.object(t)["groups"]) != "[map[description:B path:a.b type:<nil>]]" || types(t, r) != "a.b.c:number a.b.d:number" {
		t.Errorf("groups = %v and types %s, want those below alone, and types from above", r.object(t)["groups"], types(t, r))
	}
	if got := listedTokens(t, h.want(200, "GET", variant+"/tokens?path=a", "")); got != "a.b.c=9" {
		t.Errorf("overrides = %s, want a.b.c=9", got)
	}
	h.want(200, "GET", theme+"/tokens?"+strings.Repeat("path=x&", 100), "")
	h.do(owner, "GET", theme+"/tokens?"+strings.Repeat("path=x&", 101), "").refuses(t, 400, "validation")
	h.do(owner, "GET", theme+"/tokens?path=", "").refuses(t, 400, "validation")
}
