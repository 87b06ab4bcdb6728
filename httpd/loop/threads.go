//go:build linux && (amd64 || arm64)

package loop

import (
	"fmt"
	"net"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// newService serves ln with threads on epoll if it is plain TCP, else with goroutines.
func (l *Loop) newService(ln net.Listener, over *secure) (service, error) {
	if tcp, ok := ln.(*net.TCPListener); ok {
		return newThreads(l, tcp, over)
	}
	return newCarriers(l, ln, over), nil
}

// procs is the GOMAXPROCS of the process, which all Loops share.
var procs processors

// processors raises GOMAXPROCS while threads run. Services are counted together: each of their threads is busy only as
// long as requests come to it, so that the processors of the largest service do for all.
type processors struct {
	mu    sync.Mutex // guards below, and GOMAXPROCS
	users int        // services that run
	extra int        // what GOMAXPROCS was raised by
}

// own returns GOMAXPROCS without what was added here.
func (p *processors) own() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return runtime.GOMAXPROCS(0) - p.extra
}

// raise counts a service of n threads in; release must follow.
func (p *processors) raise(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
	if more := n - p.extra; more > 0 {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + more)
		p.extra = n
	}
}

// release counts a service out; the last one restores GOMAXPROCS.
func (p *processors) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)-p.extra))
		p.extra = 0
	}
}

// threads serves a listening socket from threads of its own.
type threads struct {
	loop *Loop
	all  []*thread
}

// newThreads takes the socket of ln over. l.mu must be locked.
func newThreads(l *Loop, ln *net.TCPListener, over *secure) (*threads, error) {
	n := l.config.Threads
	if n <= 0 {
		n = max(1, procs.own()-1)
	}
	s := &threads{loop: l}
	for range n {
		t, err := newThread(l, ln, over)
		if err != nil {
			s.close()
			return nil, err
		}
		s.all = append(s.all, t)
	}
	if err := ln.Close(); err != nil { // the runtime's own poller need not wake for every connection
		s.close()
		return nil, err
	}
	procs.raise(n)
	return s, nil
}

// close ends threads that never ran.
func (s *threads) close() {
	for _, t := range s.all {
		t.close()
	}
}

// run implements service.
func (s *threads) run() error {
	errs := make([]error, len(s.all))
	var running sync.WaitGroup
	for i, t := range s.all {
		running.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with its loop
			errs[i] = t.run()
			if errs[i] != nil {
				s.abort() // all or none
			}
		})
	}
	running.Wait()
	procs.release()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// drain implements service.
func (s *threads) drain() {
	for _, t := range s.all {
		t.inbox.shutDown(draining)
	}
}

// abort implements service.
func (s *threads) abort() {
	for _, t := range s.all {
		t.inbox.shutDown(aborted)
	}
}

// listenerCopy returns a descriptor of its own for the socket of ln, set up so that what it accepts
// needs no setting: what is set on a listening socket holds for its connections.
func listenerCopy(ln *net.TCPListener) (int, error) {
	raw, err := ln.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd, failed := -1, error(nil)
	err = raw.Control(func(from uintptr) {
		if fd, failed = unix.FcntlInt(from, unix.F_DUPFD_CLOEXEC, 0); failed == nil {
			failed = setUp(fd)
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil && fd >= 0 {
		_ = unix.Close(fd)
	}
	return fd, err
}

// setUp sets the options of a listening socket. A connection is accepted once its first bytes are
// there, or after some seconds without any.
func setUp(fd int) error {
	for _, o := range []struct{ level, name, value int }{
		{unix.IPPROTO_TCP, unix.TCP_DEFER_ACCEPT, 5},
		{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
		{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 30},
		{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 15},
		{unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 6},
	} {
		if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return fmt.Errorf("set option %d/%d: %w", o.level, o.name, err)
		}
	}
	return nil
}

// ackAtOnce has the kernel acknowledge at once what has come on a TCP connection, beneath what wraps it. A client
// that collects small segments (RFC 9293 section 3.7.4) waits for that before it sends the next one, and the kernel
// leaves it waiting for 40 ms if the server has nothing to send, as between a TLS handshake and the first request.
func ackAtOnce(c net.Conn) {
	for above, ok := c.(interface{ NetConn() net.Conn }); ok; above, ok = c.(interface{ NetConn() net.Conn }) {
		c = above.NetConn()
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := socket.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { ackNow(int(fd)) })
	}
}

func ackNow(fd int) { _ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) }
