package edge_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/httpd"
	"example.com/livery/internal/test/certtest"
)

// halfOpen is one listener of an edge, and an edge of its own.
type halfOpen struct {
	*running
	t       *testing.T
	address string
	hello   string      // what a connection begins with, in front of HTTP
	client  *tls.Config // nil: the listener speaks no TLS
	served  chan error
}

// halfOpenListeners are all kinds of listeners that an edge has.
var halfOpenListeners = map[string]func(t *testing.T, f *feed) *halfOpen{
	"plain": func(t *testing.T, f *feed) *halfOpen {
		return openListener(t, f, true, func(e *edge.Edge, l net.Listener) error { return e.Serve(l) })
	},
	"plain, without the event loop": func(t *testing.T, f *feed) *halfOpen {
		return openListener(t, f, false, func(e *edge.Edge, l net.Listener) error { return e.Serve(l) })
	},
	"PROXY protocol": func(t *testing.T, f *feed) *halfOpen {
		h := openListener(t, f, true, func(e *edge.Edge, l net.Listener) error {
			return e.Serve(httpd.ProxyListener(l, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}))
		})
		h.hello = "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\xc0\x00\x02\x07\x0a\x00\x00\x01\x30\x39\x00\x50"
		return h
	},
	"TLS":                         func(t *testing.T, f *feed) *halfOpen { return openSecureListener(t, f, true) },
	"TLS, without the event loop": func(t *testing.T, f *feed) *halfOpen { return openSecureListener(t, f, false) },
	"feed": func(t *testing.T, f *feed) *halfOpen {
		return openListener(t, f, true, func(e *edge.Edge, l net.Listener) error { return e.ServeFeed(l) })
	},
}

func openListener(t *testing.T, f *feed, fastPath bool, serve func(*edge.Edge, net.Listener) error) *halfOpen {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &halfOpen{running: run(t, f, func(c *edge.Config) { c.NoReady = !fastPath }), t: t, address: l.Addr().String(), served: make(chan error, 1)}
	go func() { h.served <- serve(h.edge, l) }()
	return h
}

func openSecureListener(t *testing.T, f *feed, fastPath bool) *halfOpen {
	certificate, pool := certtest.SelfSigned(t)
	h := openListener(t, f, fastPath, func(e *edge.Edge, l net.Listener) error {
		return e.ServeTLS(l, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}})
	})
	h.client = &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
	return h
}

// dial opens a connection and sends text, over TLS if the listener speaks that; protocol is what is offered there.
func (h *halfOpen) dial(protocol, text string) net.Conn {
	h.t.Helper()
	c := h.dialSocket(h.hello)
	if h.client != nil {
		config := h.client.Clone()
		config.NextProtos = []string{protocol}
		secure := tls.Client(c, config)
		if err := secure.Handshake(); err != nil {
			h.t.Fatal(err)
		}
		c = secure
	}
	if _, err := io.WriteString(c, text); err != nil {
		h.t.Fatal(err)
	}
	return c
}

// dialSocket opens a connection and sends text beneath TLS.
func (h *halfOpen) dialSocket(text string) net.Conn {
	h.t.Helper()
	c, err := net.Dial("tcp", h.address)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		h.t.Fatal(err)
	}
	return c
}

// shutDown shuts the edge down, and returns what Shutdown does.
func (h *halfOpen) shutDown(within time.Duration) error {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	err := h.edge.Shutdown(ctx)
	if err := <-h.served; err != nil {
		h.t.Errorf("the server returned %v, want nil", err)
	}
	return err
}

// withinReadTimeout is less than the edge gives a client for a request, so that none ends by that.
const withinReadTimeout = 8 * time.Second

const (
	http2Preface  = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	http2Settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
)

// TestShutdown_ConnectionsWithoutARequest: none of them is waited for, on any listener.
func TestShutdown_ConnectionsWithoutARequest(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	get := "GET " + path("-", "1", "tokens.css") + " HTTP/1.1\r\nHost: a\r\n"
	answered := func(h *halfOpen, c net.Conn) {
		if _, err := c.Read(make([]byte, 1<<16)); err != nil {
			h.t.Fatal(err)
		}
	}
	kinds := map[string]func(h *halfOpen){
		"nothing":             func(h *halfOpen) { h.dialSocket("") },
		"one byte":            func(h *halfOpen) { h.dialSocket("\x16") },
		"no request":          func(h *halfOpen) { h.dial("http/1.1", "") },
		"half a request line": func(h *halfOpen) { h.dial("http/1.1", "GET / HT") },
		"half a head":         func(h *halfOpen) { h.dial("http/1.1", get) },
		"a request":           func(h *halfOpen) { answered(h, h.dial("http/1.1", get+"\r\n")) },
		"a request and a half": func(h *halfOpen) {
			answered(h, h.dial("http/1.1", get+"\r\n"+get))
		},
		"a handed-over request and a half": func(h *halfOpen) {
			answered(h, h.dial("http/1.1", "GET /nope HTTP/1.1\r\nHost: a\r\n\r\n"+get))
		},
	}
	secure := map[string]func(h *halfOpen){
		"half a handshake":       func(h *halfOpen) { h.dialSocket("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") },
		"HTTP/2 without preface": func(h *halfOpen) { h.dial("h2", "") },
		"half a preface":         func(h *halfOpen) { h.dial("h2", http2Preface[:10]) },
		"idle HTTP/2":            func(h *halfOpen) { answered(h, h.dial("h2", http2Preface+http2Settings)) },
		"half a frame":           func(h *halfOpen) { answered(h, h.dial("h2", http2Preface+http2Settings+"\x00\x00\x10\x01")) },
	}
	for name, open := range halfOpenListeners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, f)
			for _, begin := range kinds {
				begin(h)
			}
			if h.client != nil {
				for _, begin := range secure {
					begin(h)
				}
			}
			if err := h.shutDown(withinReadTimeout); err != nil {
				t.Errorf("Shutdown = %v, want nil", err)
			}
		})
	}
}

// TestShutdown_RequestsInProgress: what does not end in time is cut, on any listener.
func TestShutdown_RequestsInProgress(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	body := "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf"
	get := "GET " + path("-", "1", "tokens.css") + " HTTP/1.1\r\nHost: a\r\n\r\n"
	for kind, begin := range map[string]func(h *halfOpen){
		"half a body": func(h *halfOpen) { h.dial("http/1.1", body) },
		"answers that are not read": func(h *halfOpen) {
			c := h.dial("http/1.1", "")
			many := strings.Repeat(get, 1000)
			for {
				_ = c.SetWriteDeadline(time.Now().Add(time.Second))
				if _, err := io.WriteString(c, many); errors.Is(err, os.ErrDeadlineExceeded) {
					return // the edge takes no more
				} else if err != nil {
					h.t.Fatal(err)
				}
			}
		},
	} {
		for name, open := range halfOpenListeners {
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				h := open(t, f)
				begin(h)
				if err := h.shutDown(time.Second); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Shutdown = %v, want that of the context", err)
				}
			})
		}
	}
}
