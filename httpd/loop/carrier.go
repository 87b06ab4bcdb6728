package loop

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
)

// carrier carries a connection on a goroutine.
type carrier struct {
	service *carriers
	socket  net.Conn                       // as it was accepted
	conn    net.Conn                       // over socket: TLS, if there is any
	peer    netip.Addr                     // as it was when it came: a PROXY protocol header names another
	idle    atomic.Bool                    // waits for the client: for a handshake, a request, or the rest of its head
	session atomic.Pointer[sessionCarrier] // nil: it speaks HTTP/1.1

	// Of HTTP/1.1; the goroutine's own.
	request PlainRequest
	date    dateLine
	buffers *buffers
	begun   bool // the limit for the next request runs: since its first byte, or since the connection began
	waited  bool // 100 (Continue) was sent for the next request
	closing bool // the newest answer said that the connection ends
}

// buffers are what a carrier reads into and writes from.
type buffers struct {
	in, out, scratch []byte
	buffered         int // bytes of in
	reader           *fullReader
	both             [2][]byte   // what is written with one call
	pieces           net.Buffers // of both, those still to be written
}

var bufferPool = sync.Pool{New: func() any {
	return &buffers{out: make([]byte, 0, outBytes), scratch: make([]byte, 0, scratchBytes)}
}}

const (
	outBytes  = 64 << 10 // of answers are collected before they are written
	inBytes   = 32 << 10 // are read at a time
	copyBytes = 24 << 10 // is the longest body that is copied behind its head: BenchmarkWrite
)

// roomFor returns how much is read at a time: more than any part of a request that is waited for.
func roomFor(l *Limits) int { return max(inBytes, 2*(l.Head+l.Body)) }

// serve serves the connection until it ends.
func (c *carrier) serve() {
	begin, ok := c.handshake()
	switch {
	case !ok:
	case begin != nil:
		c.carry(begin)
	default:
		c.serveHTTP1()
	}
}

// handshakeTimeout bounds how long a client may take for the handshake.
const handshakeTimeout = 10 * time.Second

// handshake makes the TLS handshake, if there is one, and returns how the session begins that was agreed on, nil: HTTP/1.1. It
// reports false if the handshake fails.
func (c *carrier) handshake() (begin SessionFunc, ok bool) {
	if c.service.secure == nil {
		return nil, true
	}
	_ = c.socket.SetDeadline(time.Now().Add(handshakeTimeout))
	c.wait()
	secured := tls.Server(c.socket, c.service.secure.config)
	if err := secured.Handshake(); err != nil {
		c.service.loop.log.Debug("a client did not finish the handshake", "client", c.socket.RemoteAddr().String(), "error", err)
		return nil, false
	}
	ackAtOnce(c.socket)
	_ = c.socket.SetDeadline(time.Time{})
	c.conn = secured
	return c.service.secure.protocols[secured.ConnectionState().NegotiatedProtocol], true
}

// serveHTTP1 answers requests until the connection ends.
func (c *carrier) serveHTTP1() {
	l := c.service.loop
	c.buffers = bufferPool.Get().(*buffers)
	defer bufferPool.Put(c.buffers)
	if need := roomFor(l.limits); len(c.buffers.in) < need {
		c.buffers.in = make([]byte, need)
	}
	if c.buffers.reader == nil || c.buffers.reader.buffer.Size() != l.limits.Head { // another Loop's
		c.buffers.reader = newFullReader(l.limits)
	}
	c.buffers.buffered = 0
	c.request.Scratch = c.buffers.scratch
	c.begin(true)
	for end := error(nil); end == nil && !c.closing; {
		end = c.read()
		if c.buffers.buffered > 0 {
			c.answer(end)
		}
	}
}

// begin starts the limit of a request, if one is under way.
func (c *carrier) begin(underWay bool) {
	c.begun = underWay
	if underWay {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.service.loop.limits.Read))
	}
}

// wait notes that the client is waited for. While the service ends, it has no more time than one needs that has sent something
// already. The second of wait and carriers.drain sees the first.
func (c *carrier) wait() {
	c.idle.Store(true)
	if c.service.draining.Load() {
		_ = c.socket.SetReadDeadline(time.Now().Add(grace))
	}
}

// read waits for more of a request, and returns why nothing will follow it; nil: more may.
func (c *carrier) read() (end error) {
	b, l := c.buffers, c.service.loop
	if !c.begun {
		_ = c.conn.SetReadDeadline(time.Now().Add(l.limits.Idle))
	}
	c.wait()
	n, err := c.conn.Read(b.in[b.buffered:])
	c.idle.Store(false)
	if n > 0 && !c.begun {
		c.begin(true)
	}
	b.buffered += n
	switch {
	case n > 0:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		l.counts.expired.Add(1)
		return os.ErrDeadlineExceeded
	case !errors.Is(err, io.EOF):
		b.buffered = 0 // nobody is there to be answered
	}
	return io.EOF
}

// answer answers the requests that the buffer holds. end is why nothing will follow them, or nil.
func (c *carrier) answer(end error) {
	b := c.buffers
	rest := b.in[:b.buffered]
	c.request.Remote = AddrPortOf(c.conn.RemoteAddr())
	c.request.Now = time.Now()
	c.date.set(c.request.Now)
	for n := 1; n > 0 && len(rest) > 0 && !c.closing; rest = rest[n:] {
		if n = c.answerOne(rest, end); len(b.out) > outBytes/2 {
			c.flush(nil)
		}
	}
	c.flush(nil)
	if len(rest) != b.buffered {
		c.begin(len(rest) > 0)
	}
	b.buffered = copy(b.in, rest)
}

