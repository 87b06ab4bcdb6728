package edge_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"github.com/andybalholm/brotli"
)

// variedTheme is one whose files leave an encoder something to find.
func variedTheme() string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`{"space":{"$type":"dimension"`)
	for i := range 600 {
		fmt.Fprintf(&b, `,"step%d-%x":{"$value":"%d.%dpx"}`, i, random.Uint32(), random.IntN(900), random.IntN(99))
	}
	return b.String() + "}}"
}

// Who asks first does not wait for the smallest encoding; what never changes is made smaller behind
// the answers. The bytes say the same, under a validator of their own, and who has the bytes of before
// may keep them.
func TestEncodingsBecomeSmaller(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, variedTheme())
	r := run(t, f)
	address := path("-", "1", "tokens.css")
	plain := r.get(address).body
	readers := map[string]func(string) io.Reader{
		"br": func(s string) io.Reader { return brotli.NewReader(strings.NewReader(s)) },
		"gzip": func(s string) io.Reader {
			z, err := gzip.NewReader(strings.NewReader(s))
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	}
	for coding, decode := range readers {
		first := r.get(address, "Accept-Encoding: "+coding)
		var later response
		eventually(t, "a smaller "+coding, func() bool {
			later = r.get(address, "Accept-Encoding: "+coding)
			return len(later.body) < len(first.body)
		})
		if later.header.Get("Cache-Status") != "livery; hit" || later.header.Get("Etag") == first.header.Get("Etag") {
			t.Errorf("%s: other bytes, %v, then %v", coding, first.header, later.header)
		}
		for _, got := range []string{first.body, later.body} {
			if text, err := io.ReadAll(decode(got)); err != nil || string(text) != plain {
				t.Errorf("%s of %d bytes does not say what the file says (%v)", coding, len(got), err)
			}
		}
		for _, tag := range []string{first.header.Get("Etag"), later.header.Get("Etag")} {
			again := r.get(address, "Accept-Encoding: "+coding, "If-None-Match: "+tag)
			if again.status != 304 || again.header.Get("Etag") != tag {
				t.Errorf("%s: If-None-Match %s = %d %v", coding, tag, again.status, again.header)
			}
		}
	}
}

// An answer says how it came about (RFC 9211), and where it took long, what did.
func TestAnswersSayHowTheyCameAbout(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	r := run(t, f)
	r.settle()
	latest := path("-", "latest", "tokens.css")
	for _, tt := range []struct {
		name, path, coding, status string
		timed                      bool
	}{
		{"the first to ask", latest, "gzip", "livery; fwd=uri-miss; stored", true},
		{"the second", latest, "gzip", "livery; hit", false},
		{"another coding", latest, "br", "livery; fwd=vary-miss; stored", true},
		{"the same coding", latest, "br", "livery; hit", false},
		{"the same file at its number", path("-", "1", "tokens.css"), "br", "livery; fwd=uri-miss; stored", true},
		{"another file", path("-", "latest", "tokens.json"), "br", "livery; fwd=uri-miss; stored", true},
		{"what is not there", path(brand, "1", "tokens.css"), "br", "livery; fwd=uri-miss", true},
		{"what is known not to be there", path(brand, "1", "tokens.css"), "br", "livery; hit", false},
		{"a version far above any that the Theme's record knows", path("-", "999", "tokens.css"), "br", "livery; hit", false},
	} {
		got := r.get(tt.path, "Accept-Encoding: "+tt.coding)
		if got.header.Get("Cache-Status") != tt.status {
			t.Errorf("%s: %d %q, want %q", tt.name, got.status, got.header.Get("Cache-Status"), tt.status)
		}
		var upstream, made float64
		_, err := fmt.Sscanf(got.header.Get("Server-Timing"), "upstream;dur=%f, make;dur=%f", &upstream, &made)
		if (err == nil) != tt.timed || upstream < 0 || made < 0 || upstream+made > 10_000 {
			t.Errorf("%s: Server-Timing = %q", tt.name, got.header.Get("Server-Timing"))
		}
	}
}

// A client that does not take what it asked for is dropped, and holds nobody else up (A62).
func TestSlowReadersAreDropped(t *testing.T) {
	t.Parallel()
	f := newFeed(t)
	f.publish(thm, variedTheme())
	r := run(t, f, func(c *edge.Config) { c.WriteTimeout = 300 * time.Millisecond })
	address := path("-", "1", "tokens.dtcg.json")
	size := len(r.get(address).body)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	request := []byte("GET " + address + " HTTP/1.1\r\nHost: a\r\n\r\n")
	requests := bytes.Repeat(request, 1+(32<<20)/size) // more than the sockets' buffers take
	go conn.Write(requests)
	want(t, r.get(path("-", "1", "tokens.css")), 200, "px")
	eventually(t, "the connection dropped", func() bool { return r.counted("livery_edge_connections") <= 1 })
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if got, _ := io.Copy(io.Discard, bufio.NewReader(conn)); got >= int64(len(requests)/len(request)*size) {
		t.Errorf("all %d bytes came", got)
	}
}
