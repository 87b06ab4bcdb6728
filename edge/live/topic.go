package live

import (
	"encoding/hex"
	"strconv"
	"sync"
	"sync/atomic"
)

// Event says what the files of a pair are made from now. It is not changed.
type Event struct {
	ID   string
	text []byte // as it is sent
}

// idBytes of a hash tell the states of one pair apart.
const idBytes = 12

// NewEvent returns the event of a pair at a version whose files are made from what has that hash.
func NewEvent(hash []byte, version uint32) *Event {
	e := &Event{ID: hex.EncodeToString(hash[:idBytes])}
	e.text = append(append(e.text, "event: change\nid: "...), e.ID...)
	e.text = append(e.text, "\ndata: {\"version\":"...)
	e.text = append(strconv.AppendUint(e.text, uint64(version), 10), "}\n\n"...)
	return e
}

func appendRetry(dst []byte, milliseconds int) []byte {
	return append(strconv.AppendInt(append(dst, "retry: "...), int64(milliseconds), 10), "\n\n"...)
}

// Topic is what the streams of one pair are told. It may be used concurrently; its zero value has no streams.
type Topic struct {
	event atomic.Pointer[Event]

	mu      sync.Mutex // guards below, and the order in which event is set
	streams map[*Stream]struct{}
	closed  bool
}

// Update tells the streams what current returns, if that is new; nil ends them: the pair does not exist any more.
func (t *Topic) Update(current func() *Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, held := current(), t.event.Load()
	switch {
	case e == nil:
		t.endAll()
	case held == nil || held.ID != e.ID:
		t.event.Store(e)
		for s := range t.streams {
			s.wake()
		}
	}
}

// End ends every stream: its client has to ask again, under the rules of now.
func (t *Topic) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.endAll()
}

// Close ends every stream, and those that begin later.
func (t *Topic) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.endAll()
}

func (t *Topic) endAll() {
	for s := range t.streams {
		s.end()
	}
}

// Waits reports whether there are streams.
func (t *Topic) Waits() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.streams) > 0
}

func (t *Topic) add(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams == nil {
		t.streams = map[*Stream]struct{}{}
	}
	t.streams[s] = struct{}{}
	if t.closed {
		s.ended.Store(true)
	}
}

func (t *Topic) remove(s *Stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.streams, s)
	if len(t.streams) == 0 {
		t.streams = nil // a map does not shrink
	}
}
