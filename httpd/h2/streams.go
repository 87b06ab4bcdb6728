package h2

import (
	"slices"
	"sync"
	"time"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
)

// stream is one request that is not answered to the end.
type stream struct {
	id        uint32
	state     streamState
	admission admission
	halfOpen  bool // the client has not ended its request
	dropped   bool // the answer of the handler is not sent
	window    int64
	since     time.Time // when the client or the server last did something for it
	body      []byte    // what is to be sent yet

	got, length int64                // of the request's body; length -1: not declared
	ctx         *fasthttp.RequestCtx // for the handler
	block       []byte               // the head of its answer

	endless loop.Stream // which the answer goes on with; nil: it has an end
	part    []byte      // of endless, that body lies in
}

// streamState is what a stream waits for.
type streamState uint8

const (
	receiving streamState = iota // for the end of the request
	working                      // for the handler
	sending                      // for the client to take the answer
	streaming                    // for the client to take a part of the answer, or for a further part
)

var streams = sync.Pool{New: func() any { return new(stream) }}

// find returns the stream of an id, or nil.
func find(streams []*stream, id uint32) *stream {
	for _, st := range streams {
		if st.id == id {
			return st
		}
	}
	return nil
}

// newStream returns a stream that begins with such a window.
func newStream(id uint32, a admission, window int64, now time.Time) *stream {
	st := streams.Get().(*stream)
	*st = stream{id: id, admission: a, window: window, since: now, length: -1}
	return st
}

// leave counts the request of st out.
func (st *stream) leave(c *conn) {
	st.letGo(c)
	if st.endless != nil {
		st.endless.Close()
	}
	*st = stream{}
	streams.Put(st)
}

// letGo counts the request of st out and gives its context back.
func (st *stream) letGo(c *conn) {
	c.server.config.Requests.leave(st.admission, c.remote.Addr())
	st.admission = refused
	if st.ctx != nil {
		st.ctx.Response.Reset() // the body is the handler's
		st.ctx.ResetUserValues()
		contexts.Put(st.ctx)
		st.ctx = nil
	}
}

// remove takes st off the list.
func (c *conn) remove(st *stream) {
	i := slices.Index(c.streams, st)
	c.streams = slices.Delete(c.streams, i, i+1)
	if len(c.out) > 0 {
		c.unsent++
	}
	if i < c.next {
		c.next--
	}
	if len(c.streams) == 0 {
		c.idle, c.next = c.now, 0
	}
}

// drop ends st without an answer. What the handler works for goes on counting until it is done.
func (c *conn) drop(st *stream) {
	c.remove(st)
	if st.state == working {
		st.dropped = true
		c.cancelled++
		return
	}
	st.leave(c)
}

// dropAll ends every stream.
func (c *conn) dropAll() {
	for len(c.streams) > 0 {
		c.drop(c.streams[len(c.streams)-1])
	}
}

// headers begins the head of a request (RFC 9113 section 6.2).
func (c *conn) headers(h frameHeader, payload []byte) {
	padding := 0
	if h.flags&flagPadded != 0 {
		if code := checkPadding(len(payload), payload); code != errNone {
			c.fail(code)
			return
		}
		padding, payload = int(payload[0]), payload[1:]
	}
	if h.flags&flagPriority != 0 {
		if len(payload) < 5 {
			c.fail(errSize)
			return
		}
		h.loop = dependsOnItself(h.stream, payload)
		payload = payload[5:]
	}
	switch {
	case padding > len(payload) || h.stream%2 == 0:
		c.fail(errProtocol)
	case h.flags&flagEndHeaders != 0:
		c.wholeHead(h, payload[:len(payload)-padding])
	default:
		c.blockOf, c.blocks = h, 0
		c.block = append(make([]byte, 0, len(payload)), payload[:len(payload)-padding]...)
	}
}

