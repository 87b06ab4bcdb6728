package pebble

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// state is the store as one commit left it: the commit's place in the change log and a snapshot
// taken behind it. It lives as long as a reference to it.
type state struct {
	cursor storage.Cursor
	snap   *pebble.Snapshot
	refs   atomic.Int32
}

func (s *state) release() {
	if s.refs.Add(-1) == 0 {
		_ = s.snap.Close() // returns no error
	}
}

// history holds the two states that work starts from, and hides what is not yet durable. It also
// counts the calls in progress, so that Close can wait for them.
type history struct {
	mu      sync.Mutex    // guards all below
	applied *state        // the newest: what the next commit builds on
	durable *state        // the newest that is on disk: what readers may see
	moved   chan struct{} // closed and replaced when durable moves; closed for good when the store ends
	ended   error         // why the store takes no more calls; nil while it does
	closed  bool

	calls sync.WaitGroup // calls in progress; grows only while ended is nil
}

// begin makes at the state of both readers and writers. It comes before any other call but fail.
func (h *history) begin(at *state) {
	at.refs.Store(2)
	h.applied, h.durable = at, at
}

// enter counts a call in; leave must follow.
func (h *history) enter() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended != nil {
		return h.ended
	}
	h.calls.Add(1)
	return nil
}

func (h *history) leave() { h.calls.Done() }

// enterDurable is enter with a reference to the newest durable state.
func (h *history) enterDurable() (*state, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended != nil {
		return nil, h.ended
	}
	h.calls.Add(1)
	h.durable.refs.Add(1)
	return h.durable, nil
}

// newest returns a reference to the newest applied state, durable or not.
func (h *history) newest() *state {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.applied.refs.Add(1)
	return h.applied
}

// apply makes at the newest applied state. Calls must come in the order of commits, and each must
// be followed by settle or abandon.
func (h *history) apply(at *state) {
	at.refs.Store(2) // the history's, and the commit's until it settles
	h.mu.Lock()
	old := h.applied
	h.applied = at
	h.mu.Unlock()
	old.release()
}

// settle makes at, and with it all that was applied before it, durable. Calls may come in any
// order.
func (h *history) settle(at *state) {
	h.mu.Lock()
	old := at
	if at.cursor.Seq > h.durable.cursor.Seq {
		old, h.durable = h.durable, at
		if h.ended == nil {
			close(h.moved)
			h.moved = make(chan struct{})
		}
	}
	h.mu.Unlock()
	old.release()
}

// last returns the place of the newest durable commit.
func (h *history) last() storage.Cursor {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.durable.cursor
}

// await returns nil once entry seq is durable, else ctx's error or why the store ended.
func (h *history) await(ctx context.Context, seq uint64) error {
	for {
		h.mu.Lock()
		done, ended, moved := h.durable.cursor.Seq >= seq, h.ended, h.moved
		h.mu.Unlock()
		if done || ended != nil {
			return ended
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// failed returns why the store takes no more calls, or nil.
func (h *history) failed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

// fail refuses every later call because of cause, and reports whether it is the first to.
func (h *history) fail(cause error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended != nil {
		return false
	}
	h.end(fmt.Errorf("pebble: the store failed: %w: %w", storage.ErrUnavailable, cause))
	return true
}

// close refuses every later call, waits for those in progress, drops both states and returns the
// place of the newest durable commit. first is false if that was done before.
func (h *history) close() (end storage.Cursor, first bool) {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return storage.Cursor{}, false
	}
	h.closed = true
	if h.ended == nil {
		h.end(fmt.Errorf("pebble: the store is closed: %w", storage.ErrUnavailable))
	}
	h.mu.Unlock()
	h.calls.Wait()
	end = h.durable.cursor
	h.applied.release()
	h.durable.release()
	return end, true
}

func (h *history) end(cause error) {
	h.ended = cause
	close(h.moved)
}
