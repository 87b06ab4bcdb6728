package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/storage/record"
)

// How long a record is served without a word from upstream, where nothing shorter applies. While
// the feed is followed its heartbeat confirms what is held, and these bounds are never reached.
const (
	existenceLifetime = 5 * time.Second // a Theme's record, and that a sealed pair exists
	negativeLifetime  = time.Second     // that something does not exist

	sealedKept = time.Hour // how long the disk's record of a sealed pair at its number says when it was last known
)

// maxAsks bounds how often one request asks anew because changes came in while it asked.
const maxAsks = 3

// errBusy means that the edge does as much at once as it may: the request should come again.
var errBusy = errors.New("too much is asked for at once")

// outcome is how an answer came about, the later ones covering the earlier.
type outcome uint8

const (
	hit         outcome = iota // from memory
	revalidated                // upstream was asked whether what is held is current
	recoded                    // the file was held, in another coding
	miss                       // something had to be fetched or made
	stale                      // upstream is out of reach, and what is held may not be current
)

func (e *Edge) themeFresh(t *theme, s *themeState, q *question) bool {
	if s.missing {
		return e.fresh(t, s.learned, q, negativeLifetime)
	}
	return e.fresh(t, s.learned, q, existenceLifetime)
}

// pairFresh reports whether a pair may be served without asking.
func (e *Edge) pairFresh(t *theme, ts *themeState, p *pair, s *pairState, q *question) bool {
	return e.fresh(t, s.learned, q, pairLifetime(ts, p, s))
}

// pairLifetime is the rule of the address: a sealed pair at its number cannot change, but can be
// deleted; anything else lives as long as the Environment says.
func pairLifetime(ts *themeState, p *pair, s *pairState) time.Duration {
	switch {
	case s.missing != "":
		return negativeLifetime
	case s.fed.Sealed && p.pinned:
		return existenceLifetime
	}
	return ts.lifetime
}

// exhausted reports whether asking again would bring nothing newer: upstream was asked for this
// question, and said that it has not known better for a while itself.
func (e *Edge) exhausted(t *theme, l learned, q *question) bool {
	_, current := e.known(t, l, q)
	return current && l.age > 0 && !l.at.Add(l.age).Before(q.now)
}

// themeOf returns the Theme under key as q wants it, or as it was last known where upstream is out
// of reach. The errors are errUnreachable, where nothing is known of it, and errBusy.
func (e *Edge) themeOf(key []byte, q *question) (*theme, *themeState, outcome, error) {
	t := e.cache.theme(key)
	var held *themeState
	if t != nil {
		held = t.state.Load()
	}
	if held != nil && e.themeFresh(t, held, q) {
		return t, held, hit, nil
	}
	if !e.admit(q) {
		return nil, nil, miss, errBusy
	}
	if t == nil {
		if e.unknowns.full(q.now) && !e.disk.has(themeName(string(key))) {
			return nil, nil, miss, errBusy
		}
		t = e.cache.makeTheme(string(key))
	}
	return e.askTheme(t, held, q)
}

func (e *Edge) askTheme(t *theme, held *themeState, q *question) (*theme, *themeState, outcome, error) {
	ctx := e.traced(q) // outlives the request, as the question may
	ask := func() (any, error) { return e.fetchTheme(ctx, t) }
	asked, seen := miss, held
	if held != nil {
		asked = revalidated
	}
	askOnce := func() (any, error) { // the question before may have ended since seen was seen
		if s := t.state.Load(); s != seen && e.themeFresh(t, s, q) {
			return s, nil
		}
		return ask()
	}
	for range maxAsks {
		if held != nil && e.inVain(&t.asking, themeEndpoint, "theme/"+t.key, ask) {
			return t, held, stale, nil
		}
		answer, err := persist(e, q, func() (any, error) { return e.shared(q, "theme/"+t.key, askOnce) })
		if errors.Is(err, errLate) {
			t.asking.settle(err, e.now()) // whoever asks next does not wait as long
			last, err := e.lastTheme(t, err)
			return t, last, stale, err
		}
		if err != nil {
			return t, nil, stale, err
		}
		held = answer.(*themeState)
		switch {
		case e.themeFresh(t, held, q):
			return t, held, asked, nil
		case e.exhausted(t, held.learned, q):
			t.asking.settle(errUnreachable, e.now())
			return t, held, stale, nil
		}
	}
	return t, held, asked, nil
}

// errLate means that a question was not answered in the time that the request waits. It may be yet, for the next.
var errLate = fmt.Errorf("%w: it gave no answer in the time that a request waits", errUnreachable)

