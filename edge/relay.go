package edge

import (
	"context"
	"sync"

	"example.com/livery/feedproto"
)

// relayed is how many entries of the change log an edge keeps for the edges behind it. One that was
// away for longer asks for everything anew.
const relayed = 16 << 10

// relay is the end of the change log as this edge heard of it, with the cursors of its upstream. It
// may be used concurrently.
type relay struct {
	mu      sync.Mutex         // guards all below
	entries []feedproto.Change // in order; one without an Environment is no more than a place in the log
	cursor  string             // the newest place
	moved   chan struct{}      // closed when there is more
}

func newRelay(cursor string) *relay { return &relay{cursor: cursor, moved: make(chan struct{})} }

// add takes over an answer of the feed. What was in doubt must be so before: an edge that hears of a
// change asks at once.
func (r *relay) add(fed feedproto.Changes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !fed.Reset && fed.Cursor == r.cursor {
		return
	}
	if fed.Reset {
		r.entries = r.entries[:0]
	}
	r.entries = append(r.entries, fed.Changes...)
	if n := len(fed.Changes); n == 0 || fed.Changes[n-1].Cursor != fed.Cursor {
		r.entries = append(r.entries, feedproto.Change{Cursor: fed.Cursor})
	}
	if surplus := len(r.entries) - relayed; surplus > 0 {
		r.entries = append(r.entries[:0:0], r.entries[surplus:]...)
	}
	r.cursor = fed.Cursor
	close(r.moved)
	r.moved = make(chan struct{})
}

// changes returns what follows a cursor, as soon as there is something or ctx ends. A cursor that is
// not known, the empty one for example, is answered with Reset and the newest.
func (r *relay) changes(ctx context.Context, after string, limit int) feedproto.Changes {
	for {
		fed, moved := r.once(after, limit)
		if fed.Reset || len(fed.Changes) > 0 {
			return fed
		}
		after = fed.Cursor
		select {
		case <-moved:
		case <-ctx.Done():
			return fed
		}
	}
}

func (r *relay) once(after string, limit int) (fed feedproto.Changes, moved <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fed = feedproto.Changes{Changes: []feedproto.Change{}, Cursor: r.cursor}
	rest, known := r.after(after)
	if !known {
		fed.Reset = true
		return fed, r.moved
	}
	if len(rest) > limit {
		rest, fed.More = rest[:limit], true
		fed.Cursor = rest[limit-1].Cursor
	}
	for _, entry := range rest {
		if entry.EnvironmentID != "" {
			fed.Changes = append(fed.Changes, entry)
		}
	}
	return fed, r.moved
}

// knows reports whether a place is one of the log as this edge heard of it; the empty one, which says nothing, is.
func (r *relay) knows(cursor string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.after(cursor)
	return known || cursor == ""
}

// after returns the entries behind a place. r.mu is held.
func (r *relay) after(cursor string) (rest []feedproto.Change, known bool) {
	if cursor == r.cursor {
		return nil, cursor != ""
	}
	for i := len(r.entries) - 1; i >= 0; i-- {
		if r.entries[i].Cursor == cursor {
			return r.entries[i+1:], true
		}
	}
	return nil, false
}
