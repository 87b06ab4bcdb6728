package loop

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/livery/httpd/guard"
)

const chrome = "GET /20k.css HTTP/1.1\r\nHost: localhost:8090\r\nConnection: keep-alive\r\n" +
	`sec-ch-ua-platform: "Linux"` + "\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36\r\n" +
	`sec-ch-ua: "Chromium";v="156", "Not/A)Brand";v="24", "Google Chrome";v="156"` + "\r\nsec-ch-ua-mobile: ?0\r\nAccept: text/css,*/*;q=0.1\r\n" +
	"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: style\r\nSec-Fetch-Storage-Access: active\r\nReferer: http://site.example/\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-GB,en;q=0.9,de;q=0.8\r\nCookie: a=b; c=d\r\n\r\n"

// clientLines are headers that HTTP clients send and no answer depends on.
var clientLines = []string{
	"Authorization: Bearer " + strings.Repeat("a", 300), "Content-Type: application/json", "Content-Language: en", "Content-MD5:", "TE: trailers", "Tenant: a", "Test-Run: 1",
	"Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA", "Content-Length: 0", "Keep-Alive: timeout=5", "Proxy-Authorization: Basic YTpi",
	"If-Modified-Since: Sat, 29 Oct 1994 19:43:31 GMT", "X-HTTP-Method-Override: PUT", "X_Unknown: a", "Sec-CH-Prefers-Reduced-Transparency: no-preference",
}

// TestAnswersAreFasthttps sends texts to the loop and to fasthttp: whatever they hold, the answers are
// equal but for Date.
func TestAnswersAreFasthttps(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		direct := openDirect(t)
		for _, tt := range texts {
			t.Run(tt.name, func(t *testing.T) {
				before := h.loop.Stats().Answers
				got := string(withoutDate([]byte(exchange(t, h.dial(t), tt.text))))
				want := string(withoutDate([]byte(direct.ask(t, tt.text))))
				if bareLineEnd([]byte(tt.text)) { // fasthttp alone would take it, or wait for another end
					want = string(withoutDate(guard.Malformed.Bytes()))
				}
				if got != want {
					t.Errorf("the loop answers %d bytes %.300q, fasthttp %d bytes %.300q", len(got), got, len(want), want)
				}
				eventually(t, fmt.Sprintf("%d answers are the loop's", tt.ours), func() bool { return h.loop.Stats().Answers == before+uint64(tt.ours) })
			})
		}
	})
}

// bareLineEnd reports whether a line of text ends with a CR or an LF alone.
func bareLineEnd(text []byte) bool {
	rest := bytes.ReplaceAll(text, []byte("\r\n"), nil)
	return bytes.ContainsAny(rest, "\r\n")
}

