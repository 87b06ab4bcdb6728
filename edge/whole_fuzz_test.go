package edge_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/edge/policy"
	"example.com/livery/storage/record"
)

const (
	walled = "thm_00000000000000000000000002" // has an origin list and address ranges
	sealed = "thm_00000000000000000000000003" // wants signed addresses
)

var sealedKey = record.SigningKey{ID: "key_1", Secret: []byte("secret")}

// sealedAddress is signed for longer than an answer may be stored, so that no answer names what is left.
var sealedAddress = func() string {
	address := strings.Replace(path("-", "1", "tokens.css"), thm, sealed, 1)
	return address + "?" + policy.Sign(address, time.Now().Add(3*365*24*time.Hour), sealedKey)
}()

// pairOfEdges is one edge with the fast path and one without it, before the same feed and holding the
// same files.
type pairOfEdges struct{ fast, full *running }

func runPairOfEdges(t testing.TB) pairOfEdges {
	f := fuzzedFeed(t)
	p := pairOfEdges{
		fast: run(t, f, func(c *edge.Config) { c.NoReady = false }),
		full: run(t, f, func(c *edge.Config) { c.NoReady = true }),
	}
	for _, r := range []*running{p.fast, p.full} {
		r.settle()
	}
	eventually(t, "both edges hold every file in its last form", func() bool {
		first := p.answers(t, warmUp())
		return first == p.answers(t, warmUp()) && p.difference(t, warmUp(), 0) == ""
	})
	return p
}

// warmUp asks for what is to be held, in every coding.
func warmUp() (text []byte) {
	for _, address := range fuzzedAddresses() {
		for _, coding := range []string{"identity", "gzip", "zstd", "br"} {
			text = append(text, plainGet(address, "Accept-Encoding: "+coding)...)
		}
	}
	return text
}

// fuzzedFeed has files of every kind that fuzzedAddresses names.
func fuzzedFeed(t testing.TB) *feed {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	f.override(thm, brand, 1, `{"space.s7":"77px"}`, true)
	f.publish(thm, strings.Replace(bigTheme(), "px", "rem", 3))
	f.override(thm, brand, 2, `{"space.s7":"77px"}`, false)
	f.publish(walled, bigTheme())
	f.serving(walled, record.Serving{
		Mode: "public", AllowedOrigins: []string{"https://good.example", "https://*.wide.example"}, MissingOrigin: "allowNonBrowsers",
		AllowedIPRanges: []string{"127.0.0.0/8"},
	})
	f.publish(sealed, bigTheme())
	f.serving(sealed, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{sealedKey}})
	return f
}

func fuzzedAddresses() []string {
	return []string{
		path("-", "1", "tokens.css"), path("-", "latest", "tokens.css"), path("-", "latest", "tokens.json"), path(brand, "1", "tokens.css"),
		path(brand, "2", "tokens.css"), strings.Replace(path("-", "1", "tokens.css"), thm, walled, 1), sealedAddress, manifestPath(thm),
	}
}

func plainGet(target string, lines ...string) string {
	lines = append([]string{"GET " + target + " HTTP/1.1", "Host: files.example"}, lines...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// answers returns what both edges answer to a text.
func (p pairOfEdges) answers(t testing.TB, text []byte) string {
	fast, _ := talk(t, p.fast, text, 0)
	full, _ := talk(t, p.full, text, 0)
	return string(fast) + string(full)
}

// difference says how the answers of the two edges differ, or "". What comes for a connection that was
// reset is compared as far as it came, and a flood that an edge turns away is not compared: how far
// it got is a question of time.
func (p pairOfEdges) difference(t testing.TB, text []byte, cut int) string {
	want, ended := talk(t, p.full, text, 0)
	got, whole := talk(t, p.fast, text, cut)
	if bytes.Contains(got, turnedAway) || bytes.Contains(want, turnedAway) {
		return ""
	}
	if !whole || !ended {
		n := min(len(got), len(want))
		got, want = got[:n], want[:n]
	}
	if bytes.Equal(got, want) {
		return ""
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := max(0, at-100)
	return fmt.Sprintf("%d bytes, want %d; before byte %d %.300q, want %.300q", len(got), len(want), at, got[from:], want[from:])
}

var turnedAway = []byte("HTTP/1.1 503 ")

// talk sends a text, in two pieces if cut lies within it, and returns what comes back without what
// the clock or chance decides, and whether the connection ended in order.
func talk(t testing.TB, r *running, text []byte, cut int) ([]byte, bool) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(9 * time.Second)) // less than any limit of the edges
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if cut > 0 && cut < len(text) {
			_, _ = c.Write(text[:cut])
			text = text[cut:]
		}
		_, _ = c.Write(text)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	b, err := io.ReadAll(c)
	<-sent
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%q cut at %d: neither more of an answer nor an end comes", text, cut)
	}
	return withoutChance(b), err == nil
}