// continuation goes on with a head (RFC 9113 section 6.10).
func (c *conn) continuation(h frameHeader, payload []byte) {
	c.blocks++
	switch {
	case c.block == nil:
		c.fail(errProtocol)
		return
	case c.blocks > maxContinuations || len(c.block)+len(payload) > headRoom*c.server.config.Limits.Head:
		c.fail(errCalm)
		return
	}
	c.block = append(c.block, payload...)
	if h.flags&flagEndHeaders != 0 {
		whole := c.block
		c.block = nil
		c.wholeHead(c.blockOf, whole)
	}
}

// wholeHead reads a head, and answers the request or has it answered.
func (c *conn) wholeHead(h frameHeader, block []byte) {
	d := newHead(c.server.config.Limits.Head)
	defer heads.Put(d)
	if c.table.decode(block, d) != nil {
		c.fail(errHead)
		return
	}
	if d.long && !c.counted() {
		return
	}
	end := h.flags&flagEndStream != 0
	if h.stream <= c.last {
		c.trailers(h.stream, end, d)
		return
	}
	if c.last = h.stream; c.ending >= draining {
		return // the client was told that it is not answered
	}
	switch {
	case h.loop || !d.read():
		c.reset(h.stream, nil, errProtocol)
		return
	case len(c.streams)+c.unsent >= maxStreams || c.cancelled >= maxOrphans:
		c.reset(h.stream, nil, errRefused)
		return
	}
	a := c.server.config.Requests.enter(c.remote.Addr())
	if a == refused {
		c.reset(h.stream, nil, errRefused)
		return
	}
	st := newStream(h.stream, a, c.firstWindow, c.now)
	c.streams = append(c.streams, st)
	c.request(st, d, end)
}

// request answers the request of a new stream, or has it answered.
func (c *conn) request(st *stream, d *head, end bool) {
	if end && st.admission == admitted && d.isPlain(c) {
		if a, ok := loop.Ask(c.source, &d.plain.Request, c.server.config.Logger); ok {
			c.answer(st, a)
			return
		}
	}
	st.halfOpen = !end
	problem := d.problem()
	if st.admission == shed {
		c.server.config.Shed()
		problem = guard.Overloaded
	}
	st.length = d.length
	switch {
	case problem == nil && d.length > int64(c.server.config.Limits.Body):
		problem = guard.BodyTooLarge
	case end && d.length > 0:
		c.reset(st.id, st, errProtocol) // RFC 9113 section 8.1.1
		return
	}
	if problem != nil {
		c.refuse(st, problem, string(d.method) == fasthttp.MethodHead)
		return
	}
	if st.ctx = d.context(c); end { // else the body comes first
		st.handle(c)
	}
}

// trailers ends a request whose body is followed by fields, which are dropped.
func (c *conn) trailers(id uint32, end bool, d *head) {
	st := find(c.streams, id)
	switch {
	case st == nil && slices.Contains(c.cut[:], id) && c.counted():
		return // the client did not know yet
	case st == nil || !st.halfOpen:
		c.fail(errClosed)
		return
	case !end:
		c.reset(id, st, errProtocol)
		return
	}
	if d.malformed || slices.ContainsFunc(d.fields, func(f field) bool { return f.class != nameOrdinary }) {
		c.reset(id, st, errProtocol)
		return
	}
	c.bodyEnded(id)
}

// bodyEnded goes on with a request whose body has come.
func (c *conn) bodyEnded(id uint32) {
	st := find(c.streams, id)
	if st == nil || !st.halfOpen {
		return
	}
	st.halfOpen = false
	switch {
	case st.state != receiving:
	case st.length >= 0 && st.got != st.length:
		c.reset(id, st, errProtocol)
	default:
		st.handle(c)
	}
}

// answer begins to send what a source answers.
func (c *conn) answer(st *stream, a loop.Answer) {
	at := c.beginHead(st.id)
	c.out = c.server.heads.append(c.out, a.Head)
	c.out = appendDate(c.out, c.now)
	c.endHead(st, at, a.Body)
}

