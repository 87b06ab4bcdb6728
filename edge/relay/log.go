package relay

import (
	"context"
	"sync"

	"example.com/livery/feedproto"
)

// maxEntries is how many entries of the change log an edge keeps for the edges behind it. One that was
// away for longer asks for everything anew.
const maxEntries = 16 << 10

// Log is the end of the change log as this edge heard of it, with the cursors of its upstream. It
// may be used concurrently.
type Log struct {
	mu      sync.Mutex         // guards all below
	entries []feedproto.Change // in order; one without an Environment is only a place in the log
	cursor  string             // the newest place
	moved   chan struct{}      // closed when there is more
}

// NewLog returns a log that begins behind a place.
func NewLog(cursor string) *Log { return &Log{cursor: cursor, moved: make(chan struct{})} }

// Add takes over an answer of the feed. What changed must have been invalidated before: an edge that hears of a
// change asks at once.
func (l *Log) Add(fed feedproto.Changes) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !fed.Reset && fed.Cursor == l.cursor {
		return
	}
	if fed.Reset {
		l.entries = l.entries[:0]
	}
	l.entries = append(l.entries, fed.Changes...)
	if n := len(fed.Changes); n == 0 || fed.Changes[n-1].Cursor != fed.Cursor {
		l.entries = append(l.entries, feedproto.Change{Cursor: fed.Cursor})
	}
	if surplus := len(l.entries) - maxEntries; surplus > 0 {
		l.entries = append(l.entries[:0:0], l.entries[surplus:]...)
	}
	l.cursor = fed.Cursor
	close(l.moved)
	l.moved = make(chan struct{})
}

// changes returns what follows a cursor, as soon as there is something or ctx ends. A cursor that is
// not known, the empty one for example, is answered with Reset and the newest.
func (l *Log) changes(ctx context.Context, after string, limit int) feedproto.Changes {
	for {
		fed, moved := l.read(after, limit)
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

// read returns what follows a cursor, and what is closed when there is more.
func (l *Log) read(after string, limit int) (fed feedproto.Changes, moved <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fed = feedproto.Changes{Changes: []feedproto.Change{}, Cursor: l.cursor}
	rest, known := l.after(after)
	if !known {
		fed.Reset = true
		return fed, l.moved
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
	return fed, l.moved
}

// knows reports whether a place is one of the log as this edge heard of it; the empty one, which says nothing, is.
func (l *Log) knows(cursor string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.after(cursor)
	return known || cursor == ""
}

// after returns the entries behind a place. l.mu is held.
func (l *Log) after(cursor string) (rest []feedproto.Change, known bool) {
	if cursor == l.cursor {
		return nil, cursor != ""
	}
	for i := len(l.entries) - 1; i >= 0; i-- {
		if l.entries[i].Cursor == cursor {
			return l.entries[i+1:], true
		}
	}
	return nil, false
}
