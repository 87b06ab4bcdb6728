package edge_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"example.com/livery/httpd"
	"example.com/livery/internal/test/certtest"
	"example.com/livery/storage/record"
)

// secured is an edge on a TLS listener beside its plain one, with a client of each protocol.
type secured struct {
	*running // HTTP/1.1 on the plain listener
	h1, h2   *running
	trusted  *x509.CertPool
}

// runSecured starts an edge before the feed that answers on a plain listener and one under TLS.
func runSecured(t testing.TB, f *feed, options ...option) *secured {
	t.Helper()
	return secure(t, run(t, f, options...), func(l net.Listener) net.Listener { return l })
}

// secure opens a TLS listener of r's edge over what beneath makes of a plain one.
func secure(t testing.TB, r *running, beneath func(net.Listener) net.Listener) *secured {
	t.Helper()
	certificate, pool := certtest.SelfSigned(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}}
	served := make(chan error, 1)
	go func() { served <- r.edge.ServeTLS(beneath(l), config) }()
	s := &secured{running: r, h1: new(running), h2: new(running), trusted: pool}
	*s.h1, *s.h2 = *r, *r
	for _, c := range []*running{s.h1, s.h2} {
		c.url = "https://" + l.Addr().String()
		c.client = &http.Client{Transport: &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: c == s.h2, TLSClientConfig: &tls.Config{RootCAs: pool},
		}}
	}
	stop := r.stop
	t.Cleanup(func() { // before that of run, which stops too
		s.h1.client.CloseIdleConnections()
		s.h2.client.CloseIdleConnections()
		stop()
		if err := <-served; err != nil {
			t.Errorf("ServeTLS = %v", err)
		}
	})
	return s
}

// lasting is the head without what names the request, the moment or the connection.
func lasting(h http.Header) http.Header {
	h = maps.Clone(h)
	for _, name := range []string{"Date", "X-Request-Id", "Connection", "Server-Timing", "Age"} {
		h.Del(name)
	}
	return h
}

