package records

import (
	"context"
	"strings"
	"time"

	"example.com/livery/feedproto"
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

// Heard takes an answer of the feed: it notes the newest place in the change log, and then what changed before that, a Theme,
// every one of an Environment, or every one if the log began anew. What was requested lately is refreshed before it is
// requested again. What is held and not invalidated then was current at confirmed; zero: there is more to hear first.
func (s *Store) Heard(fed feedproto.Changes, confirmed time.Time) {
	s.heard.Store(&fed.Cursor)
	whole := map[string]bool{} // Environments
	for _, change := range fed.Changes {
		if t, ok := s.themes.Peek(change.EnvironmentID + "/" + change.ThemeID); ok {
			s.invalidate(t, s.Now())
		}
		if change.EnvironmentID != "" && change.ThemeID == "" {
			whole[change.EnvironmentID] = true
		}
	}
	if fed.Reset || len(whole) > 0 {
		for key, t := range s.themes.All() {
			if environment, _, _ := strings.Cut(key, "/"); fed.Reset || whole[environment] {
				s.invalidate(t, s.Now())
			}
		}
	}
	if !confirmed.IsZero() {
		s.confirmedAt.Store(confirmed.UnixNano())
	}
}

// invalidate notes a change of t, and has it refreshed if it is hot: its answers are served until that is done.
func (s *Store) invalidate(t *Theme, now time.Time) {
	next, confirmed := s.changes.Add(1), s.confirmedAt.Load()
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
	if hot && t.refreshed == nil {
		t.refreshed = make(chan struct{})
		s.refreshes.add(t)
	}
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
