package edge_test

import (
	"io"
	"strings"
	"testing"

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