// TestHTTP2AnswersAsHTTP1 holds the answers of one edge over plain HTTP/1.1, HTTP/1.1 under TLS and
// HTTP/2 against each other: status, head and body are the same.
func TestHTTP2AnswersAsHTTP1(t *testing.T) { // S228 to S231, A67, A80, A83, A90, A91
	f := newFeed(t)
	f.publish(thm, bigTheme())
	const listed, ranged, signed = "thm_00000000000000000000000002", "thm_00000000000000000000000003", "thm_00000000000000000000000004"
	for id, s := range map[string]record.Serving{
		listed: {Mode: "public", AllowedOrigins: []string{"https://good.example"}, MissingOrigin: "refuse"},
		ranged: {Mode: "public", AllowedIPRanges: []string{"192.0.2.0/24"}},
		signed: {Mode: "signed", SigningKeys: []record.SigningKey{{ID: "key_1", Secret: []byte("secret")}}},
	} {
		f.publish(id, smallTheme)
		f.serving(id, s)
	}
	f.mode(thm, "scheme", "dark", `{"space.s7":"78px"}`)
	s := runSecured(t, f, trusting(netip.MustParsePrefix("127.0.0.0/8")))
	pinned, latest := path("-", "1", "tokens.css"), path("-", "latest", "tokens.css")
	of := func(id string) string { return strings.Replace(pinned, thm, id, 1) }
	tag := s.get(pinned).header.Get("Etag")
	for _, tt := range []struct {
		name, method, path string
		lines              []string
		status             int
	}{
		{"a pinned file", "GET", pinned, nil, 200},
		{"latest", "GET", latest, nil, 200},
		{"a file of each kind", "GET", path("-", "1", "tokens.dtcg.json"), nil, 200},
		{"brotli", "GET", pinned, []string{"Accept-Encoding: br, gzip"}, 200},
		{"gzip", "GET", latest, []string{"Accept-Encoding: gzip;q=0.5"}, 200},
		{"HEAD", "HEAD", pinned, nil, 200},
		{"HEAD of nothing", "HEAD", path("-", "9", "tokens.css"), nil, 404},
		{"a current copy", "GET", pinned, []string{"If-None-Match: " + tag}, 304},
		{"another copy", "GET", pinned, []string{`If-None-Match: "x"`}, 200},
		{"two lines of tags", "GET", pinned, []string{`If-None-Match: "x"`, "If-None-Match: " + tag}, 200},
		{"If-Match", "GET", pinned, []string{"If-Match: " + tag}, 200},
		{"If-Match of another copy", "GET", pinned, []string{`If-Match: "x"`}, 412},
		{"If-Match in two lines", "HEAD", pinned, []string{`If-Match: "x"`, "If-Match: " + tag}, 200},
		{"two referers", "GET", of(listed), []string{"Referer: https://good.example/", "Referer: https://good.example/"}, 403},
		{"a range", "GET", pinned, []string{"Range: bytes=5-20"}, 206},
		{"a range of an old copy", "GET", pinned, []string{"Range: bytes=5-20", `If-Range: "x"`}, 200},
		{"a range outside", "GET", pinned, []string{"Range: bytes=999999-"}, 416},
		{"OPTIONS", "OPTIONS", pinned, []string{"Origin: https://any.example", "Access-Control-Request-Method: GET"}, 204},
		{"another method", "POST", pinned, nil, 405},
		{"a method of no protocol", "BREW", pinned, nil, 405},
		{"no address", "GET", "/", nil, 404},
		{"a query", "GET", pinned + "?x=1", nil, 200},
		{"modes", "GET", latest + "?modes=scheme.dark", []string{"Accept-Encoding: br"}, 200},
		{"the conditional style sheet", "GET", pinned + "?modes=scheme", nil, 200},
		{"modes that are escaped", "GET", latest + "?modes=scheme%2Edark", nil, 200},
		{"modes that are escaped twice", "GET", latest + "?modes=scheme%252Edark", nil, 404},
		{"HEAD of modes", "HEAD", pinned + "?modes=scheme.dark", nil, 200},
		{"a range of modes", "GET", pinned + "?modes=scheme.dark", []string{"Range: bytes=5-20"}, 206},
		{"a current copy of modes", "GET", pinned + "?modes=scheme.dark", []string{"If-None-Match: *"}, 304},
		{"modes that are not there", "GET", pinned + "?modes=scheme.light", nil, 404},
		{"modes behind a query", "GET", pinned + "?x=1&modes=scheme.dark", nil, 404},
		{"modes of a signed file", "GET", of(signed) + "?modes=scheme.dark", nil, 403},
		{"a doubled slash", "GET", strings.Replace(pinned, "/1/", "//1/", 1), nil, 404},
		{"an encoded slash", "GET", strings.Replace(pinned, "/1/", "%2F1/", 1), nil, 404},
		{"an origin on the list", "GET", of(listed), []string{"Origin: https://good.example"}, 200},
		{"an origin that is not", "GET", of(listed), []string{"Origin: https://evil.example"}, 403},
		{"a preflight of one that is not", "OPTIONS", of(listed), []string{"Origin: https://evil.example"}, 403},
		{"no origin", "GET", of(listed), nil, 403},
		{"an address outside the ranges", "GET", of(ranged), nil, 403},
		{"an address that a trusted proxy names", "GET", of(ranged), []string{"X-Forwarded-For: 198.51.100.1, 192.0.2.7"}, 200},
		{"in two lines", "GET", of(ranged), []string{"X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: 198.51.100.1"}, 403},
		{"a signed file without a signature", "GET", of(signed), nil, 403},
		{"a head that is too long", "GET", pinned, []string{"X-Long: " + strings.Repeat("a", 17<<10)}, 431},
	} {
		s.do(tt.method, tt.path, tt.lines...) // whoever is first fetches and makes
		for name, client := range map[string]*running{"HTTP/1.1 under TLS": s.h1, "HTTP/2": s.h2} {
			var plain, got response
			eventually(t, "an answer that is not encoded anew meanwhile", func() bool {
				plain = s.do(tt.method, tt.path, tt.lines...)
				got = client.do(tt.method, tt.path, tt.lines...)
				return s.do(tt.method, tt.path, tt.lines...).header.Get("Etag") == plain.header.Get("Etag")
			})
			if plain.status != tt.status {
				t.Errorf("%s: HTTP/1.1 = %d, want %d", tt.name, plain.status, tt.status)
			}
			if got.status != plain.status || got.body != plain.body || !reflect.DeepEqual(lasting(got.header), lasting(plain.header)) {
				t.Errorf("%s: %s = %d %v %.80q,\nHTTP/1.1 = %d %v %.80q", tt.name, name, got.status, lasting(got.header), got.body, plain.status, lasting(plain.header), plain.body)
			}
			if (got.header.Get("X-Request-Id") == "") != (plain.header.Get("X-Request-Id") == "") || (got.header.Get("Age") == "") != (plain.header.Get("Age") == "") {
				t.Errorf("%s: %s has the head %v, HTTP/1.1 %v", tt.name, name, got.header, plain.header)
			}
		}
	}
}