// shared asks once for everybody who wants to know the same, and returns errLate at the deadline of q.
func (e *Edge) shared(q *question, flight string, ask func() (any, error)) (any, error) {
	if q.deadline.IsZero() {
		answer, err, _ := e.flights.Do(flight, ask)
		return answer, err
	}
	type answered struct {
		answer any
		err    error
	}
	done := make(chan answered, 1)
	deadline := time.NewTimer(time.Until(q.deadline))
	defer deadline.Stop()
	begun := e.spawn(func() {
		defer func() {
			if reason := recover(); reason != nil {
				e.log.Error("a question to upstream ended in a panic", "reason", reason)
				done <- answered{nil, errUnreachable}
			}
		}()
		answer, err, _ := e.flights.Do(flight, ask)
		done <- answered{answer, err}
	})
	if !begun {
		return nil, errUnreachable
	}
	select {
	case a := <-done:
		return a.answer, a.err
	case <-deadline.C:
		return nil, errLate
	}
}

// rests reports whether a record is not asked for, because asking for it failed a moment ago. Where no
// upstream gives an answer to anything that is no reason: they are asked rarely enough.
func (e *Edge) rests(a *asking, now time.Time) bool {
	return a.rests(now, e.sources.backAt.Load()) && (e.sources.followed.Load() != nil || !e.sources.failing())
}

// inVain reports whether what is held has to be served without waiting for an answer, because the newest
// questions were not answered right. Every now and then it has the question asked again in the background.
func (e *Edge) inVain(a *asking, at endpoint, flight string, ask func() (any, error)) bool {
	if e.rests(a, e.now()) {
		return true
	}
	if !e.sources.fails(at) {
		return false
	}
	if e.sources.resting(at) == nil && a.background.CompareAndSwap(false, true) {
		e.spawn(func() {
			defer a.background.Store(false)
			_, _ = e.shared(&question{}, flight, ask) // whoever asks next sees what came of it
		})
	}
	return true
}

// fetchTheme asks upstream once. Where it is out of reach the newest state known, in memory or on
// disk, is returned; errUnreachable where there is none.
func (e *Edge) fetchTheme(ctx context.Context, t *theme) (*themeState, error) {
	change, now := t.change.Load(), e.now()
	if resting := e.sources.resting(themeEndpoint); resting != nil || e.rests(&t.asking, now) {
		return e.lastTheme(t, cmp.Or(resting, errUnreachable))
	}
	held := t.state.Load()
	unknown := (held == nil || held.missing) && !e.disk.has(themeName(t.key))
	if unknown && !e.unknowns.take(now) {
		return e.lastTheme(t, errBusy)
	}
	fed, missing, how, err := e.sources.theme(ctx, t.key)
	if unknown && (err != nil || !missing) {
		e.unknowns.refund()
	}
	e.metrics.asked("theme", err)
	t.asking.settle(err, e.now())
	if err != nil {
		return e.lastTheme(t, err)
	}
	l := how.learned(change, now)
	if missing {
		s := &themeState{learned: l, missing: true}
		t.state.Store(s)
		e.cache.weigh(t)
		e.keep(e.disk.dropTheme(t.key))
		return s, nil
	}
	s := newThemeState(l, fed)
	t.state.Store(s)
	e.cache.weigh(t)
	e.keep(e.disk.putTheme(t.key, kept[record.ThemeFed]{KnownAt: l.at, Record: fed}))
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
	s := newThemeState(learned{at: onDisk.KnownAt}, onDisk.Record)
	t.state.Store(s)
	e.cache.weigh(t)
	return s, nil
}

// pairAddress names a pair.
type pairAddress struct {
	key     []byte // "{env}/{theme}/{-|variant}/{latest|number}"
	version uint32 // 0: latest
	own     bool   // the Theme's own files, no Variant's
}

// maxUnheard is how many versions may be published before an edge hears of one: an address that was
// returned by a publish is asked for at once, and upstream knows it.
const maxUnheard = 64

// unpublished answers for the Theme's own files at versions that it cannot have yet.
var unpublished = &pairState{missing: "version"}

// pairOf returns the pair of that address as q wants it, like themeOf. A version of the Theme itself
// that is far above the newest one in its record does not exist, and nobody is asked.
func (e *Edge) pairOf(t *theme, ts *themeState, a pairAddress, q *question) (*pair, *pairState, outcome, error) {
	p := e.cache.pair(a.key)
	var held *pairState
	if p != nil {
		held = p.state.Load()
	}
	if held != nil && e.pairFresh(t, ts, p, held, q) {
		return p, held, hit, nil
	}
	if held == nil && a.own && uint64(a.version) > uint64(ts.fed.LatestVersion)+maxUnheard && e.themeFresh(t, ts, q) {
		return nil, unpublished, hit, nil
	}
	if !e.admit(q) {
		return nil, nil, miss, errBusy
	}
	if p == nil {
		if (e.unknowns.full(q.now) || t.unknowns.full(q.now)) && !e.disk.has(pairName(string(a.key))) {
			return nil, nil, miss, errBusy
		}
		p = e.cache.makePair(string(a.key))
	}
	return e.askPair(t, ts, p, held, q)
}