var texts = []struct {
	name string
	text string
	ours int // answers of the Source
}{
	{"one file", get("/2k.css"), 1},
	{"Chrome", chrome, 1},
	{"an empty file", get("/empty.css"), 1},
	{"a path with other characters", get("/a/-/b_c~d.css"), 1},
	{"gzip", get("/20k.css", "Accept-Encoding: gzip"), 1},
	{"a current copy", get("/20k.css", `If-None-Match: "20480"`), 1},
	{"another copy", get("/20k.css", `If-None-Match: "1"`), 1},
	{"a large file", get("/200k.css"), 1},
	{"a very large file", get("/2m.css"), 1},
	{"a connection that ends", get("/2k.css", "Connection: close"), 1},
	{"keep-alive in any case", get("/2k.css", "Connection: Keep-Alive"), 1},
	{"what follows an end is not answered", get("/2k.css", "Connection: close") + get("/2k.css"), 1},
	{"a pipeline", strings.Repeat(get("/2k.css"), 16), 16},
	{"a long pipeline", strings.Repeat(get("/2k.css"), 500), 500},
	{"a pipeline of large files", strings.Repeat(get("/200k.css"), 20), 20},
	{"a pipeline of mixed requests", get("/2k.css") + get("/nothing") + get("/20k.css") + "HEAD /2k.css HTTP/1.1\r\nHost: a\r\n\r\n" + get("/2k.css"), 3},
	{"a file that only the server has", get("/missed.css"), 0},
	{"a source that panics", get("/panic.css"), 0},
	{"an unknown file", get("/nothing"), 0},
	{"HEAD", "HEAD /2k.css HTTP/1.1\r\nHost: a\r\n\r\n", 0},
	{"OPTIONS", "OPTIONS /2k.css HTTP/1.1\r\nHost: a\r\n\r\n", 0},
	{"POST with a body", "POST /2k.css HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" + get("/2k.css"), 1},
	{"a query", get("/2k.css?a=b&c=%20/?:@"), 1},
	{"an empty query", get("/2k.css?"), 1},
	{"a long query", get("/2k.css?" + strings.Repeat("a", 511)), 1},
	{"a longer query", get("/2k.css?" + strings.Repeat("a", 512)), 0},
	{"a query of other characters", get("/2k.css?a=\"b\""), 0},
	{"a fragment", get("/2k.css#a"), 0},
	{"an escaped path", get("/2k%2ecss"), 0},
	{"HTTP/1.0", "GET /2k.css HTTP/1.0\r\nHost: a\r\n\r\n", 0},
	{"HTTP/1.0 kept alive", "GET /2k.css HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n" + get("/2k.css"), 1},
	{"HTTP/2.0", "GET /2k.css HTTP/2.0\r\nHost: a\r\n\r\n", 0},
	{"another HTTP/1", "GET /2k.css HTTP/1.9\r\nHost: a\r\n\r\n", 0},
	{"lower case method", "get /2k.css HTTP/1.1\r\nHost: a\r\n\r\n", 0},
	{"absolute form", "GET http://evil.example/2k.css HTTP/1.1\r\nHost: a\r\n\r\n", 0},
	{"no host", "GET /2k.css HTTP/1.1\r\n\r\n", 0},
	{"an empty host", "GET /2k.css HTTP/1.1\r\nHost:\r\n\r\n", 0},
	{"two hosts", "GET /2k.css HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 0},
	{"a bad host", "GET /2k.css HTTP/1.1\r\nHost: a b\r\n\r\n", 0},
	{"a host with a bad port", "GET /2k.css HTTP/1.1\r\nHost: a:8x\r\n\r\n", 0},
	{"a host in brackets", "GET /2k.css HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 0},
	{"bare line feeds", "GET /2k.css HTTP/1.1\nHost: a\n\n", 0},
	{"a bare line feed in the head", "GET /2k.css HTTP/1.1\r\nHost: a\nAccept: b\r\n\r\n", 0},
	{"a bare carriage return", get("/2k.css", "Accept: a\rb"), 0},
	{"a zero byte", get("/2k.css", "Accept: a\x00b"), 0},
	{"a delete character", get("/2k.css", "Accept: a\x7fb"), 0},
	{"a tab in a value", get("/2k.css", "Accept: a\tb"), 0},
	{"bytes beyond ASCII in a value", get("/2k.css", "Accept: ä\xff"), 1},
	{"a folded line", get("/2k.css", "Accept: a", " b"), 0},
	{"a space before the colon", get("/2k.css", "Accept : a"), 0},
	{"a space in a name", get("/2k.css", "Acc ept: a"), 0},
	{"no colon", get("/2k.css", "Accept"), 0},
	{"no name", get("/2k.css", ": a"), 0},
	{"no space behind the colon", get("/2k.css", "Accept:a"), 1},
	{"spaces around a value", get("/2k.css", "Accept-Encoding:   gzip   "), 1},
	{"an unknown header", get("/2k.css", "X-Unknown: a"), 1},
	{"unknown headers", get("/2k.css", "B3: a", "X-9: b", "x-9: c", "Newest-Idea: "+strings.Repeat("d", 200)), 1},
	{"an unknown header without a value", get("/2k.css", "X-Unknown:"), 1},
	{"an unknown header of a long name", get("/2k.css", "X-"+strings.Repeat("a", 40)+": a"), 1},
	{"an unknown header with an underscore", get("/2k.css", "X_Unknown: a"), 1},
	{"an unknown header with a dot", get("/2k.css", "X.Unknown: a"), 1},
	{"an unknown header with parentheses", get("/2k.css", "X(Unknown): a"), 0},
	{"an unknown header beyond ASCII", get("/2k.css", "X-Ünknown: a"), 0},
	{"a header that is nearly one of framing", get("/2k.css", "Content-Lengths: 5", "Content_Length: 5", "Transfer-Encodings: chunked") + get("/2k.css"), 2},
	{"what clients send besides", get("/2k.css", clientLines...) + get("/2k.css"), 2},
	{"Trailer", get("/2k.css", "Trailer: a"), 0},
	{"Trailer of a field of framing", get("/2k.css", "Trailer: Content-Length"), 0},
	{"a header twice", get("/2k.css", "Origin: a", "Origin: b"), 0},
	{"an empty header", get("/2k.css", "Origin:"), 0},
	{"an empty harmless header", get("/2k.css", "Accept:"), 1},
	{"Content-Length 0", get("/2k.css", "Content-Length: 0") + get("/2k.css"), 2},
	{"Content-Length 0 twice", get("/2k.css", "Content-Length: 0", "Content-Length: 0"), 0},
	{"Content-Length 00", get("/2k.css", "Content-Length: 00") + get("/2k.css"), 1},
	{"Content-Length -0", get("/2k.css", "Content-Length: -0"), 0},
	{"Content-Length without a value", get("/2k.css", "Content-Length:"), 0},
	{"Content-Length with a tab", get("/2k.css", "Content-Length:\t0"), 0},
	{"Content-Length 0 and Transfer-Encoding", get("/2k.css", "Content-Length: 0", "Transfer-Encoding: chunked") + "0\r\n\r\n" + get("/2k.css"), 1},
	{"Transfer-Encoding", get("/2k.css", "Transfer-Encoding: chunked") + "0\r\n\r\n" + get("/2k.css"), 1},
	{"Content-Length and Transfer-Encoding", get("/2k.css", "Content-Length: 5", "Transfer-Encoding: chunked") + "0\r\n\r\n" + get("/2k.css"), 1},
	{"Transfer-Encoding in disguise", get("/2k.css", "Transfer-Encoding: \x0bchunked"), 0},
	{"two lengths", get("/2k.css", "Content-Length: 5", "Content-Length: 5") + "hello", 0},
	{"Expect", get("/2k.css", "Expect: 100-continue"), 0},
	{"Range", get("/2k.css", "Range: bytes=0-1"), 0},
	{"Upgrade", get("/2k.css", "Connection: Upgrade", "Upgrade: h2c") + get("/2k.css"), 2},
	{"two Connection headers", get("/2k.css", "Connection: close", "Connection: keep-alive") + get("/2k.css"), 1},
	{"Connection with a list", get("/2k.css", "Connection: x,, CLOSE") + get("/2k.css"), 1},
	{"Connection with another list", get("/2k.css", "Connection: Keep-Alive, closed", "Connection:") + get("/2k.css"), 2},
	{"an empty line before", "\r\n" + get("/2k.css"), 0},
	{"half a head", "GET /2k.css HTTP/1.1\r\nHost: a\r\nAcc", 0},
	{"half a request line", "GE", 0},
	{"a head of the greatest length", get("/2k.css", "Accept: "+strings.Repeat("a", 8<<10-len(get("/2k.css", "Accept: ")))), 1},
	{"a head beyond it", get("/2k.css", "Accept: "+strings.Repeat("a", 8<<10+1-len(get("/2k.css", "Accept: ")))), 0},
	{"a head far beyond it", get("/2k.css", "Accept: "+strings.Repeat("a", 200<<10)), 0},
	{"as many headers as may be", get("/2k.css", slices.Repeat([]string{"Accept: a"}, maxHeaders-1)...), 1},
	{"more headers", get("/2k.css", slices.Repeat([]string{"Accept: a"}, maxHeaders)...), 0},
	{"a TLS client", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", 0},
	{"an HTTP/2 client", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0},
}

// TestTheHandlerAnswersOneRequestAtATime: what it answers leaves the next request to the Source.
func TestTheHandlerAnswersOneRequestAtATime(t *testing.T) {
	eachWay(t, func(t *testing.T, open func(...func(*Config)) *testServer) {
		h := open()
		c := h.dial(t)
		r := bufio.NewReader(c)
		for i := range 50 {
			if resp, body := ask(t, c, r, get("/nothing")); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, "for 127.0.0.1") {
				t.Fatalf("request %d: status %d, body %q", i, resp.StatusCode, body)
			}
			if resp, body := ask(t, c, r, get("/2k.css")); resp.StatusCode != http.StatusOK || len(body) != 2<<10 {
				t.Fatalf("request %d: status %d, %d bytes", i, resp.StatusCode, len(body))
			}
		}
		eventually(t, "every second answer is the loop's", func() bool { return h.loop.Stats().Answers == 50 })
		if s := h.loop.Stats(); s.Handovers != 50 || h.requests.Load() != 50 {
			t.Errorf("%+v, and %d requests to the server; want 50 and 50", s, h.requests.Load())
		}
	})
}
