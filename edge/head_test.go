package edge_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// unclosed sends a text on a connection that the client leaves open, and returns what comes before the edge
// closes it. It fails if the edge does not.
func unclosed(t *testing.T, r *running, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(8 * time.Second)) // less than the edge's limit for a head
	got, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%q: %v after %.200q, want that the edge closes the connection", text, err, got)
	}
	return string(got)
}

// A connection ends after the request whose Connection header says so in any case, among other tokens and on
// any of several lines (RFC 9110 section 7.6.1), and no other does.
func TestConnectionIsAListOfTokens(t *testing.T) {
	r := run(t, publishedFeed(t))
	pinned := path("-", "1", "tokens.css")
	want(t, r.get(pinned), 200, "")
	end := plainGet("/", "Connection: close")
	for _, tt := range []struct {
		lines   string
		answers int
	}{
		{"Connection: close", 1},
		{"Connection: CLOSE", 1},
		{"connection: Close", 1},
		{"Connection: x, close", 1},
		{"Connection: close, keep-alive", 1},
		{"Connection: keep-alive,close", 1},
		{"Connection: close\r\nConnection: keep-alive", 1},
		{"Connection: keep-alive\r\nConnection: CLOSE", 1},
		{"Connection: x\r\nAccept: a\r\nConnection: y\r\nConnection: ,close", 1},
		{"Connection: keep-alive", 2},
		{"Connection: Keep-Alive, x", 2},
		{"Connection: closed", 2},
		{"Connection: x close", 2},
		{"X-Connection: close", 2},
	} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "DELETE"} {
			got := unclosed(t, r, strings.Replace(plainGet(pinned, tt.lines), "GET", method, 1)+end)
			if answers := statusLine.FindAllStringIndex(got, -1); len(answers) != tt.answers {
				t.Errorf("%s with %q: %d answers, want %d: %.400q", method, tt.lines, len(answers), tt.answers, got)
			} else if first := got[:strings.Index(got, "\r\n\r\n")]; strings.Contains(first, "Connection: close") != (tt.answers == 1) {
				t.Errorf("%s with %q: the head is %q", method, tt.lines, first)
			}
		}
	}
}

// If-Match holds for "*" and for the validator of what would be sent, by strong comparison; otherwise the
// answer is 412, whatever the other conditions are (RFC 9110 sections 13.1.1 and 13.2.2).
func TestIfMatch(t *testing.T) {
	r := run(t, publishedFeed(t))
	for _, version := range []string{"1", "latest"} {
		for _, file := range []string{"tokens.css", "tokens.values.json"} {
			address := path("-", version, file)
			for _, coding := range []string{"identity", "gzip"} {
				accept := "Accept-Encoding: " + coding
				var tag string
				eventually(t, "a coding that stays", func() bool {
					before := tag
					tag = r.get(address, accept).header.Get("ETag")
					return before == tag
				})
				for _, tt := range []struct {
					lines  []string
					status int
				}{
					{[]string{"If-Match: " + tag}, 200},
					{[]string{"If-Match: *"}, 200},
					{[]string{"If-Match:  * "}, 200},
					{[]string{`If-Match: "x", ` + tag + `, "y"`}, 200},
					{[]string{`If-Match: "x"`, "If-Match: " + tag}, 200},
					{[]string{`If-Match: "x"`}, 412},
					{[]string{"If-Match: W/" + tag}, 412},
					{[]string{`If-Match: W/` + tag + `, "x"`}, 412},
					{[]string{"If-Match: x"}, 412},
					{[]string{"If-Match: "}, 412},
					{[]string{"If-Match: " + tag, "If-None-Match: " + tag}, 304},
					{[]string{`If-Match: "x"`, "If-None-Match: " + tag}, 412},
					{[]string{`If-Match: "x"`, "Range: bytes=0-1"}, 412},
					{[]string{`If-Match: "x"`, "Range: bytes=9999999-"}, 412},
				} {
					for _, method := range []string{"GET", "HEAD"} {
						got := r.do(method, address, append(tt.lines, accept)...)
						if got.status != tt.status {
							t.Errorf("%s %s in %s with %q: %d, want %d", method, address, coding, tt.lines, got.status, tt.status)
						}
						if method == "GET" && got.status == 412 && (!strings.Contains(got.body, `"cause":"conflict"`) || got.header.Get("Cache-Control") != "no-store") {
							t.Errorf("412: %v %q", got.header, got.body)
						}
					}
				}
			}
		}
	}
	tag := r.get(path("-", "1", "tokens.css")).header.Get("ETag")
	if got := r.get(path("-", "1", "tokens.css"), "If-Match: "+tag, "Range: bytes=0-1"); got.status != 206 {
		t.Errorf("a range of the file that the client has: %d, want 206", got.status)
	}
	if got := r.get(path("-", "9", "tokens.css"), "If-Match: *"); got.status != 404 {
		t.Errorf("If-Match on a version that does not exist: %d, want 404", got.status)
	}
	if got := r.do("OPTIONS", path("-", "1", "tokens.css"), `If-Match: "x"`); got.status != 204 {
		t.Errorf("OPTIONS with If-Match: %d, want 204", got.status)
	}
}

