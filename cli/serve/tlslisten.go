package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"
)

// secured returns the listener that speaks TLS over l. Who cannot shake hands is logged.
func secured(l net.Listener, config *tls.Config, r *refusals) net.Listener {
	return &securedListener{Listener: l, config: config, refusals: r}
}

type securedListener struct {
	net.Listener
	config   *tls.Config
	refusals *refusals
}

// Accept waits for no handshake: the first Read shakes hands.
func (l *securedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &securedConn{Conn: tls.Server(c, l.config), refusals: l.refusals}, nil
}

// securedConn is a connection of a securedListener.
type securedConn struct {
	*tls.Conn
	refusals *refusals
	once     sync.Once
}

// Read shakes hands if that was not done, and reads.
func (c *securedConn) Read(p []byte) (int, error) {
	if err := c.Handshake(); err != nil {
		c.once.Do(func() { c.refusals.logRefusal(c.RemoteAddr(), err) })
		return 0, err
	}
	return c.Conn.Read(p)
}

// refusals logs failed TLS handshakes, at most one a second: unknown clients must not fill a disk. It may
// be used concurrently.
type refusals struct {
	name  string // of the listener
	level slog.Level
	log   *slog.Logger

	mu       sync.Mutex // guards all below
	logged   time.Time
	unlogged int
}

func (r *refusals) logRefusal(client net.Addr, err error) {
	if errors.Is(err, io.EOF) {
		return // a look at whether the port is open
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.logged) < time.Second {
		r.unlogged++
		return
	}
	r.log.Log(context.Background(), r.level, "a TLS handshake with a client failed", "listener", r.name, "client", client.String(), "error", err, "next", nextAfter(err), "untold", r.unlogged)
	r.logged, r.unlogged = time.Now(), 0
}

// nextAfter says what to do about a handshake that failed.
func nextAfter(err error) string {
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	_, stranger := errors.AsType[x509.UnknownAuthorityError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	remote, isNet := errors.AsType[*net.OpError](err)
	switch {
	case plain:
		return "write https:// in the address that the client was given"
	case strings.Contains(err.Error(), "didn't provide a certificate"):
		return "give the edge a certificate that a CA of --feed-client-ca has signed, with --upstream-tls-cert and --upstream-tls-key"
	case stranger:
		return "have a CA of --feed-client-ca sign the edge's certificate, or add its CA to that file"
	case invalid:
		return "renew the client's certificate, for the use of clients"
	case isNet && remote.Op == "remote error":
		return "the client does not trust this certificate: name its CA to the client; an edge takes --upstream-ca"
	}
	return "look at the client's versions of TLS"
}
