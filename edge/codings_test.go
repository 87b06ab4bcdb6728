package edge_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// A file is rendered once, whatever codings are asked for and in whatever order; it is the same in all of them.
func TestOneRenderingGivesAllCodings(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	f.publish(thm, variedTheme())
	for _, order := range []string{"gzip br zstd identity", "identity gzip br", "br identity gzip", "zstd gzip identity br"} {
		t.Run(order, func(t *testing.T) {
			r := run(t, f)
			r.settle()
			address := path("-", "1", "tokens.css")
			before := r.counted("livery_edge_render_seconds")
			etags := map[string]string{}
			var plain, packed string
			for _, coding := range append(strings.Fields(order), strings.Fields(order)...) {
				got := r.get(address, "Accept-Encoding: "+coding)
				if got.status != 200 {
					t.Fatalf("%s: %d", coding, got.status)
				}
				if _, known := etags[coding]; known && got.header.Get("Cache-Status") != "livery; hit" {
					t.Errorf("%s again: %s", coding, got.header.Get("Cache-Status"))
				}
				etags[coding] = got.header.Get("Etag")
				switch coding {
				case "identity":
					plain = got.body
				case "gzip":
					packed = got.body
				}
			}
			if got := r.counted("livery_edge_render_seconds") - before; got != 1 {
				t.Errorf("%v renderings, want 1", got)
			}
			z, err := gzip.NewReader(strings.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(z); err != nil || string(text) != plain || plain == "" {
				t.Errorf("gzip says %d bytes, the file is %d (%v)", len(text), len(plain), err)
			}
			part := r.get(address, "Range: bytes=5-14")
			if part.status != 206 || part.body != plain[5:15] {
				t.Errorf("a range = %d %q, want %q", part.status, part.body, plain[5:15])
			}
		})
	}
}

// Variants are encoded by the matches of their Theme, from the second one on: every coding says the file, whose validator
// is of its bytes, and gzip is as short as the first Variant's, which was encoded by its own.
func TestVariantsAreEncodedByTheirTheme(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	f.publish(thm, variedTheme())
	var ids []string
	for i := range 4 {
		ids = append(ids, fmt.Sprintf("var_%026d", i+1))
		f.override(thm, ids[i], 1, strings.Replace(variedOverrides(i*37, 20), "1px", fmt.Sprintf("%dpx", i), 1), true)
	}
	coded, plain := run(t, f), run(t, f)
	for _, file := range allFiles {
		for coding, decode := range map[string]func(io.Reader) (io.Reader, error){
			"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
			"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		} {
			for i, id := range ids {
				if (i%2 == 0) != (coding == "gzip") {
					continue // a file that is held in one coding gives the others
				}
				got, want := coded.get(path(id, "1", file), "Accept-Encoding: "+coding), plain.get(path(id, "1", file))
				r, err := decode(strings.NewReader(got.body))
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(r)
				if err != nil || string(text) != want.body || len(want.body) < 4<<10 {
					t.Errorf("%s of %s of Variant %d says %d bytes, the file is %d (%v)", coding, file, i, len(text), len(want.body), err)
				}
				sum := sha256.Sum256([]byte(want.body))
				if tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`; want.header.Get("Etag") != tag {
					t.Errorf("%s of Variant %d: ETag %s, want %s", file, i, want.header.Get("Etag"), tag)
				}
				if again := coded.get(path(id, "1", file)); again.body != want.body || again.header.Get("Etag") != want.header.Get("Etag") {
					t.Errorf("%s of Variant %d is another file after %s", file, i, coding)
				}
				first := coded.get(path(ids[0], "1", file), "Accept-Encoding: gzip") // as small as gzip gets, sooner or later
				if coding == "gzip" && len(got.body) > len(first.body)*11/10 {
					t.Errorf("gzip of %s of Variant %d has %d bytes, of the first %d", file, i, len(got.body), len(first.body))
				}
			}
		}
	}
}

// variedOverrides changes count tokens of variedTheme from number first on.
func variedOverrides(first, count int) string {
	var names []string
	for _, part := range strings.Split(variedTheme(), `"step`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, `"space.step`+name+`":"1px"`)
	}
	return "{" + strings.Join(names[first:first+count], ",") + "}"
}
