package edge

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/livery/storage/record"
)

// discarding takes an answer and keeps nothing of it but the status.
type discarding struct {
	head   http.Header
	status int
	bytes  int
}

func (d *discarding) Header() http.Header    { return d.head }
func (d *discarding) WriteHeader(status int) { d.status = status }
func (d *discarding) Flush()                 {}
func (d *discarding) Write(p []byte) (int, error) {
	d.bytes += len(p)
	return len(p), nil
}

// h2Request is a browser's request as net/http hands it over.
func h2Request(t testing.TB, path string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, io.NopCloser(strings.NewReader("")))
	if err != nil {
		t.Fatal(err)
	}
	r.RequestURI, r.Host = path, "cdn.example.com"
	r.Header = http.Header{
		"Accept-Encoding": {"gzip, deflate, br, zstd"}, "User-Agent": {"Mozilla/5.0"}, "Sec-Fetch-Site": {"cross-site"}, "Accept": {"text/css,*/*;q=0.1"},
	}
	return r
}

// A hit in HTTP/2 allocates the values of its head, which net/http keeps, and one list of them: nothing
// that grows with the file or the request.
func TestHTTP2HitAllocatesItsHeadOnly(t *testing.T) {
	e := warmed(t, record.Serving{Mode: "public"})
	r := h2Request(t, "/"+testEnv+"/"+testTheme+"/-/1/tokens.css")
	w := &discarding{head: http.Header{}}
	allocated := testing.AllocsPerRun(200, func() {
		clear(w.head)
		e.server.ServeHTTP(w, r)
	})
	if w.status != http.StatusOK || w.bytes == 0 {
		t.Fatalf("answer = %d, %d bytes", w.status, w.bytes)
	}
	if raced {
		t.Skip("allocations are not counted under the race detector: pools drop what they hold then")
	}
	if texts := float64(len(w.head) + 1); allocated > texts {
		t.Errorf("a hit allocates %v times, want at most %v for %d headers", allocated, texts, len(w.head))
	}
}

func BenchmarkHTTP2Hit(b *testing.B) {
	e := warmed(b, record.Serving{Mode: "public"})
	r := h2Request(b, "/"+testEnv+"/"+testTheme+"/-/1/tokens.css")
	w := &discarding{head: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.head)
		e.server.ServeHTTP(w, r)
	}
}
