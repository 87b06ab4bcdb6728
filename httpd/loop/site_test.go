package loop

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"example.com/livery/httpd/guard"
	"example.com/livery/internal/test/certtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, // fasthttp's clock, and the pool that it ends some seconds after a server
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// site is what the tests serve: the same files at once and by a fasthttp handler.
type site struct {
	files    map[string]*siteFile
	requests atomic.Int64 // that the handler answered
	hold     chan struct{}
}

type siteFile struct {
	body, zipped  []byte
	head, headZip []byte
	unchanged     []byte
	etag          string
	onlyServer    bool // the Source does not have it
	panics        bool
}

func newSite() *site {
	s := &site{files: map[string]*siteFile{}, hold: make(chan struct{})}
	s.add("/2k.css", 2<<10)
	s.add("/20k.css", 20<<10)
	s.add("/200k.css", 200<<10)
	s.add("/2m.css", 2<<20)
	s.add("/empty.css", 0)
	s.add("/a/-/b_c~d.css", 100)
	s.add("/missed.css", 3<<10).onlyServer = true
	s.add("/panic.css", 500).panics = true
	return s
}

func (s *site) add(path string, size int) *siteFile {
	body := bytes.Repeat([]byte(path+"\n"), size/(len(path)+1)+1)[:size]
	f := &siteFile{body: body, zipped: append([]byte("zip of "), body[:size/5]...), etag: `"` + strconv.Itoa(size) + `"`}
	f.head = f.headOf(func(r *fasthttp.Response) { f.fill(r, false) })
	f.headZip = f.headOf(func(r *fasthttp.Response) { f.fill(r, true) })
	f.unchanged = f.headOf(f.fillUnchanged)
	s.files[path] = f
	return f
}

func (f *siteFile) common(r *fasthttp.Response) {
	r.Header.Set("X-Content-Type-Options", "nosniff")
	r.Header.Set("Vary", "Accept-Encoding")
	r.Header.Set("Cache-Control", "public, max-age=60, stale-if-error=86400")
	r.Header.Set("Age", "0")
	r.Header.Set("ETag", f.etag)
}

func (f *siteFile) fillUnchanged(r *fasthttp.Response) {
	f.common(r)
	r.SetStatusCode(fasthttp.StatusNotModified)
}

func (f *siteFile) fill(r *fasthttp.Response, zipped bool) {
	f.common(r)
	r.Header.SetContentType("text/css; charset=utf-8")
	r.SetBodyRaw(f.body)
	if zipped {
		r.Header.SetContentEncoding("gzip")
		r.SetBodyRaw(f.zipped)
	}
}

// headOf has fasthttp write a response, and takes its head without Date and the empty line.
func (f *siteFile) headOf(fill func(*fasthttp.Response)) []byte {
	var r fasthttp.Response
	fill(&r)
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	if err := r.Write(w); err != nil {
		panic(err)
	}
	_ = w.Flush()
	end := bytes.Index(out.Bytes(), []byte("\r\n\r\n"))
	return withoutDate(out.Bytes()[:end+2])
}

// withoutDate removes the lines of Date and of the ids of refusals from a stream of answers.
func withoutDate(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		if !bytes.HasPrefix(line, []byte("Date: ")) && !bytes.HasPrefix(line, []byte("X-Request-Id: ")) {
			out = append(out, line...)
		}
	}
	return out
}

// Ready implements Source.
func (s *site) Ready(r *Request) (Answer, bool) {
	f := s.files[string(r.Path)]
	switch {
	case f == nil || f.onlyServer || r.Range != nil:
		return Answer{}, false
	case f.panics:
		panic("the source has a bug")
	case string(r.IfNoneMatch) == f.etag:
		return Answer{Head: f.unchanged}, true
	case string(r.AcceptEncoding) == "gzip":
		return Answer{Head: f.headZip, Body: f.zipped}, true
	}
	return Answer{Head: f.head, Body: f.body}, true
}

// Serve implements Handler.
func (s *site) Serve(ctx *fasthttp.RequestCtx) {
	s.requests.Add(1)
	if string(ctx.Path()) == "/held.css" {
		<-s.hold
	}
	name, _, _ := bytes.Cut(ctx.Request.Header.RequestURI(), []byte("?"))
	f := s.files[string(name)]
	switch {
	case f == nil:
		ctx.SetStatusCode(fasthttp.StatusNotFound)
		ctx.SetBodyString("there is no " + string(ctx.RequestURI()) + " for " + ctx.RemoteAddr().(*net.TCPAddr).IP.String())
	case !ctx.IsGet() && !ctx.IsHead():
		ctx.SetStatusCode(fasthttp.StatusMethodNotAllowed)
	case string(ctx.Request.Header.Peek("If-None-Match")) == f.etag:
		f.fillUnchanged(&ctx.Response)
	default:
		f.fill(&ctx.Response, string(ctx.Request.Header.Peek("Accept-Encoding")) == "gzip")
	}
}

// limits are those of the servers under test.
var limits = Limits{Read: time.Minute, Write: time.Minute, Idle: time.Minute, Head: 8 << 10, Body: 8 << 10}

// server is the site as fasthttp serves it, with the same limits and refusals.
func (s *site) server() *fasthttp.Server {
	return &fasthttp.Server{
		Handler: s.Serve, ErrorHandler: refuse, NoDefaultServerHeader: true, NoDefaultContentType: true, CloseOnShutdown: true,
		ReadBufferSize: limits.Head, MaxRequestBodySize: limits.Body, ReadTimeout: limits.Read, WriteTimeout: limits.Write, IdleTimeout: limits.Idle,
		Logger: silentLogger{}, HeaderReceived: honourClose,
	}
}