// TestEachClientGetsItsProtocol: ALPN decides, connection by connection, and a server without "h2"
// offers none.
func TestEachClientGetsItsProtocol(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	for want, client := range map[int]*running{1: s.h1, 2: s.h2} {
		res, err := client.client.Get(client.url + path("-", "1", "tokens.css"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, res.Body) // so that the connection is kept
		_ = res.Body.Close()
		if err != nil || res.ProtoMajor != want || res.StatusCode != 200 {
			t.Errorf("answer = %s %d, want HTTP/%d", res.Proto, res.StatusCode, want)
		}
	}
	eventually(t, "counting both", func() bool { return s.counted("livery_edge_connections") == 2 })
}

// TestHTTP2DropsBodies: a body is read and dropped, or refused if it is too long, as in HTTP/1.1.
func TestHTTP2DropsBodies(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	for _, tt := range []struct {
		name   string
		bytes  int
		length int64
		status int
	}{
		{"short", 100, 100, 200},
		{"short, of unknown length", 100, -1, 200},
		{"too long", 20 << 10, 20 << 10, 413},
		{"too long, of unknown length", 20 << 10, -1, 413},
	} {
		for name, client := range map[string]*running{"HTTP/1.1": s.running, "HTTP/2": s.h2} {
			req, err := http.NewRequest(http.MethodGet, client.url+path("-", "1", "tokens.css"), strings.NewReader(strings.Repeat("x", tt.bytes)))
			if err != nil {
				t.Fatal(err)
			}
			if req.ContentLength = tt.length; tt.length < 0 {
				req.Body = io.NopCloser(io.MultiReader(req.Body))
			}
			res, err := client.client.Do(req)
			if err != nil {
				if name == "HTTP/1.1" && tt.status == 413 {
					continue // who is refused while it sends may not see the answer
				}
				t.Fatal(tt.name, name, err)
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil || res.StatusCode != tt.status || tt.status == 413 && !strings.Contains(string(body), `"cause":"payload"`) {
				t.Errorf("%s: %s = %d %.80q %v, want %d", tt.name, name, res.StatusCode, body, err, tt.status)
			}
		}
	}
}

// TestHTTP2SeesTheClientBehindABalancer: the PROXY protocol lies beneath TLS, and names the client to
// HTTP/2 too (A83).
func TestHTTP2SeesTheClientBehindABalancer(t *testing.T) {
	f := publishedFeed(t)
	f.serving(thm, record.Serving{Mode: "public", AllowedIPRanges: []string{"192.0.2.0/24"}})
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s := secure(t, run(t, f), func(l net.Listener) net.Listener { return httpd.ProxyListener(l, local) })
	for client, status := range map[string]int{"192.0.2.7": 200, "198.51.100.1": 403} {
		transport := s.h2.client.Transport.(*http.Transport)
		transport.CloseIdleConnections()
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			if err == nil {
				_, err = io.WriteString(c, proxyHeaderOf(client))
			}
			return c, err
		}
		if got := s.h2.get(path("-", "1", "tokens.css")); got.status != status {
			t.Errorf("a client at %s = %d, want %d", client, got.status, status)
		}
	}
}

// proxyHeaderOf is a header of the PROXY protocol, version 2, that names an IPv4 client.
func proxyHeaderOf(client string) string {
	address := netip.MustParseAddr(client).As4()
	return "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + string(address[:]) + "\x0a\x00\x00\x01\x30\x39\x00\x50"
}

// TestSessionsResumeOnBothProtocols: every connection shares the ticket keys of one tls.Config.
func TestSessionsResumeOnBothProtocols(t *testing.T) {
	s := runSecured(t, publishedFeed(t))
	for _, protocol := range []string{"h2", "http/1.1"} {
		config := &tls.Config{RootCAs: s.trusted, NextProtos: []string{protocol}, ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		for n := range 3 {
			c, err := tls.Dial("tcp", strings.TrimPrefix(s.h1.url, "https://"), config)
			if err != nil {
				t.Fatal(err)
			}
			if state := c.ConnectionState(); state.DidResume != (n > 0) || state.NegotiatedProtocol != protocol {
				t.Errorf("connection %d of %s: resumed %t in %q", n, protocol, state.DidResume, state.NegotiatedProtocol)
			}
			hello := "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
			if protocol == "h2" {
				hello = preface
			}
			if _, err := io.WriteString(c, hello); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Read(make([]byte, 1)); err != nil { // the ticket comes before the first byte
				t.Fatal(err)
			}
			_ = c.Close()
		}
	}
}
