package edge_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"example.com/livery/edge"
)

var statusLine = regexp.MustCompile(`HTTP/1\.1 \d{3} `)

// A50 to A58, A60, A61, A72 at the edge, with the fast path and without: what two readers could understand
// differently is refused whole, the connection is closed, and what was put behind it is not answered.
func TestAttacksOnFramingAreRefusedByTheEdge(t *testing.T) {
	pinned := path("-", "1", "tokens.css")
	get, post := "GET "+pinned+" HTTP/1.1\r\nHost: a\r\n", "POST "+pinned+" HTTP/1.1\r\nHost: a\r\n"
	hidden := "GET " + path("-", "2", "tokens.css") + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	for _, r := range []*running{run(t, publishedFeed(t), fastly(true)), run(t, publishedFeed(t), fastly(false))} {
		want(t, r.get(pinned), 200, "")
		for _, a := range []struct {
			name, text string
			status     int
		}{
			{"A50 length then chunked", get + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
			{"A50 chunked then length", get + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
			{"A51 two lengths", get + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n", 400},
			{"A51 two equal lengths", get + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", 400},
			{"A51 a list", get + "Content-Length: 5, 5\r\n\r\n", 400},
			{"A51 signed", get + "Content-Length: +5\r\n\r\n", 400},
			{"A51 negative", get + "Content-Length: -1\r\n\r\n", 400},
			{"A51 hexadecimal", get + "Content-Length: 0x5\r\n\r\n", 400},
			{"A52 chunked twice", get + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
			{"A52 an unknown coding", get + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400},
			{"A52 gzip, chunked", get + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400},
			{"A52 a control character", get + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400},
			{"A52 a space before the colon", get + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400},
			{"A52 HTTP/1.0", strings.Replace(get, "1.1", "1.0", 1) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
			{"A53 identity", get + "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n", 400},
			{"A54 a negative chunk", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", 400},
			{"A54 a hexadecimal chunk", post + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", 400},
			{"A54 an overflow", post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n", 400},
			{"A54 no end", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}xx0\r\n\r\n", 400},
			{"A54 a length in the trailer", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 3\r\n\r\n", 400},
			{"A55 a fold", get + "X-A: b\r\n c\r\n\r\n", 400},
			{"A55 a fold on the first line", "GET " + pinned + " HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n", 400},
			{"A56 a space in a name", get + "X A: b\r\n\r\n", 400},
			{"A57 a zero byte", get + "X-A: b\x00c\r\n\r\n", 400},
			{"A57 a carriage return", get + "X-A: b\rc\r\n\r\n", 400},
			{"A57 no Host", "GET " + pinned + " HTTP/1.1\r\n\r\n", 400},
			{"A57 a Host with user information", "GET " + pinned + " HTTP/1.1\r\nHost: user@a\r\n\r\n", 400},
			{"A57 two Hosts", get + "Host: b\r\n\r\n", 400},
			{"A58 HTTP/2.0", strings.Replace(get, "1.1", "2.0", 1) + "\r\n", 505},
			{"A58 HTTP/1.9", strings.Replace(get, "1.1", "1.9", 1) + "\r\n", 505},
			{"A60 no request", "hello\r\n\r\n", 400},
			{"A61 a huge header", get + "X-A: " + strings.Repeat("a", 200<<10) + "\r\n\r\n", 431},
			{"A72 a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		} {
			got := raw(t, r, a.text+hidden)
			if !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", a.status)) || len(statusLine.FindAllString(got, -1)) != 1 {
				t.Errorf("%s: %.200q, want one answer, %d", a.name, got, a.status)
			}
			if !strings.Contains(got, `{"status":"error"`) || strings.Contains(got, "\r\nServer:") || strings.Contains(got, "fasthttp") {
				t.Errorf("%s: %.400q, want the error body and no name of a program (A60, A106)", a.name, got)
			}
		}
	}
}

// A59 A63 to A71 at the edge: one address, one spelling; nothing of a request is in an answer.
func TestAttacksOnAddressesAndMethodsAtTheEdge(t *testing.T) {
	pinned := path("-", "1", "tokens.css")
	f := publishedFeed(t)
	f.mode(thm, "scheme", "dark", `{"space.small":"9px"}`)
	for _, r := range []*running{run(t, f, fastly(true)), run(t, f, fastly(false))} {
		want(t, r.get(pinned), 200, "")
		want(t, r.get(pinned+"?modes=scheme.dark"), 200, "9px")
		for _, a := range []struct {
			name, method, target, line string
			status                     int
		}{
			{"A59 absolute form", "GET", "http://evil.example" + pinned, "", 200},
			{"A63 a slash behind", "GET", pinned + "/", "", 404},
			{"A63 two slashes", "GET", "/" + pinned, "", 404},
			{"A63 another case", "GET", strings.ToUpper(pinned), "", 404},
			{"A64 dots", "GET", "/%2e%2e" + pinned, "", 404},
			{"A64 a slash within", "GET", strings.Replace(pinned, "/-/", "%2f-/", 1), "", 404},
			{"A64 a backslash", "GET", "/..\\" + pinned, "", 404},
			{"A64 a zero byte", "GET", pinned + "%00", "", 404},
			{"A64 no escape", "GET", pinned + "%zz", "", 404},
			{"A64 escaped twice", "GET", "/%252e" + pinned, "", 404},
			{"A64 a parameter", "GET", pinned + ";x=1", "", 404},
			{"A64 beyond ASCII", "GET", pinned + "\xff", "", 404},
			{"A65 an escaped letter", "GET", strings.Replace(pinned, "/env_", "/%65nv_", 1), "", 404},
			{"A66 another method", "DELETE", pinned, "", 405},
			{"A66 TRACE", "TRACE", pinned, "", 405},
			{"A66 lower case", "get", pinned, "", 405},
			{"A67 HEAD", "HEAD", pinned, "", 200},
			{"A68 an override", "GET", pinned, "X-HTTP-Method-Override: DELETE", 200},
			{"A69 an unknown expectation", "GET", pinned, "Expect: 200-ok", 0},
			{"A71 a line break in the address", "GET", pinned + "%0d%0aX-Evil:%201", "", 404},
			{"A71 a line break in the query", "GET", pinned + "?a=%0d%0aX-Evil:%201", "", 200},
			{"A63 modes in another case", "GET", pinned + "?Modes=scheme.dark", "", 404},
			{"A63 modes twice", "GET", pinned + "?modes=scheme.dark&modes=scheme.dark", "", 404},
			{"A63 modes that are not first", "GET", pinned + "?a=1&modes=scheme.dark", "", 404},
			{"A64 dots as modes", "GET", pinned + "?modes=../../evil", "", 404},
			{"A64 a zero byte in modes", "GET", pinned + "?modes=scheme.dark%00", "", 404},
			{"A64 modes beyond ASCII", "GET", pinned + "?modes=scheme.dark\xff", "", 404},
			{"A64 modes of another Theme", "GET", pinned + "?modes=scheme.evil", "", 404},
			{"A65 modes with an escaped letter", "GET", pinned + "?%6dodes=scheme.dark", "", 404},
			{"A65 a mode that is escaped twice", "GET", pinned + "?modes=scheme.d%2561rk", "", 404},
			{"A71 a line break in modes", "GET", pinned + "?modes=scheme.dark%0d%0aX-Evil:%201", "", 404},
			{"A71 a quotation mark in modes", "GET", pinned + "?modes=scheme.dark\"evil", "", 404},
			{"A71 an Origin with modes", "GET", pinned + "?modes=scheme.dark", "Origin: https://evil.example", 200},
			{"A71 a line break in an Origin", "GET", pinned, "Origin: https://a.example%0d%0aX-Evil: 1", 200},
		} {
			line := a.line
			if line != "" {
				line += "\r\n"
			}
			got := raw(t, r, a.method+" "+a.target+" HTTP/1.1\r\nHost: evil.example\r\n"+line+"Connection: close\r\n\r\n")
			if a.status == 0 { // ignored, or refused: never run as something else
				if !strings.HasPrefix(got, "HTTP/1.1 200 ") && !strings.HasPrefix(got, "HTTP/1.1 417 ") {
					t.Errorf("%s: %.200q, want 200 or 417", a.name, got)
				}
			} else if !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", a.status)) {
				t.Errorf("%s: %.200q, want %d", a.name, got, a.status)
			}
			if strings.Contains(strings.ToLower(got), "evil") || strings.Contains(got, "\r\nLocation:") {
				t.Errorf("%s: %.400q, want nothing of the request in it, and no redirect", a.name, got)
			}
			if a.status == 405 && !strings.Contains(got, "\r\nAllow: ") {
				t.Errorf("%s: no Allow in %.300q", a.name, got)
			}
		}
	}
}

// fastly switches the fast path.
func fastly(on bool) option { return func(c *edge.Config) { c.NoReady = !on } }
