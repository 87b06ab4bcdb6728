package records

import (
	"time"

	"example.com/livery/edge/upstream"
)

// How long a record is served without a word from upstream, if nothing shorter applies. While
// the feed is followed its heartbeat confirms what is held, and these bounds are never reached.
const (
	existenceLifetime = 5 * time.Second // a Theme's record, and that a sealed pair exists

	// NegativeLifetime is how long a failure is remembered, and that something does not exist.
	NegativeLifetime = time.Second
)

// Freshness is when and how an answer of upstream came.
type Freshness struct {
	Change    uint64        // of the Theme when it was asked for; 0: read from disk
	At        time.Time     // it was current then
	Age       time.Duration // how long before the question that was
	Confirmed bool          // changes of it are heard on the feed that is followed, so that its heartbeat confirms it
}

// newFreshness returns the freshness of an answer to a question that was asked at a time, under a number of change.
func newFreshness(m upstream.ResponseMeta, change uint64, asked time.Time) Freshness {
	return Freshness{Change: change, At: asked.Add(-m.Age), Age: m.Age, Confirmed: !m.NotFollowed}
}

// ConfirmedAt returns when what is held and not invalidated was current, in Unix nanoseconds; 0 before the first time.
func (s *Store) ConfirmedAt() int64 { return s.confirmedAt.Load() }

// Known returns when an answer was last known to be current, and whether it may be taken for current.
// confirmedAt is read first: whatever it covers has reached Theme.change before.
func (s *Store) Known(t *Theme, f Freshness, l *Lookup) (at time.Time, current bool) {
	confirmed := s.confirmedAt.Load()
	current = f.Change == t.change.Load()
	if !current && !l.Exact && f.Change != 0 {
		if w := t.stale.Load(); w != nil && f.Change >= w.from && l.Now.UnixNano() < w.until {
			confirmed, current = w.confirmed, true
		}
	}
	if current && f.Confirmed && confirmed > f.At.UnixNano() {
		return time.Unix(0, confirmed), true
	}
	return f.At, current
}

// fresh reports whether an answer may be served without asking.
func (s *Store) fresh(t *Theme, f Freshness, l *Lookup, lifetime time.Duration) bool {
	at, current := s.Known(t, f, l)
	return current && l.Now.Sub(at) <= lifetime
}

func (s *Store) themeFresh(t *Theme, ts *ThemeState, l *Lookup) bool {
	if ts.Missing != "" {
		return s.fresh(t, ts.Freshness, l, NegativeLifetime)
	}
	return s.fresh(t, ts.Freshness, l, existenceLifetime)
}

// pairFresh reports whether a pair may be served without asking.
func (s *Store) pairFresh(t *Theme, ts *ThemeState, p *Pair, ps *PairState, l *Lookup) bool {
	return s.fresh(t, ps.Freshness, l, pairLifetime(ts, p, ps))
}

// pairLifetime is the rule of the address: a sealed pair at its number cannot change, but can be
// deleted; anything else lives as long as the Environment says.
func pairLifetime(ts *ThemeState, p *Pair, ps *PairState) time.Duration {
	switch {
	case ps.Missing != "":
		return NegativeLifetime
	case ps.Inputs.Sealed && p.Pinned:
		return existenceLifetime
	}
	return ts.Lifetime
}

// cannotImprove reports whether asking again would bring nothing newer: upstream was asked for this
// lookup, and said that it has not known better for a while itself.
func (s *Store) cannotImprove(t *Theme, f Freshness, l *Lookup) bool {
	_, current := s.Known(t, f, l)
	return current && f.Age > 0 && !f.At.Add(f.Age).Before(l.Now)
}

// Meta says since when an answer is known to be current, for an edge that asks this one.
func (s *Store) Meta(t *Theme, f Freshness, o Outcome, l *Lookup) upstream.ResponseMeta {
	at, _ := s.Known(t, f, l)
	return upstream.ResponseMeta{Age: max(0, l.Now.Sub(at)), NotFollowed: o == Stale || !f.Confirmed}
}
