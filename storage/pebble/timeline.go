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
// taken behind it. It lives while someone holds a reference.
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

// timeline holds the two states that work starts from, and gates what is not yet durable. It also
// counts the calls in progress, so that Close can wait for them.
type timeline struct {
	mu      sync.Mutex    // guards all below
	applied *state        // the newest: what the next commit builds on
	durable *state        // the newest that is on disk: what readers may see
	moved   chan struct{} // closed and replaced when durable moves; closed for good when the store ends
	ended   error         // why the store takes no more calls; nil while it does
	closed  bool

	calls sync.WaitGroup // calls in progress; grows only while ended is nil
}

// begin makes at the state of both readers and writers. It comes before any other call but fail.
func (l *timeline) begin(at *state) {
	at.refs.Store(2)
	l.applied, l.durable = at, at
}

// enter counts a call in; leave must follow.
func (l *timeline) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return l.ended
	}
	l.calls.Add(1)
	return nil
}

func (l *timeline) leave() { l.calls.Done() }

// enterDurable is enter with a reference to the newest durable state.
func (l *timeline) enterDurable() (*state, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return nil, l.ended
	}
	l.calls.Add(1)
	l.durable.refs.Add(1)
	return l.durable, nil
}

// newest returns a reference to the newest applied state, durable or not.
func (l *timeline) newest() *state {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.applied.refs.Add(1)
	return l.applied
}

// apply makes at the newest applied state. Calls must come in the order of commits, and each must
// be followed by settle or abandon.
func (l *timeline) apply(at *state) {
	at.refs.Store(2) // this timeline's, and the commit's until it settles
	l.mu.Lock()
	old := l.applied
	l.applied = at
	l.mu.Unlock()
	old.release()
}

// settle makes at, and with it all that was applied before it, durable. Calls may come in any
// order.
func (l *timeline) settle(at *state) {
	l.mu.Lock()
	old := at
	if at.cursor.Seq > l.durable.cursor.Seq {
		old, l.durable = l.durable, at
		if l.ended == nil {
			close(l.moved)
			l.moved = make(chan struct{})
		}
	}
	l.mu.Unlock()
	old.release()
}

// last returns the place of the newest durable commit.
func (l *timeline) last() storage.Cursor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable.cursor
}

// await returns nil once entry seq is durable, else ctx's error or why the store ended.
func (l *timeline) await(ctx context.Context, seq uint64) error {
	for {
		l.mu.Lock()
		done, ended, moved := l.durable.cursor.Seq >= seq, l.ended, l.moved
		l.mu.Unlock()
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
func (l *timeline) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// fail refuses every later call because of cause, and reports whether it is the first to.
func (l *timeline) fail(cause error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return false
	}
	l.end(fmt.Errorf("pebble: the store failed: %w: %w", storage.ErrUnavailable, cause))
	return true
}

// close refuses every later call, waits for those in progress, drops both states and returns the
// place of the newest durable commit. first is false if that was done before.
func (l *timeline) close() (end storage.Cursor, first bool) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return storage.Cursor{}, false
	}
	l.closed = true
	if l.ended == nil {
		l.end(fmt.Errorf("pebble: the store is closed: %w", storage.ErrUnavailable))
	}
	l.mu.Unlock()
	l.calls.Wait()
	end = l.durable.cursor
	l.applied.release()
	l.durable.release()
	return end, true
}

func (l *timeline) end(cause error) {
	l.ended = cause
	close(l.moved)
}
