package records

import (
	"testing"
	"time"

	"example.com/livery/edge/upstream"
)

// A refreshed answer is current, one of before is served as long as the window of its change
// lasts, and one of before that never.
func TestStaleWhileRefreshingCoversOneChange(t *testing.T) {
	e := newStore(t)
	now := time.Unix(10_000, 0)
	th := &Theme{entry: entry[ThemeState]{Key: "t"}}
	p := &Pair{}
	p.requestedAt.Store(now.Unix())
	th.remember(p)
	th.change.Store(5)
	current := func(change uint64, at time.Time, exact bool) bool {
		q := Lookup{Now: at, Exact: exact}
		_, ok := e.Known(th, Freshness{Change: change, At: now, Confirmed: true}, &q)
		return ok
	}
	e.changes.Store(5)
	e.confirmedAt.Store(now.UnixNano())
	if e.invalidate(th, now); e.refreshes.take() != th {
		t.Fatal("a hot Theme is not refreshed")
	}
	if e.invalidate(th, now.Add(100*time.Millisecond)); e.refreshes.take() != nil {
		t.Error("a Theme that waits for its refresh is to be refreshed twice")
	}
	for _, tt := range []struct {
		name   string
		change uint64
		after  time.Duration
		exact  bool
		want   bool
	}{
		{"of before", 5, 0, false, true},
		{"of between the changes", 6, 0, false, true},
		{"of the newest", 7, 0, true, true},
		{"of long before", 4, 0, false, false},
		{"of before, but who asks wants no less than current", 5, 0, true, false},
		{"read from disk", 0, 0, false, false},
		{"of before, too late", 5, maxStale, false, false},
	} {
		if got := current(tt.change, now.Add(tt.after), tt.exact); got != tt.want {
			t.Errorf("an answer %s counts as current: %t, want %t", tt.name, got, tt.want)
		}
	}
	covered := th.beginRefresh()
	e.invalidate(th, now.Add(200*time.Millisecond))
	if !th.endRefresh(covered) {
		t.Error("a change during the refresh is forgotten")
	}
	if current(6, now.Add(300*time.Millisecond), false) || !current(7, now.Add(300*time.Millisecond), false) {
		t.Error("after the refresh what it replaced is still served, or what it made is not")
	}
	if !current(7, now.Add(200*time.Millisecond+maxStale-1), false) || current(7, now.Add(200*time.Millisecond+maxStale), false) {
		t.Error("the window of the second change does not count from when that was heard of")
	}
	if th.endRefresh(th.beginRefresh()) || th.stale.Load() != nil || current(7, now, false) {
		t.Error("a window outlives the refresh")
	}
}

// The age of what is served while it is refreshed counts from when it was known to be current, not from the change.
func TestStaleAnswersDoNotBecomeYounger(t *testing.T) {
	e := newStore(t)
	asked, confirmed, now := time.Unix(1000, 0), time.Unix(1010, 0), time.Unix(1012, 0)
	th := &Theme{}
	p := &Pair{}
	th.remember(p)
	th.change.Store(1)
	e.changes.Store(1)
	e.confirmedAt.Store(confirmed.UnixNano())
	e.invalidate(th, now)
	e.confirmedAt.Store(now.UnixNano())
	at, current := e.Known(th, Freshness{Change: 1, At: asked, Confirmed: true}, &Lookup{Now: now})
	if !current || !at.Equal(confirmed) {
		t.Errorf("known = %v, %t, want the confirmation before the change", at, current)
	}
	if e.fresh(th, Freshness{Change: 1, At: asked, Confirmed: true}, &Lookup{Now: now}, time.Second) {
		t.Error("an answer older than its lifetime is served")
	}
}

// What another upstream than the followed one answered is not confirmed by the feed.
func TestAnswersOfOthersAreNotConfirmed(t *testing.T) {
	e := newStore(t)
	th := &Theme{}
	th.change.Store(1)
	e.confirmedAt.Store(time.Unix(2000, 0).UnixNano())
	l := newFreshness(upstream.ResponseMeta{Age: 3 * time.Second, NotFollowed: true}, 1, time.Unix(1000, 0))
	if at, current := e.Known(th, l, &Lookup{Now: time.Unix(2000, 0)}); !current || !at.Equal(time.Unix(997, 0)) {
		t.Errorf("known = %v, %t, want when it was asked for less its age", at, current)
	}
}
