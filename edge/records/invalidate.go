package records

import (
	"context"
	"strings"
	"time"
)

// maxStale is how long answers of before a change are served while those after it are made
// ready: less than the second within which a change must be seen.
const maxStale = 700 * time.Millisecond

// staleWindow has answers of before a change served while what is hot is refreshed, so that no request
// waits for it. They are as old as they say: their age counts from when they were known to be
// current. It is not changed.
type staleWindow struct {
	from      uint64 // the oldest number of change whose answers are served
	confirmed int64  // Unix nanoseconds: those that the feed covers were current then
	until     int64  // Unix nanoseconds
}

// Invalidate notes a change of a Theme, or of every one of an Environment if themeID is empty, or of every one. What was
// requested lately is refreshed before it is requested again.
func (s *Store) Invalidate(environmentID, themeID string) {
	if themeID != "" {
		if t, ok := s.themes.Peek(environmentID + "/" + themeID); ok {
			s.invalidate(t)
		}
		return
	}
	for key, t := range s.themes.All() {
		if environmentID == "" || strings.HasPrefix(key, environmentID+"/") {
			s.invalidate(t)
		}
	}
}

// invalidate notes a change of t.
func (s *Store) invalidate(t *Theme) {
	if t.invalidate(s.changes.Add(1), s.confirmedAt.Load(), s.Now()) {
		s.refresher.queue.add(t)
	}
}

// invalidate invalidates what is held of the Theme, by change number next, and reports whether the caller must
// have it refreshed. If it is hot its answers are served until that is done.
func (t *Theme) invalidate(next uint64, confirmed int64, now time.Time) (refresh bool) {
	hot := len(t.hot(now.Add(-hotFor))) > 0
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.invalidatedAt.IsZero() {
		t.invalidatedAt = now
	}
	if hot && t.stale.Load() == nil {
		t.stale.Store(&staleWindow{t.change.Load(), confirmed, now.Add(maxStale).UnixNano()})
	}
	t.change.Store(next)
	if !hot || t.refreshed != nil {
		return false
	}
	t.refreshed = make(chan struct{})
	return true
}

// beginRefresh returns the number of the newest change, which the refresh will cover.
func (t *Theme) beginRefresh() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.invalidatedAt = time.Time{}
	return t.change.Load()
}

// endRefresh ends the serving of answers older than the change that was covered, and reports whether
// there was another change meanwhile, so that the refresh must be done once more.
func (t *Theme) endRefresh(covered uint64) (again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.change.Load() == covered {
		t.stale.Store(nil)
		close(t.refreshed)
		t.refreshed = nil
		return false
	}
	if w := t.stale.Load(); w != nil {
		t.stale.Store(&staleWindow{covered, w.confirmed, t.invalidatedAt.Add(maxStale).UnixNano()})
	}
	return true
}

// AwaitRefresh returns once a Theme is refreshed, if it changed, or when ctx ends.
func (s *Store) AwaitRefresh(ctx context.Context, key []byte) {
	t := s.theme(key)
	if t == nil {
		return
	}
	t.mu.Lock()
	refreshed := t.refreshed
	t.mu.Unlock()
	if refreshed == nil {
		return
	}
	select {
	case <-refreshed:
	case <-ctx.Done():
	}
}