// A head with a line that ends in a bare LF or CR is answered 400 at once, and the connection closed
// (RFC 9112 section 2.2), however the bytes come; a body may hold any bytes.
func TestLinesOfHeadsEndInCRLF(t *testing.T) {
	r := run(t, publishedFeed(t))
	pinned := path("-", "1", "tokens.css")
	good := plainGet(pinned)
	line := "GET " + pinned + " HTTP/1.1"
	for _, bad := range []string{
		line + "\nHost: a\n\n",
		line + "\rHost: a\r\r",
		line + "\r\nHost: a\n\r\n",
		line + "\r\nHost: a\nAccept: b\r\n\r\n",
		line + "\r\nHost: a\r\n\n",
		line + "\r\nHost: a\r\r\n\r\n",
		line + "\nHost: a\r\n\r\n",
		line + "\r\nX: a\rHost: a\r\n\r\n",
		"\n" + good,
		"\r" + good,
		"\r\n\n" + good,
		line + "\n",
		line + "\r\nHost: a\r\n\rx",
	} {
		for name, before := range map[string]string{"": "", "a hit, ": good, "a miss, ": plainGet("/")} {
			got := unclosed(t, r, before+bad)
			answers := statusLine.FindAllString(got, -1)
			wanted := 1 + strings.Count(before, " HTTP/1.1")
			if len(answers) != wanted || answers[wanted-1] != "HTTP/1.1 400 " {
				t.Errorf("%sthen %q: %q", name, bad, answers)
			}
		}
	}
	for name, text := range map[string]string{
		"a body":       plainGet(pinned, "Content-Length: 7") + "\na\rb\r\n\n",
		"chunks":       plainGet(pinned, "Transfer-Encoding: chunked") + "3\r\n\n\r\n\r\n0\r\n\r\n",
		"empty lines":  "\r\n\r\n" + good,
		"two requests": good + good,
	} {
		got := unclosed(t, r, text+plainGet("/", "Connection: close"))
		answers := strings.Join(statusLine.FindAllString(got, -1), "")
		if wanted := strings.Repeat("HTTP/1.1 200 ", strings.Count(text, " HTTP/1.1")) + "HTTP/1.1 404 "; answers != wanted {
			t.Errorf("%s: %q, want %q", name, answers, wanted)
		}
	}
}

// A client that sends a wrong line end behind a body, or byte by byte, is answered too.
func TestLineEndsAreSeenInPieces(t *testing.T) {
	r := run(t, publishedFeed(t))
	pinned := path("-", "1", "tokens.css")
	want(t, r.get(pinned), 200, "")
	for name, pieces := range map[string][]string{
		"byte by byte":    strings.Split("GET "+pinned+" HTTP/1.1\r\nHost: a\n\n", ""),
		"behind a body":   {plainGet(pinned, "Content-Length: 2"), "\n\n", "GET / HTTP/1.1\n"},
		"behind a chunk":  {plainGet(pinned, "Transfer-Encoding: chunked"), "1\r\n\n\r\n0\r\n\r\n", "GET / HTTP/1.1\n"},
		"a CR, and later": {"GET " + pinned + " HTTP/1.1\r", "Host: a"},
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(8 * time.Second))
		var got strings.Builder
		for _, piece := range pieces {
			if _, err := io.WriteString(c, piece); err != nil {
				break // the edge has seen enough
			}
			if strings.HasPrefix(name, "behind") && piece[0] != 'G' { // the answer to what came before
				answer := make([]byte, 64<<10)
				n, err := c.Read(answer)
				if err != nil {
					t.Fatal(name, err)
				}
				fmt.Fprintf(&got, "%s", answer[:n])
			}
		}
		rest, err := io.ReadAll(c)
		if answers := statusLine.FindAllString(got.String()+string(rest), -1); err != nil && !strings.Contains(err.Error(), "reset") || len(answers) == 0 || answers[len(answers)-1] != "HTTP/1.1 400 " {
			t.Errorf("%s: %q, %v, want 400 at the end", name, answers, err)
		}
		_ = c.Close()
	}
}

// A TLS client that collects small segments sends its first request when the end of the handshake is acknowledged. The edge
// does not leave that to the kernel, which waits 40 ms at least for an answer to send along: here the end of the handshake
// and the request are one segment, and it is acknowledged before it is answered.
func TestFirstAnswersUnderTLSAreNotDelayed(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	want(t, s.h1.get("/"), 404, "")
	for range 20 {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.h1.url, "https://"))
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		held := &heldConn{Conn: c}
		secure := tls.Client(held, &tls.Config{RootCAs: s.trusted, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS13})
		if err := secure.Handshake(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(secure, plainGet("/")); err != nil {
			t.Fatal(err)
		}
		before := segmentsWithoutData(t, c)
		if _, err := c.Write(held.rest); err != nil {
			t.Fatal(err)
		}
		if _, err := secure.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if segmentsWithoutData(t, c) == before {
			t.Error("the end of a handshake was acknowledged with the first answer")
		}
		_ = c.Close()
	}
}

// heldConn is a connection that sends what is written first, and keeps the rest.
type heldConn struct {
	net.Conn
	begun bool
	rest  []byte
}

func (c *heldConn) Write(p []byte) (int, error) {
	if !c.begun {
		c.begun = true
		return c.Conn.Write(p)
	}
	c.rest = append(c.rest, p...)
	return len(p), nil
}