// withoutChance removes the lines of heads that are another in every answer.
func withoutChance(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		name, _, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Date", "Age", "Server-Timing", "X-Request-Id":
		default:
			out = append(out, line...)
		}
	}
	return out
}

// wholeSeeds are requests of every kind that an edge answers, and every ambiguity of the framing and
// smuggling suite (A50 to A72), each with a request behind it that must or must not be answered.
func wholeSeeds() (seeds []string) {
	pinned, latest := path("-", "1", "tokens.css"), path("-", "latest", "tokens.css")
	guarded := strings.Replace(pinned, thm, walled, 1)
	for _, address := range append(fuzzedAddresses(), path("-", "9", "tokens.css"), "/", pinned+"/", "/%2e%2e"+pinned) {
		seeds = append(seeds, plainGet(address), plainGet(address, "Accept-Encoding: gzip, deflate, br, zstd"))
	}
	for _, line := range []string{
		"Accept-Encoding: br;q=0, *", "Accept-Encoding: identity, gzip;q=0.5", "Accept-Encoding: ,;q=2", "If-None-Match: *", `If-None-Match: W/"x", "y"`,
		`If-Match: "x"`, "If-Match: *", "If-Match: W/\"x\"\r\nIf-Match: *", "Connection: CLOSE", "Connection: x, close", "Connection: close, keep-alive",
		"Connection: close\r\nConnection: keep-alive", "Connection: keep-alive\r\nConnection: close", "Connection: keep-alive, x",
		"Range: bytes=0-4", "Range: bytes=-1", "Range: bytes=9999999-", "Range: bytes=0-1,3-4", "Connection: close", "Connection: Keep-Alive",
		"Origin: https://any.example", "X-HTTP-Method-Override: DELETE", "X-Forwarded-Host: evil.example", "Expect: 200-ok", "Expect: 100-continue",
		"Upgrade: h2c", "Content-Length: 0", "Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
		"Transfer-Encoding: gzip, chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "Transfer-Encoding: \x0bchunked",
		"Content-Length: +5", "Content-Length: -1", "Content-Length: 0x5", "Content-Length: 5, 5", "Host: other.example", "Accept: a\rb", "Accept: a\x00b",
		"Accept: a\r\n b", "Acc ept: a", "Accept : a", ": a", "Accept", "Accept: a\tb", "Accept: \xff\x80",
		"Authorization: Bearer a", "Content-Type: application/json", "Content-Type: multipart/form-data; boundary=a", "Content-Type:", "Content-Language: en",
		"Content-Encoding: gzip", "Content-Range: bytes 0-1/2", "Tenant: a", "Te-St: a", "TE: trailers", "TE: trailers\r\nConnection: TE", "Trailer: a", "Trailer: Content-Length",
		"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA", "Keep-Alive: timeout=5", "Proxy-Authorization: Basic a",
		"Authorization: a\tb", "Authorization: a\x01b", "Authorization : a", "Content_Length: 5", "Transfer_Encoding: chunked", "Transfer-Encodings: chunked", "X.Unknown: a", "X(Unknown): a",
		"Want-Repr-Digest: sha-256=1", "If-Modified-Since: Sat, 29 Oct 1994 19:43:31 GMT", "Sec-CH-Prefers-Reduced-Transparency: no-preference", strings.Repeat("a: b\r\n", 300) + "a: b",
		"Content-Length: 00", "Content-Length: 0\r\nContent-Length: 0", "Content-Length: 0\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 0",
		"Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
	} {
		seeds = append(seeds, plainGet(pinned, line)+"0\r\n\r\n"+plainGet(latest), plainGet(latest, line)+plainGet(pinned))
	}
	for _, line := range []string{"Range: bytes=0-4", "Range: bytes=-1", "Range: bytes=9999999-", "Range: bytes=7-\r\nIf-Range: \"x\"", "If-Range: \"x\"", "If-None-Match: *\r\nRange: bytes=0-4", "Range:", "Range: bytes=0-1\r\nRange: bytes=2-3"} {
		seeds = append(seeds, plainGet(sealedAddress, line)+plainGet(guarded, line)+plainGet(latest, line, "Accept-Encoding: br"))
	}
	for _, line := range []string{
		"Origin: https://good.example", "Origin: https://GOOD.example:443", "Origin: https://a.b.wide.example", "Origin: https://evil.example", "Origin: null",
		"Origin:", "Origin: https://good.example\r\nOrigin: https://good.example", "Referer: https://good.example/a", "Referer: https://evil.example/",
		"Referer: https://good.example/a\r\nReferer: https://good.example/a", "Origin: https://good.example\r\nReferer: https://good.example/\r\nReferer: a",
		"Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: style", "Sec-Fetch-Mode: cors", "Sec-CH-UA: a", "User-Agent: Mozilla/5.0", "X-Forwarded-For: 192.0.2.1",
	} {
		seeds = append(seeds, plainGet(guarded, line)+plainGet(guarded))
	}
	for _, head := range []string{
		"HEAD %s HTTP/1.1", "OPTIONS %s HTTP/1.1", "POST %s HTTP/1.1", "TRACE %s HTTP/1.1", "CONNECT %s HTTP/1.1", "get %s HTTP/1.1", "GET %s HTTP/1.0",
		"GET %s HTTP/1.9", "GET %s HTTP/2.0", "GET http://evil.example%s HTTP/1.1", "GET %s", "GET  %s HTTP/1.1", "GET %s?x=1 HTTP/1.1", "GET %s? HTTP/1.1", "GET %s?a=%%20&b=/? HTTP/1.1", "GET %s?a=\"b HTTP/1.1", "GET %s?a#b HTTP/1.1",
		"GET %s?Expires=1&KeyName=a&Signature=b HTTP/1.1", "\r\nGET %s HTTP/1.1",
		"GET /.%s HTTP/1.1", "GET /%s HTTP/1.1", "GET %s#a HTTP/1.1", "GET %s;a=1 HTTP/1.1", "GET %s%%00 HTTP/1.1", "GET %s\xff HTTP/1.1",
	} {
		line := fmt.Sprintf(head, pinned)
		seeds = append(seeds, line+"\r\nHost: a\r\n\r\n"+plainGet(latest), line+"\nHost: a\n\n"+plainGet(latest), line+"\rHost: a\r\r"+plainGet(latest),
			line+"\r\nHost: a\nAccept: b\r\n\r\n"+plainGet(latest), plainGet(latest)+line+"\r\nHost: a\r\n\n", line+"\r\n\r\n"+plainGet(latest))
	}
	return append(seeds, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"+plainGet(latest), "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", plainGet(pinned)[:40], strings.Repeat(plainGet(pinned), 20), plainGet(pinned, "X-Long: "+strings.Repeat("a", 20<<10)))
}

// deltaSeeds are requests of clients that have a dictionary, or say so.
func deltaSeeds(r *running) (seeds []string) {
	old, next := has(r.get(path("-", "1", "tokens.css")).body), has(r.get(path("-", "2", "tokens.css")).body)
	pinned, latest := path("-", "1", "tokens.css"), path("-", "latest", "tokens.css")
	for _, address := range append(fuzzedAddresses(), path("-", "2", "tokens.css"), path("-", "9", "tokens.css")) {
		for _, available := range []string{old, next, has("invented")} {
			seeds = append(seeds, plainGet(address, acceptsDeltas, available))
		}
	}
	for _, lines := range [][]string{
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://a.example"},
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"},
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin:"},
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"},
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode:"},
		{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Sec-Fetch-Mode: no-cors", "Origin: https://a.example"},
		{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors"},
		{"If-None-Match: *"},
		{"If-None-Match: " + r.get(latest, acceptsDeltas, old).header.Get("Etag")},
		{"If-None-Match: W/" + r.get(latest, "Accept-Encoding: br").header.Get("Etag")},
		{"Range: bytes=0-4"},
		{"Dictionary-ID: \"a\""},
		{"Connection: close"},
		{has("another")},
		{"Available-Dictionary:"},
	} {
		seeds = append(seeds, plainGet(latest, append(lines, acceptsDeltas, old)...)+plainGet(pinned), plainGet(latest, append(lines, old)...))
	}
	for _, accept := range []string{"dcz", "dcz;q=0", "dcz;q=0.5, br", "*, dcz;q=0.5", "DCZ", "dcb", "identity;q=0, dcz"} {
		seeds = append(seeds, plainGet(latest, "Accept-Encoding: "+accept, old))
	}
	for _, available := range []string{":", "::", ":AAAA:", old[len("Available-Dictionary: "):] + ";a=1", old[len("Available-Dictionary: :"):], `"a"`} {
		seeds = append(seeds, plainGet(latest, acceptsDeltas, "Available-Dictionary: "+available))
	}
	return append(seeds, strings.Replace(plainGet(latest, acceptsDeltas, old), "GET", "HEAD", 1)+plainGet(pinned))
}

// FuzzFastPathAnswersAsTheEdge holds a whole edge with the fast path to the same edge without it:
// whatever comes over a connection, in one piece or two, is answered with the same bytes, but for
// Date, Age, Server-Timing and the random X-Request-Id. What differs is asked again, as one edge may hold
// by now what it did not a moment ago, or have packed it smaller; what goes on to differ is an error.
func FuzzFastPathAnswersAsTheEdge(f *testing.F) {
	p := runPairOfEdges(f)
	for _, seed := range append(wholeSeeds(), deltaSeeds(p.full)...) {
		f.Add([]byte(seed), uint16(0))
		f.Add([]byte(seed), uint16(len(seed)/2))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		differs := p.difference(t, text, int(cut))
		for deadline := time.Now().Add(time.Minute); differs != "" && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			differs = p.difference(t, text, int(cut))
		}
		if differs != "" {
			t.Errorf("%q, cut at %d, is answered with %s", text, cut, differs)
		}
	})
}
