package h2

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/loop"
)

// conn is the session of one connection.
//
// It begins with the client's preface and SETTINGS. Then streams come and go: each is opened by a head, waits for the
// end of the request if it has a body, is answered by the source at once or by the handler later, and is gone when
// the last byte of the answer was appended. An error of a stream resets it. An error of the connection, too many
// frames that ask for nothing, or a shutdown end the connection with GOAWAY.
type conn struct {
	server  *Server
	source  loop.Source
	remote  netip.AddrPort
	address net.Addr
	wake    func()
	now     time.Time // of the call under way

	// Of what the client sends.
	in        input
	skip      int    // bytes of a payload that nothing reads
	skipped   func() // what follows them
	phase     phase
	table     table
	block     []byte // of a head whose end has not come
	blockOf   frameHeader
	blocks    int // frames of it
	last      uint32
	begun     time.Time // what is under way of a head or frame; zero: nothing
	window    int       // bytes of bodies that the client may send before it hears of more
	control   guard.Bucket
	cancelled int       // streams that were reset while the handler works for them
	cut       [4]uint32 // streams whose answer ended before the request

	// Of what is sent to the client.
	buffer      *[]byte // that out lies in; nil: it has none of the pool
	out         []byte  // frames but DATA
	unsent      int     // streams that have ended since out was empty: the client cannot know yet
	streams     []*stream
	next        int // of streams: whose DATA comes next
	sendWindow  int64
	firstWindow int64 // of a new stream
	frameBytes  int   // the most in a frame
	resized     bool  // the client has changed the size of the table: the next head begins with the answer to it
	idle        time.Time

	ending  phaseOfEnd
	endedAt time.Time // when ending began

	mu    sync.Mutex // guards below
	done  []*stream  // which the handler has answered
	woken []uint32   // endless streams that have something to send
	gone  bool       // the connection is closed
}

// phase is how far the client's beginning has come.
type phase uint8

const (
	awaitsPreface phase = iota
	awaitsSettings
	serving
)

// phaseOfEnd is how far the end of a connection has come.
type phaseOfEnd uint8

const (
	notEnding phaseOfEnd = iota
	warned               // GOAWAY was sent that still allows every stream
	draining             // GOAWAY was sent with the last stream that is answered
	failed               // nothing more is answered
	finished             // the connection may be closed
)

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

func newConn(s *Server, remote netip.AddrPort, source loop.Source, wake func()) *conn {
	c := &conn{
		server: s, source: source, remote: remote, wake: wake, table: table{most: tableBytes}, window: connWindow,
		control: guard.NewBucket(controlEvery, controlBurst), sendWindow: connWindow, firstWindow: connWindow, frameBytes: maxFrame,
		begun: time.Now(),
	}
	if remote.IsValid() {
		c.address = net.TCPAddrFromAddrPort(remote)
	}
	c.out = appendFrame(nil, frameSettings, 0, 0, settings)
	return c
}

// settings are those of the server's own that differ from what a connection begins with.
var settings = func() (payload []byte) {
	for _, s := range []struct {
		id    uint16
		value uint32
	}{{settingMaxStreams, maxStreams}, {settingWindow, streamWindow}, {settingHeadBytes, headRoom * maxFrame}} {
		payload = binary.BigEndian.AppendUint16(payload, s.id)
		payload = binary.BigEndian.AppendUint32(payload, s.value)
	}
	return payload
}()

// Receive implements loop.Session.
func (c *conn) Receive(p []byte, now time.Time) {
	c.now = now
	c.takeOut()
	for len(p) > 0 && c.ending < failed {
		if c.skip > 0 {
			n := min(c.skip, len(p))
			if c.skip, p = c.skip-n, p[n:]; c.skip == 0 {
				c.begun = time.Time{}
			}
			c.skippedAll()
			continue
		}
		var whole []byte
		if whole, p = c.in.next(p); whole != nil {
			c.take(whole)
		}
	}
	if c.ending >= failed {
		return
	}
	switch {
	case len(c.in.part) == 0 && c.skip == 0 && len(c.block) == 0 && c.phase == serving:
		c.begun, c.in.part = time.Time{}, nil
	case c.begun.IsZero():
		c.begun = now
	}
}

// take processes a frame, without the payload that is not read.
func (c *conn) take(b []byte) {
	if c.phase == awaitsPreface {
		if string(b) != preface {
			c.fail(errProtocol)
			return
		}
		c.phase = awaitsSettings
		return
	}
	c.frame(headerOf(b), b[headerBytes:])
	if c.block == nil && c.phase == serving {
		c.begun = time.Time{} // what follows has its own time
	}
}