// honourClose has fasthttp read the Connection header as the loop does.
func honourClose(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	if guard.Closes(h.RawHeaders()) {
		h.SetConnectionClose()
	}
	return c
}

type silentLogger struct{}

func (silentLogger) Printf(string, ...any) {}

// testServer is a site being served by a Loop.
type testServer struct {
	*site
	loop    *Loop
	address string
	served  chan error
	trusted *tls.Config // of clients; nil: no TLS
}

// ways are the listeners to test with: the loop's threads, if the system has them, and goroutines.
var ways = []struct {
	name   string
	wrap   func(net.Listener) net.Listener
	secure bool
}{
	{"threads", func(l net.Listener) net.Listener { return l }, false},
	{"goroutines", func(l net.Listener) net.Listener { return struct{ net.Listener }{l} }, false},
	{"threads under TLS", func(l net.Listener) net.Listener { return l }, true},
	{"goroutines under TLS", func(l net.Listener) net.Listener { return struct{ net.Listener }{l} }, true},
}

func eachWay(t *testing.T, f func(t *testing.T, open func(...func(*Config)) *testServer)) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			f(t, func(change ...func(*Config)) *testServer {
				if way.secure {
					return openSecureServer(t, way.wrap, nil, change...)
				}
				return openServer(t, way.wrap, change...)
			})
		})
	}
}

func openServer(t testing.TB, wrap func(net.Listener) net.Listener, change ...func(*Config)) *testServer {
	t.Helper()
	h, ln := newTestServer(t, change...)
	h.serve(t, func() error { return h.loop.Serve(wrap(ln)) })
	return h
}

// openSecureServer opens a server under TLS that offers protocols besides HTTP/1.1.
func openSecureServer(t testing.TB, wrap func(net.Listener) net.Listener, protocols map[string]SessionFunc, change ...func(*Config)) *testServer {
	t.Helper()
	h, ln := newTestServer(t, change...)
	c, pool := certtest.SelfSigned(t)
	config := &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: append(slices.Collect(maps.Keys(protocols)), "http/1.1")}
	h.trusted = &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
	h.serve(t, func() error { return h.loop.ServeTLS(wrap(ln), config, protocols) })
	return h
}

func newTestServer(t testing.TB, change ...func(*Config)) (*testServer, net.Listener) {
	t.Helper()
	s := newSite()
	c := Config{Handler: s, Limits: limits, Threads: 1, MaxConns: 10_000}
	for _, f := range change {
		f(&c)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &testServer{site: s, loop: New(c), address: ln.Addr().String(), served: make(chan error, 1)}, ln
}

func (h *testServer) serve(t testing.TB, f func() error) {
	go func() { h.served <- f() }()
	t.Cleanup(func() { h.close(t) })
}

func (h *testServer) close(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = h.loop.Shutdown(ctx)
	select {
	case err := <-h.served:
		if err != nil {
			t.Errorf("Serve returned %v", err)
		}
		h.served <- nil
	case <-time.After(2 * time.Minute):
		t.Error("Serve did not return after Shutdown")
	}
}

func (h *testServer) dial(t testing.TB) net.Conn {
	t.Helper()
	c, err := h.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket(c).Close() }) // a tls.Conn waits for those who write
	return c
}

// connect opens a connection, and shakes hands under TLS.
func (h *testServer) connect() (net.Conn, error) {
	c, err := net.Dial("tcp", h.address)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(50 * time.Second)) // less than any limit of the servers
	if h.trusted == nil {
		return c, nil
	}
	secure := tls.Client(c, h.trusted)
	return secure, secure.Handshake()
}

// socket returns the socket of a connection.
func socket(c net.Conn) *net.TCPConn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return c.(*net.TCPConn)
}

// closeWrite ends the sending side of a connection.
func closeWrite(c net.Conn) { _ = c.(interface{ CloseWrite() error }).CloseWrite() }

// exchange sends a text, ends the sending side and returns everything that comes back.
func exchange(t testing.TB, c net.Conn, text string) string {
	t.Helper()
	go func() {
		_, _ = io.WriteString(c, text)
		closeWrite(c)
	}()
	b, err := io.ReadAll(c)
	if err != nil && len(b) == 0 {
		t.Fatalf("nothing comes back: %v", err)
	}
	return string(b)
}

// ask sends one request on a connection that stays, and returns the answer.
func ask(t testing.TB, c net.Conn, r *bufio.Reader, request string) (*http.Response, string) {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return answer(t, r)
}

func answer(t testing.TB, r *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("half an answer: %v", err)
	}
	return resp, string(body)
}

func get(path string, headers ...string) string {
	lines := append([]string{"GET " + path + " HTTP/1.1", "Host: files.example"}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// eventually waits until f holds.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come to pass that %s", what)
		}
	}
}

// direct is the site served by fasthttp alone.
type direct struct{ address string }

func openDirect(t testing.TB) *direct {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newSite().server()
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() {
		_ = server.Shutdown()
		<-done
	})
	return &direct{ln.Addr().String()}
}

func (d *direct) connect() (net.Conn, error) { return net.Dial("tcp", d.address) }

func (d *direct) ask(t testing.TB, text string) string {
	t.Helper()
	c, err := d.connect()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(50 * time.Second)) // less than any limit of the servers
	return exchange(t, c, text)
}