func (e *Edge) askPair(t *theme, ts *themeState, p *pair, held *pairState, q *question) (*pair, *pairState, outcome, error) {
	ctx := e.traced(q)
	ask := func() (any, error) { return e.fetchPair(ctx, t, p, nil) }
	asked, seen := miss, held
	if held != nil {
		asked = revalidated
	}
	askOnce := func() (any, error) {
		if s := p.state.Load(); s != seen && e.pairFresh(t, ts, p, s, q) {
			return s, nil
		}
		return ask()
	}
	for range maxAsks {
		if held != nil && e.inVain(&p.asking, pairEndpoint, "pair/"+p.key, ask) {
			return p, held, stale, nil
		}
		answer, err := persist(e, q, func() (any, error) { return e.shared(q, "pair/"+p.key, askOnce) })
		if errors.Is(err, errLate) {
			p.asking.settle(err, e.now())
			last, err := e.lastPair(p, err)
			return p, last, stale, err
		}
		if err != nil {
			return p, nil, stale, err
		}
		held = answer.(*pairState)
		switch {
		case e.pairFresh(t, ts, p, held, q):
			return p, held, asked, nil
		case e.exhausted(t, held.learned, q):
			p.asking.settle(errUnreachable, e.now())
			return p, held, stale, nil
		}
	}
	return p, held, asked, nil
}

// fetchPair asks upstream once, like fetchTheme. A pair replaces what is held only when its inputs
// have been fetched too: upstream may be out of reach when they are needed. prepare, where it is not
// nil, is called before anybody sees the new pair.
func (e *Edge) fetchPair(ctx context.Context, t *theme, p *pair, prepare func(*pairState)) (*pairState, error) {
	change, now := t.change.Load(), e.now()
	if resting := e.sources.resting(pairEndpoint); resting != nil || e.rests(&p.asking, now) {
		return e.lastPair(p, cmp.Or(resting, errUnreachable))
	}
	held := p.state.Load()
	unknown := (held == nil || held.missing != "") && !e.disk.has(pairName(p.key))
	if unknown && !e.takeUnknown(t, now) {
		return e.lastPair(p, errBusy)
	}
	fed, missing, how, err := e.sources.pair(ctx, p.key)
	if err == nil && missing == "" {
		err = failed(e.fetchInputs(fed))
	}
	if unknown && (err != nil || missing == "") {
		e.unknowns.refund()
		t.unknowns.refund()
	}
	e.metrics.asked("pair", err)
	p.asking.settle(err, e.now())
	if err != nil {
		return e.lastPair(p, err)
	}
	l := how.learned(change, now)
	if missing != "" {
		s := &pairState{learned: l, missing: missing}
		p.state.Store(s)
		e.keep(e.disk.dropPair(p.key))
		return s, nil
	}
	s := newPairState(l, fed)
	if prepare != nil {
		prepare(s)
	}
	e.keepPair(p, s)
	p.state.Store(s)
	t.remember(p)
	return s, nil
}

// failed returns err, or errUnreachable for one that says that nobody was asked: of what needs several questions
// another one was answered, and it is not asked again at once.
func failed(err error) error {
	if errors.Is(err, errResting) {
		return errUnreachable
	}
	return err
}

// keepPair writes a pair to disk, where that is due.
func (e *Edge) keepPair(p *pair, s *pairState) {
	if e.due(p, s) {
		e.putPair(p, s)
	}
}

// due reports whether the new state of a pair is to be written to disk. It is not where it was written lately and says
// the same: with a lifetime of nothing every request asks. What never changes need not be written for longer while the
// disk has it, and a pair that made place in memory is compared with that: reading it costs a twentieth of writing it (11 and 209 µs).
func (e *Edge) due(p *pair, s *pairState) bool {
	held, lately := p.state.Load(), existenceLifetime
	if s.fed.Sealed && p.pinned && e.disk.has(pairName(p.key)) {
		lately = sealedKept
		if held == nil {
			held = e.keptPair(p.key)
		}
	}
	if held != nil && held.content == s.content && held.fed.Sealed == s.fed.Sealed && s.at.UnixNano()-held.keptAt < int64(lately) {
		s.keptAt = held.keptAt
		return false
	}
	s.keptAt = s.at.UnixNano()
	return true
}

// keptPair returns the state of a pair that the disk holds, or nil.
func (e *Edge) keptPair(key string) *pairState {
	onDisk, ok := e.disk.pair(key)
	if !ok {
		return nil
	}
	s := newPairState(learned{at: onDisk.KnownAt}, onDisk.Record)
	s.keptAt = onDisk.KnownAt.UnixNano()
	return s
}

func (e *Edge) putPair(p *pair, s *pairState) {
	e.keep(e.disk.putPair(p.key, kept[record.PairFed]{KnownAt: s.at, Record: s.fed.record()}))
}

func (e *Edge) lastPair(p *pair, reason error) (*pairState, error) {
	if s := p.state.Load(); s != nil {
		return s, nil
	}
	s := e.keptPair(p.key)
	if s == nil {
		return nil, reason
	}
	p.state.Store(s)
	return s, nil
}

// keep reports a failure of the disk cache, which costs no more than a restart without upstream.
func (e *Edge) keep(err error) {
	if err != nil {
		e.log.Warn("the disk cache cannot be written", "error", err)
	}
}