// answerOne answers the request that text begins with, and returns its length; 0: it has not come as a whole.
func (c *carrier) answerOne(text []byte, end error) int {
	l := c.service.loop
	c.request.reset()
	n, v := c.request.scan(text, l.limits.Head)
	switch {
	case v == partial && end == nil:
		return 0
	case v == plain:
		if a, ok := Ask(l.config.Handler, &c.request.Request, l.log); ok {
			c.closing = c.request.close || n == len(text) && c.service.draining.Load()
			c.buffers.out = appendHead(c.buffers.out, a.Head, &c.date, c.closing)
			l.counts.answers.Add(1)
			c.send(a.Body)
			return n
		}
	}
	return c.answerFull(text, end)
}

// answerFull is answerOne for a request that the Source does not answer.
func (c *carrier) answerFull(text []byte, end error) int {
	l, b := c.service.loop, c.buffers
	ctx := newContext(c.request.Remote)
	defer releaseContext(ctx)
	n, waits, err := b.reader.read(ctx, l.limits, text, end)
	if waits && !c.waited {
		b.out = append(b.out, continueLine...)
	}
	c.waited = waits && err == errPartial
	switch {
	case err == errPartial:
		return 0
	case err == io.EOF:
		c.closing = true
		return len(text)
	case err != nil:
		refuse(ctx, err)
	default:
		l.counts.handovers.Add(1)
		c.flush(nil) // what was asked for before does not wait
		l.config.Handler.Serve(ctx)
	}
	c.request.Now = time.Now()
	c.date.set(c.request.Now)
	c.closing = c.closing || ends(ctx) || n == len(text) && c.service.draining.Load()
	var body []byte
	b.out, body = appendResponse(b.out, ctx, c.closing)
	c.send(body)
	c.flush(nil) // the body may be the context's
	if begin := StreamOf(ctx); begin != nil && !ctx.IsHead() {
		c.closing = true
		c.carry(beginStream(begin))
	}
	return max(n, 1)
}

// send collects the body of an answer whose head is collected.
func (c *carrier) send(body []byte) {
	if len(body) > copyBytes {
		c.flush(body)
		return
	}
	c.buffers.out = append(c.buffers.out, body...)
}

// flush writes what is collected, and body behind it. If the client does not take it, the connection ends.
func (c *carrier) flush(body []byte) {
	b := c.buffers
	if len(b.out) == 0 {
		return
	}
	err := c.conn.SetWriteDeadline(time.Now().Add(c.service.loop.limits.Write))
	switch {
	case err != nil:
	case len(body) == 0:
		_, err = c.conn.Write(b.out)
	default:
		b.both = [2][]byte{b.out, body}
		b.pieces = b.both[:]
		_, err = b.pieces.WriteTo(c.conn)
		b.both, b.pieces = [2][]byte{}, nil
	}
	b.out = b.out[:0]
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.service.loop.counts.expired.Add(1)
	}
	c.closing = c.closing || err != nil
}

// carriers serves a listener with one goroutine a connection: what every system can do, and what a
// listener that is not plain TCP needs.
type carriers struct {
	loop     *Loop
	listener net.Listener
	secure   *secure // nil: no TLS
	draining atomic.Bool
	working  sync.WaitGroup
	refusals chan struct{} // one element for each connection that is being refused

	mu      sync.Mutex // guards conns and aborted
	conns   map[*carrier]struct{}
	aborted bool
}

func newCarriers(l *Loop, ln net.Listener, over *secure) *carriers {
	return &carriers{
		loop: l, listener: guard.Patient(ln, l.log), secure: over, conns: map[*carrier]struct{}{},
		refusals: make(chan struct{}, max(1, l.config.MaxConns/refusalsPart)),
	}
}

// run implements service.
func (s *carriers) run() error {
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

// start serves a connection, or refuses it if there are too many.
func (s *carriers) start(conn net.Conn) {
	peer := AddressOf(conn.RemoteAddr())
	if !s.loop.enter(peer) {
		s.refuse(conn)
		return
	}
	c := &carrier{service: s, socket: conn, conn: conn, peer: peer}
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
func (s *carriers) refuse(conn net.Conn) {
	select {
	case s.refusals <- struct{}{}:
		go func() {
			s.loop.refuse(conn, s.secure)
			<-s.refusals
		}()
	default:
		_ = conn.Close()
	}
}

func (s *carriers) end(c *carrier) {
	_ = c.conn.Close()
	s.loop.leave(c.peer)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// backlog is how long run has in a shutdown to accept the connections that are established already.
const backlog = 20 * time.Millisecond

// drain implements service.
func (s *carriers) drain() {
	if !s.draining.Swap(true) {
		time.AfterFunc(backlog, func() { _ = s.listener.Close() })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if k := c.session.Load(); k != nil {
			k.drain()
		} else if c.idle.Load() {
			_ = c.socket.SetReadDeadline(time.Now().Add(grace))
		}
	}
}

// abort implements service.
func (s *carriers) abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aborted = true
	_ = s.listener.Close()
	for c := range s.conns {
		guard.Cut(c.socket)
	}
}

// AddressOf returns the address of a TCP peer; the zero Addr of any other.
func AddressOf(peer net.Addr) netip.Addr { return AddrPortOf(peer).Addr() }

// AddrPortOf returns the address and port of a TCP peer; the zero AddrPort of any other.
func AddrPortOf(peer net.Addr) netip.AddrPort {
	tcp, ok := peer.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