// beginHead begins the HEADERS frame of an answer.
func (c *conn) beginHead(id uint32) (at int) {
	at = len(c.out)
	c.out = appendFrameHeader(c.out, 0, frameHeaders, flagEndHeaders, id)
	if c.resized {
		c.resized = false
		c.out = append(c.out, 0x20) // this end's table has no room (RFC 7541 section 4.2)
	}
	return at
}

// endHead ends the HEADERS frame at c.out[at:], which body follows.
func (c *conn) endHead(st *stream, at int, body []byte) {
	setLength(c.out, at)
	st.state, st.body, st.since = sending, body, c.now
	if len(body) == 0 {
		c.out[at+4] |= flagEndStream
		c.sent(st)
	}
}

// setLength writes the length of the frame that begins at out[at] and ends with out.
func setLength(out []byte, at int) {
	n := len(out) - at - headerBytes
	out[at], out[at+1], out[at+2] = byte(n>>16), byte(n>>8), byte(n)
}

// sent ends a stream whose answer was appended. A client that still sends the request may stop.
func (c *conn) sent(st *stream) {
	if st.halfOpen {
		c.out = appendReset(c.out, st.id, errNone)
		c.cut[int(st.id/2)%len(c.cut)] = st.id
	}
	c.remove(st)
	st.leave(c)
}

// refuse begins to send a problem at once: a client whose requests are all refused takes no goroutine, and no turn of
// those that answer others. head says that the request is a HEAD.
func (c *conn) refuse(st *stream, problem *guard.Problem, head bool) {
	ctx := contexts.Get().(*fasthttp.RequestCtx)
	defer contexts.Put(ctx)
	ctx.Response.Reset()
	problem.Send(ctx)
	body := ctx.Response.Body() // the problem's: it outlives ctx
	at := c.beginHead(st.id)
	c.out = appendResponse(c.out, &ctx.Response, len(body))
	c.out = appendDate(c.out, c.now)
	if head {
		body = nil
	}
	c.endHead(st, at, body)
}

// handle has the handler of c's server answer on a goroutine.
func (st *stream) handle(c *conn) {
	st.state = working
	go st.work(c)
}

// work answers st.
func (st *stream) work(c *conn) {
	c.server.config.Handler.Serve(st.ctx)
	res := &st.ctx.Response
	body := res.Body()
	size := len(body)
	if loop.StreamOf(st.ctx) != nil {
		size = -1
	}
	st.block = appendResponse(st.block[:0], res, size)
	if !st.ctx.IsHead() {
		st.body = body
	}
	c.mu.Lock()
	gone := c.gone
	if !gone {
		c.done = append(c.done, st)
	}
	c.mu.Unlock()
	if gone {
		st.leave(c)
		return
	}
	c.wake()
}

// collect begins to send what the handler has answered.
func (c *conn) collect() {
	c.mu.Lock()
	done, woken := c.done, c.woken
	c.done, c.woken = nil, nil
	c.mu.Unlock()
	if len(done)+len(woken) > 0 {
		c.takeOut()
	}
	for _, id := range woken {
		if st := find(c.streams, id); st != nil && st.state == streaming {
			st.goOn(c)
		}
	}
	for _, st := range done {
		if st.dropped {
			c.cancelled--
			st.leave(c)
			continue
		}
		at := c.beginHead(st.id)
		c.out = append(c.out, st.block...)
		c.out = appendDate(c.out, c.now)
		st.block = nil
		if begin := loop.StreamOf(st.ctx); begin != nil && !st.ctx.IsHead() {
			st.begin(c, at, begin)
			continue
		}
		c.endHead(st, at, st.body)
	}
}

