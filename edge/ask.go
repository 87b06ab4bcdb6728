package edge

import (
	"time"

	"example.com/livery/storage/record"
)

// How long a record is served without a word from upstream, where nothing shorter applies. While
// the feed is followed its heartbeat confirms what is held, and these bounds are never reached.
const (
	existenceLifetime = 5 * time.Second // a Theme's record, and that a sealed pair exists
	negativeLifetime  = time.Second     // that something does not exist
)

// maxAsks bounds how often one request asks anew because changes came in while it asked.
const maxAsks = 3

// outcome is how an answer came about, the later ones covering the earlier.
type outcome uint8

const (
	hit         outcome = iota // from memory
	revalidated                // upstream was asked whether what is held is current
	miss                       // something had to be fetched or made
	stale                      // upstream is out of reach, and what is held may not be current
)

// known returns when an answer was last known to be current, and whether it is not in doubt.
// confirmedAt is read first: whatever it covers has reached change before.
func (e *Edge) known(t *theme, change uint64, askedAt time.Time) (at time.Time, current bool) {
	confirmed := e.confirmedAt.Load()
	current = change == t.change.Load()
	if current && confirmed > askedAt.UnixNano() {
		return time.Unix(0, confirmed), true
	}
	return askedAt, current
}

// fresh reports whether an answer may be served without asking.
func (e *Edge) fresh(t *theme, change uint64, askedAt, now time.Time, lifetime time.Duration) bool {
	at, current := e.known(t, change, askedAt)
	return current && now.Sub(at) <= lifetime
}

func (e *Edge) themeFresh(t *theme, s *themeState, now time.Time) bool {
	if s.missing {
		return e.fresh(t, s.change, s.askedAt, now, negativeLifetime)
	}
	return e.fresh(t, s.change, s.askedAt, now, existenceLifetime)
}

// pairFresh applies the rule of the address: a sealed pair at its number cannot change, but can be
// deleted; anything else lives as long as the Environment says.
func (e *Edge) pairFresh(t *theme, ts *themeState, p *pair, s *pairState, now time.Time) bool {
	lifetime := ts.lifetime
	switch {
	case s.missing != "":
		lifetime = negativeLifetime
	case s.fed.Sealed && p.pinned:
		lifetime = existenceLifetime
	}
	return e.fresh(t, s.change, s.askedAt, now, lifetime)
}

// themeOf returns the Theme under key as it is at now, or as it was last known where upstream is out
// of reach: errUnreachable where nothing is known of it.
func (e *Edge) themeOf(key []byte, now time.Time) (*theme, *themeState, outcome, error) {
	t := e.cache.theme(key)
	var held *themeState
	if t != nil {
		held = t.state.Load()
	}
	if held != nil && e.themeFresh(t, held, now) {
		return t, held, hit, nil
	}
	if t == nil {
		t = e.cache.makeTheme(string(key))
	}
	return e.askTheme(t, held, now)
}

func (e *Edge) askTheme(t *theme, held *themeState, now time.Time) (*theme, *themeState, outcome, error) {
	ask := func() (any, error) { return e.fetchTheme(t) }
	asked := miss
	if held != nil {
		asked = revalidated
	}
	for range maxAsks {
		if held != nil && e.inVain(&t.asking, "theme/"+t.key, ask) {
			return t, held, stale, nil
		}
		answer, err, _ := e.flights.Do("theme/"+t.key, ask)
		if err != nil {
			return t, nil, stale, err
		}
		held = answer.(*themeState)
		if e.themeFresh(t, held, now) {
			return t, held, asked, nil
		}
	}
	return t, held, asked, nil
}

// inVain reports whether what is held has to be served without waiting for an answer, because the
// newest question found nobody. Every now and then it has the question asked again in the background.
func (e *Edge) inVain(a *asking, flight string, ask func() (any, error)) bool {
	if a.rests(e.now()) {
		return true
	}
	if !e.upstream.failing() {
		return false
	}
	if !e.upstream.down() && a.background.CompareAndSwap(false, true) {
		e.spawn(func() {
			defer a.background.Store(false)
			_, _, _ = e.flights.Do(flight, ask) // whoever asks next sees what came of it
		})
	}
	return true
}

