package httpserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// testServers are Servers with one listener.
type testServers struct {
	*Servers
	t       *testing.T
	address string
	served  chan error
}

// serveOn serves handler on a listener that wrap made of one on a free port.
func serveOn(t *testing.T, wrap func(net.Listener) net.Listener, handler fasthttp.RequestHandler) *testServers {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &testServers{t: t, address: l.Addr().String(), served: make(chan error, 1), Servers: NewServers(ServerConfig{
		BodyBytes: 1 << 20, HeaderBytes: 16 << 10, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		Logger: slog.New(slog.DiscardHandler), Unread: func(int) {},
	})}
	go func() { s.served <- s.Serve(wrap(l), 64, handler) }()
	return s
}

func plainListener(l net.Listener) net.Listener { return l }

// secureListener speaks TLS, as the origin's listeners do: the first Read shakes hands.
func secureListener(l net.Listener) net.Listener {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	return tls.NewListener(l, server.TLS)
}

// dial opens a connection, sends text on it and waits for the text that shows that the server has read that.
func (s *testServers) dial(text, until string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	var got []byte
	for b := make([]byte, 4<<10); !strings.Contains(string(got), until); {
		n, err := c.Read(b)
		if err != nil {
			s.t.Fatalf("%q, then %v", got, err)
		}
		got = append(got, b[:n]...)
	}
	return c
}

// awaitOpen waits until so many connections are open.
func (s *testServers) awaitOpen(n int) {
	s.t.Helper()
	open := -1
	for deadline := time.Now().Add(time.Minute); open != n; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		if len(s.listeners) > 0 {
			open = len(s.listeners[0].connectionsOpen())
		}
		s.mu.Unlock()
		if time.Now().After(deadline) {
			s.t.Fatalf("%d connections are open, want %d", open, n)
		}
	}
}

// shutDown shuts the servers down within a time, and returns what Shutdown does.
func (s *testServers) shutDown(within time.Duration) error {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err := s.Shutdown(ctx, func() {})
	if err := <-s.served; err != nil {
		s.t.Errorf("Serve() = %v, want nil", err)
	}
	s.awaitOpen(0)
	return err
}

// TestShutdown_ConnectionsWithoutARequest: none of them is waited for.
func TestShutdown_ConnectionsWithoutARequest(t *testing.T) {
	handler := func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("answered") }
	for name, sent := range map[string]struct{ text, until string }{
		"nothing":              {"", ""},
		"half a request line":  {"GET / HT", ""},
		"half a head":          {"GET / HTTP/1.1\r\nHost: a\r\n", ""},
		"a request":            {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "answered"},
		"a request and a half": {"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /", "answered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveOn(t, plainListener, handler)
			s.dial(sent.text, sent.until)
			s.awaitOpen(1)
			if err := s.shutDown(time.Minute); err != nil {
				t.Errorf("Shutdown() = %v, want nil", err)
			}
		})
	}
	for name, text := range map[string]string{
		"no handshake":     "",
		"half a handshake": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveOn(t, secureListener, handler)
			s.dial(text, "")
			s.awaitOpen(1)
			if err := s.shutDown(time.Minute); err != nil {
				t.Errorf("Shutdown() = %v, want nil", err)
			}
		})
	}
}

// TestShutdown_RequestsInProgress: those that end in time are answered, and the others are cut.
func TestShutdown_RequestsInProgress(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	s := serveOn(t, plainListener, func(ctx *fasthttp.RequestCtx) {
		close(begun)
		<-release
		ctx.SetBodyString("answered")
	})
	c := s.dial("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "")
	<-begun
	ended := make(chan error)
	go func() { ended <- s.shutDown(time.Minute) }()
	for !s.Closed() {
		time.Sleep(time.Millisecond)
	}
	close(release)
	answer, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(answer), "Connection: close") || !strings.HasSuffix(string(answer), "answered") {
		t.Errorf("the answer is %q, %v", answer, err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Shutdown() = %v, want nil", err)
	}

	const long = 32 << 20 // more than the sockets hold
	for name, sent := range map[string]struct{ text, until string }{
		"half a body":                {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf", ""},
		"half a chunked body":        {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", ""},
		"an answer that is not read": {"GET /long HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200"},
		"a stream":                   {"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n", "data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveOn(t, plainListener, func(ctx *fasthttp.RequestCtx) {
				switch string(ctx.Path()) {
				case "/long":
					ctx.SetBody(make([]byte, long))
				case "/stream":
					Answer{Status: fasthttp.StatusOK, Stream: func(ctx context.Context, w *bufio.Writer, flush func(*bufio.Writer) error) {
						_, _ = w.WriteString("data: 1\n\n")
						_ = flush(w)
						<-ctx.Done()
					}}.Write(ctx, "id")
				default:
					_, _ = ReadBody(ctx, 1<<20, nil)
				}
			})
			s.dial(sent.text, sent.until)
			s.awaitOpen(1)
			if err := s.shutDown(time.Second); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Shutdown() = %v, want that of the context", err)
			}
		})
	}
}

// TestStream_EndsWithItsClient: a client that closes the connection is noticed before anything is written to it.
func TestStream_EndsWithItsClient(t *testing.T) {
	ended := make(chan struct{})
	s := serveOn(t, plainListener, func(ctx *fasthttp.RequestCtx) {
		Answer{Status: fasthttp.StatusOK, Stream: func(ctx context.Context, w *bufio.Writer, flush func(*bufio.Writer) error) {
			_, _ = w.WriteString("data: 1\n\n")
			_ = flush(w)
			<-ctx.Done()
			close(ended)
		}}.Write(ctx, "id")
	})
	_ = s.dial("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "data").Close()
	<-ended
	if err := s.shutDown(time.Minute); err != nil {
		t.Errorf("Shutdown() = %v, want nil", err)
	}
}

// fullListener fails as a listener does when the process has no descriptor left, before each connection.
type fullListener struct {
	net.Listener
	free bool
}

func (l *fullListener) Accept() (net.Conn, error) {
	if l.free = !l.free; l.free {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

func TestServe_OutlivesAcceptErrors(t *testing.T) {
	s := serveOn(t, func(l net.Listener) net.Listener { return &fullListener{Listener: l} }, func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("answered") })
	for range 3 {
		s.dial("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "answered")
	}
	if err := s.shutDown(time.Minute); err != nil {
		t.Errorf("Shutdown() = %v, want nil", err)
	}
}

// TestServe_RefusesBeyondTheLimit: each client beyond it has an answer or the end of its connection at once.
func TestServe_RefusesBeyondTheLimit(t *testing.T) {
	s := serveOn(t, plainListener, func(*fasthttp.RequestCtx) {})
	for range 64 {
		s.dial("", "")
	}
	s.awaitOpen(64)
	for n := range 20 {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if answer, err := io.ReadAll(c); len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 503 ") {
			t.Errorf("connection %d was answered %q, %v", n, answer, err)
		}
	}
	if err := s.shutDown(time.Minute); err != nil {
		t.Error(fmt.Errorf("Shutdown() = %w, want nil", err))
	}
}
