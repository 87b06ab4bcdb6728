// Package live has the event streams of an edge: each tells one open page when its Theme or Variant has changed. A stream is
// a few hundred bytes beside its connection: no goroutine waits for it, and all streams of a pair send the same bytes.
package live

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
)

// Hub has every stream of an edge. It may be used concurrently. A nil Hub has none.
type Hub struct {
	most    int
	clients *guard.Limiter
	events  atomic.Uint64

	mu      sync.Mutex // guards below
	streams map[*Stream]struct{}
	closed  bool
}

// New returns a Hub for as many streams as most, and of one client as clients allows; nil: no bound of one client.
func New(most int, clients *guard.Limiter) *Hub {
	return &Hub{most: most, clients: clients, streams: map[*Stream]struct{}{}}
}

// Open returns the number of streams.
func (h *Hub) Open() int {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams)
}

// Events returns how many events were sent since New, over all streams.
func (h *Hub) Events() uint64 {
	if h == nil {
		return 0
	}
	return h.events.Load()
}

// HasRoom reports whether a stream of a client would begin now.
func (h *Hub) HasRoom(client netip.Addr) bool {
	if !h.clients.Enter(client) {
		return false
	}
	h.clients.Leave(client)
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.full()
}

// full reports whether no further stream may begin. h.mu is locked.
func (h *Hub) full() bool { return h.closed || len(h.streams) >= h.most }

// Close ends every stream, and begins none from then on.
func (h *Hub) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.streams {
		s.end()
	}
}

// Request is what a client asks for with a stream.
type Request struct {
	Client  netip.Addr
	LastID  string    // of the newest event that it has; empty: none
	Expires time.Time // when it may have the stream no longer; zero: never
}

// Begin begins a stream of t, or returns nil if there are too many.
func (h *Hub) Begin(t *Topic, r Request, wake func()) httpd.Stream {
	if !h.clients.Enter(r.Client) {
		return nil
	}
	s := &Stream{hub: h, topic: t, request: r, wake: wake}
	if !h.add(s) {
		h.clients.Leave(r.Client)
		return nil
	}
	t.add(s)
	return s
}

func (h *Hub) add(s *Stream) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.full() {
		return false
	}
	h.streams[s] = struct{}{}
	return true
}

// Stream is the event stream of one page: text/event-stream of HTML's "Server-sent events". It implements httpd.Stream.
type Stream struct {
	hub     *Hub
	topic   *Topic
	request Request
	wake    func()
	ended   atomic.Bool
	sent    *Event    // nil: none yet
	next    time.Time // of the next heartbeat; zero: nothing was sent yet
}

// Heartbeat is how often something is sent: less than the minute after which many proxies take a connection for dead.
const Heartbeat = 25 * time.Second

// How long a browser waits before it asks for a stream that has ended again: not all of them at one time.
const (
	leastRetry  = 2000 // milliseconds
	retrySpread = 4000
)

// Append implements httpd.Stream. Events that came since the newest one that was sent are one event: the newest.
func (s *Stream) Append(dst []byte, now time.Time) []byte {
	before := len(dst)
	if s.next.IsZero() {
		dst = appendRetry(dst, leastRetry+rand.IntN(retrySpread))
	}
	if e := s.topic.event.Load(); e != nil && e != s.sent {
		if s.sent != nil || e.ID != s.request.LastID {
			dst = append(dst, e.text...)
			s.hub.events.Add(1)
		}
		s.sent = e
	}
	if len(dst) == before && !now.Before(s.next) {
		dst = append(dst, ":\n\n"...)
	}
	if len(dst) > before {
		s.next = now.Add(Heartbeat)
	}
	if !s.request.Expires.IsZero() && !now.Before(s.request.Expires) {
		s.ended.Store(true)
	}
	return dst
}

// Deadline implements httpd.Stream.
func (s *Stream) Deadline() time.Time {
	if at := s.request.Expires; !at.IsZero() && at.Before(s.next) {
		return at
	}
	return s.next
}

// Ended implements httpd.Stream.
func (s *Stream) Ended() bool { return s.ended.Load() }

// end has the stream end soon.
func (s *Stream) end() {
	s.ended.Store(true)
	s.wake()
}

// Close implements httpd.Stream.
func (s *Stream) Close() {
	s.ended.Store(true)
	s.topic.remove(s)
	s.hub.mu.Lock()
	delete(s.hub.streams, s)
	s.hub.mu.Unlock()
	s.hub.clients.Leave(s.request.Client)
}