// begin ends the HEADERS frame at c.out[at:], which a stream follows. Its request counts no longer: what takes its
// place is bounded by itself.
func (st *stream) begin(c *conn, at int, begin loop.StreamFunc) {
	id := st.id
	st.endless = begin(func() { c.wakeStream(id) })
	st.letGo(c)
	if st.endless == nil {
		c.endHead(st, at, nil)
		return
	}
	setLength(c.out, at)
	st.state, st.body, st.since = streaming, nil, c.now
	st.goOn(c)
}

// wakeStream has goOn called soon. Any goroutine may call it.
func (c *conn) wakeStream(id uint32) {
	c.mu.Lock()
	gone := c.gone
	if !gone {
		c.woken = append(c.woken, id)
	}
	c.mu.Unlock()
	if !gone {
		c.wake()
	}
}

// goOn takes the next part of a stream, if the client has taken the one before.
func (st *stream) goOn(c *conn) {
	if len(st.body) > 0 {
		return
	}
	if st.part == nil {
		st.part = make([]byte, 0, partBytes)
	}
	if st.part = st.endless.Append(st.part[:0], c.now); cap(st.part) > partBytes {
		st.body, st.part = st.part, nil
	} else {
		st.body = st.part
	}
	if len(st.body) > 0 {
		st.since = c.now
	} else if st.endless.Ended() {
		c.out = appendFrame(c.out, frameData, flagEndStream, st.id, nil)
		c.sent(st)
	}
}

// partBytes is how much of a stream an endless answer keeps room for.
const partBytes = 128

// Append implements loop.Session.
func (c *conn) Append(dst []byte, now time.Time) []byte {
	c.now = now
	c.collect()
	n := min(len(c.out), cap(dst)-len(dst))
	dst = append(dst, c.out[:n]...)
	if c.out = c.out[:copy(c.out, c.out[n:])]; len(c.out) > 0 {
		return dst
	}
	c.unsent = 0
	for c.sendWindow > 0 && len(c.streams) > 0 {
		st := c.ready()
		room := cap(dst) - len(dst) - headerBytes
		if st == nil || room < min(len(st.body), leastFrame) {
			break
		}
		n := min(len(st.body), c.frameBytes, room, int(min(c.sendWindow, st.window)))
		flags := byte(0)
		if n == len(st.body) && st.state == sending {
			flags = flagEndStream
		}
		dst = appendFrame(dst, frameData, flags, st.id, st.body[:n])
		st.body, st.since = st.body[n:], now
		st.window -= int64(n)
		c.sendWindow -= int64(n)
		if c.next++; len(st.body) > 0 {
			continue
		}
		if st.state == sending {
			c.sent(st)
		} else {
			st.goOn(c)
		}
	}
	if len(c.out) == 0 {
		c.releaseOut()
	}
	return dst
}

// leastFrame is the least of a long body that a frame is worth.
const leastFrame = 1 << 10

// ready returns the next stream in turn that has something to send, or nil.
func (c *conn) ready() *stream {
	for range c.streams {
		if c.next >= len(c.streams) {
			c.next = 0
		}
		if st := c.streams[c.next]; st.state >= sending && len(st.body) > 0 && st.window > 0 {
			return st
		}
		c.next++
	}
	return nil
}

// outBuffers are buffers of frames that wait to be sent.
var outBuffers = sync.Pool{New: func() any { return new([]byte) }}

// mostPooled is the longest buffer that is used again.
const mostPooled = 64 << 10

// takeOut gives c a buffer, unless it has one.
func (c *conn) takeOut() {
	if c.buffer == nil {
		c.buffer = outBuffers.Get().(*[]byte)
		c.out = append((*c.buffer)[:0], c.out...)
	}
}

// releaseOut takes the buffer of c, which is empty, back.
func (c *conn) releaseOut() {
	if c.buffer != nil && cap(c.out) <= mostPooled {
		*c.buffer = c.out
		outBuffers.Put(c.buffer)
	}
	c.buffer, c.out = nil, nil
}
