package records

import (
	"slices"
	"sync"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/feedproto"
	"golang.org/x/sync/errgroup"
)

// hotFor is how recently an address was requested to be refreshed after a change.
const hotFor = 5 * time.Minute

// The bounds of what is refreshed at one time.
const (
	refreshThemes = 4 // Themes
	refreshPairs  = 8 // pairs of one of them
)

// refreshQueue is a queue of Themes; each is in it once at most. It may be used concurrently.
type refreshQueue struct {
	mu     sync.Mutex // guards themes
	themes []*Theme
	wakeup chan struct{} // of one place
}

func newRefreshQueue() *refreshQueue { return &refreshQueue{wakeup: make(chan struct{}, 1)} }

func (q *refreshQueue) add(t *Theme) {
	q.mu.Lock()
	q.themes = append(q.themes, t)
	q.mu.Unlock()
	q.wake()
}

func (q *refreshQueue) wake() {
	select {
	case q.wakeup <- struct{}{}:
	default:
	}
}

// take returns the Theme that waits for longest, or nil, and wakes another taker if there are more.
func (q *refreshQueue) take() *Theme {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.themes) == 0 {
		return nil
	}
	t := q.themes[0]
	q.themes[0], q.themes = nil, q.themes[1:]
	if len(q.themes) > 0 {
		q.wake()
	}
	return t
}

// refreshChanged refreshes changed Themes, each with its hot pairs in one question, until the context ends. Several run at
// once. A Theme that changed again meanwhile waits for its turn once more.
func (s *Store) refreshChanged() {
	for {
		select {
		case <-s.refreshes.wakeup:
		case <-s.Context.Done():
			return
		}
		for t := s.refreshes.take(); t != nil && s.Context.Err() == nil; t = s.refreshes.take() {
			covered := t.beginRefresh()
			s.refreshHot(t)
			if t.endRefresh(covered) {
				s.refreshes.add(t)
			} else {
				s.announceLater(t)
			}
		}
	}
}

// refreshHot asks for the Theme and its hot pairs and has their files made anew.
func (s *Store) refreshHot(t *Theme) {
	l := Background(s.Now())
	l.Exact = true
	all := t.hot(l.Now.Add(-hotFor))
	first, ts := s.refreshTheme(t, all, &l)
	if ts == nil || ts.Missing != "" {
		return
	}
	var working errgroup.Group
	working.SetLimit(refreshPairs)
	for hot := range slices.Chunk(all, pairsPerQuestion) {
		got := first
		if got == nil || hot[0] != all[0] {
			got = s.askForTheme(s.Context, t, hot)
		}
		for _, p := range hot {
			working.Go(func() error {
				s.refreshPair(t, ts, p, got, l)
				return nil
			})
		}
	}
	_ = working.Wait() // refreshPair returns none
	s.Observer.Refreshed()
}

// refreshTheme returns what the Theme is now, and the answer that came with it for its first hot pairs; nil if
// upstream does not say.
func (s *Store) refreshTheme(t *Theme, hot []*Pair, l *Lookup) (got *refreshAnswer, ts *ThemeState) {
	ts = t.State()
	if ts != nil && s.themeFresh(t, ts, l) {
		return nil, ts
	}
	kind := themeRecord{s, t}
	answered, err := s.Share(l, kind.flight(), func() (any, error) {
		if got = s.askForTheme(s.Context, t, hot[:min(len(hot), pairsPerQuestion)]); got != nil {
			t.fetch.settle(nil, s.Now())
			s.persistTheme(t)
			return s.HoldTheme(t, got.freshness, got.theme), nil
		}
		return refresh[ThemeState](s.Context, s, &t.entry, kind)
	})
	if err == nil {
		if ts = answered.(*ThemeState); s.themeFresh(t, ts, l) {
			return got, ts
		}
	}
	if ts, _, err = lookUp(s, &t.entry, kind, ts, l); err != nil {
		return nil, nil
	}
	return nil, ts
}

// refreshPair fetches what a pair is made from, has the files made that are requested, and only then
// lets the pair be seen. Of a pair that is made from the same as before nothing is made: what is held
// of its files stays, and what was evicted would only push other files out.
func (s *Store) refreshPair(t *Theme, ts *ThemeState, p *Pair, got *refreshAnswer, l Lookup) {
	held := p.State()
	if s.Context.Err() != nil || held != nil && s.pairFresh(t, ts, p, held, &l) {
		return
	}
	var prepared *PairState
	prepare := func(state *PairState) {
		prepared = state
		if held == nil || held.Inputs.ID != state.Inputs.ID {
			s.Content.MakeFiles(ts, p, state)
		}
	}
	kind := pairRecord{s, t, ts, p, prepare}
	state, err := s.Share(&l, kind.flight(), func() (any, error) {
		if fed, ok := got.pair(t, p); ok {
			return s.takePair(kind, got, fed)
		}
		return refresh[PairState](s.Context, s, &p.entry, kind)
	})
	if err == nil && state != prepared { // the flight was a request's, which makes one file only
		prepare(state.(*PairState))
	}
}

// takePair holds what the answer for a changed Theme says of a pair.
func (s *Store) takePair(k pairRecord, got *refreshAnswer, fed feedproto.Pair) (*PairState, error) {
	in := content.NewInputs(fed)
	ask := func() (*PairState, error) { return refresh[PairState](s.Context, s, &k.pair.entry, k) }
	if k.pair.HasModes() && got.blobs[fed.Overlay] == nil && !s.Content.HasInputs(&in) {
		return ask() // its overlay comes with the pair alone
	}
	release, err := s.Content.TakeInputs(fed, got.blobs)
	if err != nil && k.pair.HasModes() {
		return ask()
	}
	err = attempted(err)
	k.pair.fetch.settle(err, s.Now())
	if err != nil {
		return lastGood(&k.pair.entry, kind[PairState](k), err)
	}
	defer release()
	state := newPairState(got.freshness, fed)
	k.prepare(state)
	persist := s.needsPersist(k.pair, state)
	k.hold(state)
	if persist {
		k.pair.persistSoon(s, state)
	}
	return state, nil
}

// persistTheme has a Theme written to disk as it is then, unless another entry took its place in memory: that one has
// been asked for since, and was written then.
func (s *Store) persistTheme(t *Theme) {
	s.WriteBehind.AddTheme(t.Key, func() (diskcache.Record[feedproto.Theme], bool) {
		held, ok := s.themes.Peek(t.Key)
		state := t.State()
		return state.onDisk(), state.Missing == "" && (!ok || held == t)
	})
}