// skippedAll goes on behind a payload that nothing reads, if it has ended.
func (c *conn) skippedAll() {
	if c.skip == 0 && c.skipped != nil {
		then := c.skipped
		c.skipped = nil
		then()
	}
}

// fail ends the connection for an error (RFC 9113 section 5.4.1).
func (c *conn) fail(code errorCode) {
	if c.ending >= failed {
		return
	}
	c.out = appendGoAway(c.out, c.last, code)
	c.ending, c.endedAt = failed, c.now
	c.in.part, c.block, c.begun = nil, nil, time.Time{}
	c.dropAll()
}

// counted counts a frame that asks for nothing, and reports whether the client may go on.
func (c *conn) counted() bool {
	if c.control.Take(c.now) {
		return true
	}
	c.fail(errCalm)
	return false
}

// reset ends a stream for an error of the client (RFC 9113 section 5.4.2). st is nil if there is none.
func (c *conn) reset(id uint32, st *stream, code errorCode) {
	if st != nil {
		c.drop(st)
	}
	if c.counted() {
		c.out = appendReset(c.out, id, code)
	}
}

// Drain implements loop.Session.
func (c *conn) Drain(now time.Time) {
	c.now = now
	if c.ending == notEnding {
		c.out = appendGoAway(c.out, 1<<31-1, errNone)
		c.ending, c.endedAt = warned, now
	}
}

// Bytes implements loop.Session. Requests under way count for themselves (Limiter).
func (c *conn) Bytes() int { return cap(c.in.part) + cap(c.block) + cap(c.out) }

// Ended implements loop.Session.
func (c *conn) Ended() bool {
	if c.ending == draining && len(c.streams) == 0 && len(c.out) == 0 && !c.now.Before(c.endedAt.Add(grace)) {
		c.ending = finished
	}
	return c.ending == finished
}

// Deadline implements loop.Session.
func (c *conn) Deadline() time.Time {
	at := time.Time{}
	until := func(from time.Time, limit time.Duration) {
		if t := from.Add(limit); at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if c.ending == warned || c.ending == failed || c.ending == draining && len(c.streams) == 0 {
		until(c.endedAt, grace)
	}
	if !c.begun.IsZero() {
		until(c.begun, c.server.config.Limits.Read)
	}
	for _, st := range c.streams {
		switch {
		case st.state == receiving:
			until(st.since, c.server.config.Limits.Read)
		case st.state >= sending && len(st.body) > 0:
			until(st.since, c.server.config.Limits.Write)
		case st.state == streaming:
			until(st.endless.Deadline(), 0)
		}
	}
	if len(c.streams) == 0 && !c.idle.IsZero() {
		until(c.idle, c.server.config.Limits.Idle)
	}
	return at
}

// Expire implements loop.Session.
func (c *conn) Expire(now time.Time) {
	c.now = now
	passed := func(from time.Time, limit time.Duration) bool { return !from.IsZero() && !now.Before(from.Add(limit)) }
	switch {
	case c.ending == failed && passed(c.endedAt, grace):
		c.ending = finished
		return
	case c.ending == warned && passed(c.endedAt, grace):
		c.out = appendGoAway(c.out, c.last, errNone)
		c.ending = draining
	case passed(c.begun, c.server.config.Limits.Read), len(c.streams) == 0 && passed(c.idle, c.server.config.Limits.Idle):
		c.out = appendGoAway(c.out, c.last, errNone)
		c.dropAll()
		c.ending = draining
	}
	for i := len(c.streams) - 1; i >= 0 && i < len(c.streams); i-- {
		switch st := c.streams[i]; {
		case st.state == receiving && passed(st.since, c.server.config.Limits.Read):
			c.refuse(st, guard.TooSlow, st.ctx.IsHead())
		case st.state >= sending && len(st.body) > 0 && passed(st.since, c.server.config.Limits.Write):
			c.reset(st.id, st, errCancel)
		case st.state == streaming:
			st.goOn(c)
		}
	}
}

// Close implements loop.Session.
func (c *conn) Close() {
	c.dropAll() // first: once the connection is gone, the streams that the handler works for belong to work
	c.mu.Lock()
	c.gone = true
	done := c.done
	c.done = nil
	c.mu.Unlock()
	for _, st := range done {
		st.leave(c)
	}
	c.out = c.out[:0]
	c.releaseOut()
	c.server.config.Requests.Conns.Leave(c.remote.Addr())
}
