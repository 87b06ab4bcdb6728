package loop

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
)

// streams serves a listener with one goroutine a connection: what every system can do, and what a
// listener that is not plain TCP needs.
type streams struct {
	loop     *Loop
	listener net.Listener
	draining atomic.Bool
	working  sync.WaitGroup
	refusals chan struct{} // one element for each connection that is being refused

	mu      sync.Mutex // guards conns and aborted
	conns   map[*stream]struct{}
	aborted bool
}

func newStreams(l *Loop, ln net.Listener) *streams {
	return &streams{loop: l, listener: guard.Patient(ln, l.log), conns: map[*stream]struct{}{}, refusals: make(chan struct{}, max(1, l.limits.conns/refusalsPart))}
}

// run implements service.
func (s *streams) run() error {
	for {
		conn, err := s.listener.Accept()
		switch {
		case err == nil:
			s.start(conn)
			continue
		case s.draining.Load():
			err = nil
		}
		s.drain()
		s.working.Wait()
		return err
	}
}

// start serves conn, or refuses it if there are too many.
func (s *streams) start(conn net.Conn) {
	l, remote := s.loop, AddressOf(conn.RemoteAddr())
	if !l.enter(remote) {
		s.refuse(conn)
		return
	}
	c := &stream{service: s, conn: conn, peer: remote}
	s.mu.Lock()
	s.conns[c] = struct{}{}
	if s.aborted {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.working.Go(func() {
		defer s.end(c)
		c.serve()
	})
}

// refuse sends a connection away for which there is no room, in the background.
func (s *streams) refuse(conn net.Conn) {
	select {
	case s.refusals <- struct{}{}:
		go func() {
			_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = conn.Write(s.loop.config.Overload)
			_ = conn.Close()
			<-s.refusals
		}()
	default:
		_ = conn.Close()
	}
}

func (s *streams) end(c *stream) {
	_ = c.conn.Close()
	s.loop.leave(c.peer)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// rest bounds the wait for c's next request, or for the rest of its head; while the service ends, by what is left to a
// client that may have sent it already. The second of rest and drain sees the first.
func (s *streams) rest(c *stream) {
	c.idle.Store(true)
	if !c.begun {
		_ = c.conn.SetReadDeadline(time.Now().Add(s.loop.limits.idle))
	}
	if s.draining.Load() {
		_ = c.conn.SetReadDeadline(time.Now().Add(grace))
	}
}

// backlog is how long run has in a shutdown to accept the connections that are established already.
const backlog = 20 * time.Millisecond

// drain implements service.
func (s *streams) drain() {
	if !s.draining.Swap(true) {
		time.AfterFunc(backlog, func() { _ = s.listener.Close() })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		handoff := c.handoff.Load()
		if c.idle.Load() || handoff != nil && handoff.heads.waiting.Load() {
			_ = c.conn.SetReadDeadline(time.Now().Add(grace))
		}
	}
}

// abort implements service.
func (s *streams) abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aborted = true
	_ = s.listener.Close()
	for c := range s.conns {
		_ = c.conn.Close()
	}
}

// AddressOf returns the address of a TCP peer; the zero Addr of any other.
func AddressOf(peer net.Addr) netip.Addr { return AddrPortOf(peer).Addr() }

// AddrPortOf returns the address and port of a TCP peer; the zero AddrPort of any other.
func AddrPortOf(peer net.Addr) netip.AddrPort {
	if tcp, ok := peer.(*net.TCPAddr); ok {
		return tcp.AddrPort()
	}
	return netip.AddrPort{}
}
