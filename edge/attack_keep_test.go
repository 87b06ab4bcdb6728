package edge_test

import (
	"fmt"
	"testing"

	"example.com/livery/storage/record"
)

// A70 A80: what one request says is never seen by another on the same connection, whichever way both are answered.
func TestRequestsOfOneConnectionStayApart(t *testing.T) {
	f := publishedFeed(t)
	f.serving(thm, record.Serving{Mode: "public", AllowedOrigins: []string{"https://*.example"}, MissingOrigin: "refuse"})
	for _, r := range []*running{run(t, f, fastly(true)), run(t, f, fastly(false))} {
		pinned := path("-", "1", "tokens.css")
		for i := range 300 {
			origin := fmt.Sprintf("https://page-%d.example", i%17)
			if got := r.get(pinned, "Origin: "+origin); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != origin {
				t.Fatalf("request %d of %s = %d for %q", i, origin, got.status, got.header.Get("Access-Control-Allow-Origin"))
			}
			if got := r.get(pinned); got.status != 403 || got.header.Get("Access-Control-Allow-Origin") != "" {
				t.Fatalf("a request without an origin after %s = %d for %q, want 403", origin, got.status, got.header.Get("Access-Control-Allow-Origin"))
			}
			if got := r.get(pinned, "Origin: https://evil.invalid"); got.status != 403 {
				t.Fatalf("a request of another origin after %s = %d, want 403", origin, got.status)
			}
		}
	}
}
