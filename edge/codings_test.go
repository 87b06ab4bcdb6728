package edge_test

import (
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
// is its own and the same at every edge, and gzip is as short as the first Variant's, which was encoded by its own.
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
	said := map[string]string{} // by the validator
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
				if other, seen := said[want.header.Get("Etag")]; seen && other != want.body {
					t.Errorf("%s of Variant %d has the ETag of another file", file, i)
				}
				said[want.header.Get("Etag")] = want.body
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

// A publish that leaves what a Variant's file is rendered from as it is leaves its validator.
func TestUnchangedFilesKeepTheirValidators(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	id := fmt.Sprintf("var_%026d", 1)
	for version, theme := range []string{smallTheme, strings.Replace(smallTheme, `"$value"`, `"$description":"new","$value"`, 1)} {
		f.publish(thm, theme)
		f.override(thm, id, uint32(version+1), `{"space.small":"9px"}`, true)
	}
	r := run(t, f)
	for _, tt := range []struct {
		file string
		same bool
	}{{"tokens.css", true}, {"tokens.dtcg.json", false}} {
		first, second := r.get(path(id, "1", tt.file)), r.get(path(id, "2", tt.file))
		want(t, first, 200, "9px")
		if same := first.header.Get("Etag") == second.header.Get("Etag"); same != tt.same || same != (first.body == second.body) {
			t.Errorf("%s has the same validator: %t, want %t", tt.file, same, tt.same)
		}
	}
}
