package guard

import (
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

// final are the errors of accept(2) that the next call would return too. All others pass: descriptors, buffers and
// memory become free, and an error of one connection says nothing about the next.
var final = []error{syscall.EBADF, syscall.EFAULT, syscall.EINVAL, syscall.ENOTSOCK}

// passes reports whether Accept may be called again after err.
func passes(err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && !slices.Contains(final, error(number))
}

// The pause after an error doubles from leastPause to mostPause until a connection is accepted.
const (
	leastPause = 5 * time.Millisecond
	mostPause  = time.Second
)

// Patient returns a listener whose Accept does not return errors of l that pass: it logs them, waits and tries again.
// Closing it ends the wait.
func Patient(l net.Listener, log *slog.Logger) net.Listener {
	return &patient{Listener: l, log: log, closed: make(chan struct{})}
}

type patient struct {
	net.Listener
	log    *slog.Logger
	once   sync.Once
	closed chan struct{}
}

// Accept implements net.Listener.
func (l *patient) Accept() (net.Conn, error) {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		c, err := l.Listener.Accept()
		if err == nil || !passes(err) {
			return c, err
		}
		l.log.Warn("a connection cannot be accepted", "error", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
}

// Close implements net.Listener.
func (l *patient) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Limited returns a listener that has at most n connections open: further clients wait until one of them ends.
func Limited(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, free: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	free   chan struct{} // one element for each open connection
	once   sync.Once
	closed chan struct{}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: c, release: sync.OnceFunc(func() { <-l.free })}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// NetConn returns the connection that is counted.
func (c *limitedConn) NetConn() net.Conn { return c.Conn }

// Cut closes the socket beneath c, which ends every read and write of c. It waits for nothing, as closing a connection
// under TLS would.
func Cut(c net.Conn) {
	for over, ok := c.(interface{ NetConn() net.Conn }); ok; over, ok = c.(interface{ NetConn() net.Conn }) {
		c = over.NetConn()
	}
	_ = c.Close()
}