// fetchTheme asks upstream once. Where it is out of reach the newest state known, in memory or on
// disk, is returned; errUnreachable where there is none.
func (e *Edge) fetchTheme(t *theme) (*themeState, error) {
	change, askedAt := t.change.Load(), e.now()
	if e.upstream.down() || t.asking.rests(askedAt) {
		return e.lastTheme(t, errUnreachable)
	}
	fed, missing, err := e.upstream.theme(e.ctx, t.key)
	e.metrics.asked("theme", err)
	t.asking.settle(err, e.now())
	switch {
	case err != nil:
		return e.lastTheme(t, err)
	case missing:
		s := &themeState{change: change, askedAt: askedAt, missing: true}
		t.state.Store(s)
		e.keep(e.disk.dropTheme(t.key))
		return s, nil
	}
	s := newThemeState(change, askedAt, fed)
	t.state.Store(s)
	e.keep(e.disk.putTheme(t.key, kept[record.ThemeFed]{KnownAt: askedAt, Record: fed}))
	return s, nil
}

func (e *Edge) lastTheme(t *theme, reason error) (*themeState, error) {
	if s := t.state.Load(); s != nil {
		return s, nil
	}
	onDisk, ok := e.disk.theme(t.key)
	if !ok {
		return nil, reason
	}
	s := newThemeState(0, onDisk.KnownAt, onDisk.Record)
	t.state.Store(s)
	return s, nil
}

// pairOf returns the pair under key as it is at now, like themeOf.
func (e *Edge) pairOf(t *theme, ts *themeState, key []byte, now time.Time) (*pair, *pairState, outcome, error) {
	p := e.cache.pair(key)
	var held *pairState
	if p != nil {
		held = p.state.Load()
	}
	if held != nil && e.pairFresh(t, ts, p, held, now) {
		return p, held, hit, nil
	}
	if p == nil {
		p = e.cache.makePair(string(key))
	}
	return e.askPair(t, ts, p, held, now)
}

func (e *Edge) askPair(t *theme, ts *themeState, p *pair, held *pairState, now time.Time) (*pair, *pairState, outcome, error) {
	ask := func() (any, error) { return e.fetchPair(t, p) }
	asked := miss
	if held != nil {
		asked = revalidated
	}
	for range maxAsks {
		if held != nil && e.inVain(&p.asking, "pair/"+p.key, ask) {
			return p, held, stale, nil
		}
		answer, err, _ := e.flights.Do("pair/"+p.key, ask)
		if err != nil {
			return p, nil, stale, err
		}
		held = answer.(*pairState)
		if e.pairFresh(t, ts, p, held, now) {
			return p, held, asked, nil
		}
	}
	return p, held, asked, nil
}

// fetchPair asks upstream once, like fetchTheme. A pair replaces what is held only when its inputs
// have been fetched too: upstream may be out of reach when they are needed.
func (e *Edge) fetchPair(t *theme, p *pair) (*pairState, error) {
	change, askedAt := t.change.Load(), e.now()
	if e.upstream.down() || p.asking.rests(askedAt) {
		return e.lastPair(p, errUnreachable)
	}
	fed, missing, err := e.upstream.pair(e.ctx, p.key)
	if err == nil && missing == "" {
		err = e.fetchInputs(fed)
	}
	e.metrics.asked("pair", err)
	p.asking.settle(err, e.now())
	switch {
	case err != nil:
		return e.lastPair(p, err)
	case missing != "":
		s := &pairState{change: change, askedAt: askedAt, missing: missing}
		p.state.Store(s)
		e.keep(e.disk.dropPair(p.key))
		return s, nil
	}
	s := newPairState(change, askedAt, fed)
	e.keepPair(p, s)
	p.state.Store(s)
	t.remember(p)
	return s, nil
}

// keepPair writes a pair to disk, unless it was written lately and says the same: with a lifetime of
// nothing every request asks.
func (e *Edge) keepPair(p *pair, s *pairState) {
	held := p.state.Load()
	if held != nil && held.content == s.content && held.fed.Sealed == s.fed.Sealed && s.askedAt.Sub(held.keptAt) < existenceLifetime {
		s.keptAt = held.keptAt
		return
	}
	s.keptAt = s.askedAt
	e.keep(e.disk.putPair(p.key, kept[record.PairFed]{KnownAt: s.askedAt, Record: s.fed}))
}

func (e *Edge) lastPair(p *pair, reason error) (*pairState, error) {
	if s := p.state.Load(); s != nil {
		return s, nil
	}
	onDisk, ok := e.disk.pair(p.key)
	if !ok {
		return nil, reason
	}
	s := newPairState(0, onDisk.KnownAt, onDisk.Record)
	p.state.Store(s)
	return s, nil
}

// keep reports a failure of the disk cache, which costs no more than a restart without upstream.
func (e *Edge) keep(err error) {
	if err != nil {
		e.log.Warn("the disk cache cannot be written", "error", err)
	}
}
