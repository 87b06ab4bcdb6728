package edge

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/livery/edge/diskcache"

	"example.com/livery/edge/upstream"

	"example.com/livery/feedproto"
)

// How long a record is served without a word from upstream, if nothing shorter applies. While
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
	case s.inputs.Sealed && p.pinned:
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
// of reach. The errors are errUnreachable, if nothing is known of it, and errBusy.
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
		if e.unknowns.Full(q.now) && !e.disk.HasTheme(string(key)) {
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
	asks := *q                       // the question may outlive the request, whose q is used again
	askOnce := func() (any, error) { // the question before may have ended since seen was seen
		if s := t.state.Load(); s != seen && e.themeFresh(t, s, &asks) {
			return s, nil
		}
		return ask()
	}
	for range maxAsks {
		if held != nil && e.inVain(&t.asking, upstream.ThemeEndpoint, "theme/"+t.key, ask) {
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
			t.asking.settle(upstream.ErrUnreachable, e.now())
			return t, held, stale, nil
		}
	}
	return t, held, asked, nil
}

// fetchTheme asks upstream once. Where it is out of reach the newest state known, in memory or on
// disk, is returned; errUnreachable if there is none.
func (e *Edge) fetchTheme(ctx context.Context, t *theme) (*themeState, error) {
	change, now := t.change.Load(), e.now()
	if resting := e.sources.Backoff(upstream.ThemeEndpoint); resting != nil || e.rests(&t.asking, now) {
		return e.lastTheme(t, cmp.Or(resting, upstream.ErrUnreachable))
	}
	held := t.state.Load()
	unknown := (held == nil || held.missing) && !e.disk.HasTheme(t.key)
	if unknown && !e.unknowns.Take(now) {
		return e.lastTheme(t, errBusy)
	}
	fed, missing, how, err := e.sources.Theme(ctx, t.key)
	if unknown && (err != nil || !missing) {
		e.unknowns.Refund()
	}
	e.metrics.asked("theme", err)
	t.asking.settle(err, e.now())
	if err != nil {
		return e.lastTheme(t, err)
	}
	l := learnedFrom(how, change, now)
	if missing {
		s := &themeState{learned: l, missing: true}
		t.state.Store(s)
		e.cache.weigh(t)
		e.keep(e.disk.DropTheme(t.key))
		return s, nil
	}
	s := newThemeState(l, fed)
	t.state.Store(s)
	e.cache.weigh(t)
	e.keep(e.disk.PutTheme(t.key, diskcache.Record[feedproto.Theme]{KnownAt: l.at, Value: fed}))
	return s, nil
}

func (e *Edge) lastTheme(t *theme, reason error) (*themeState, error) {
	if s := t.state.Load(); s != nil {
		return s, nil
	}
	onDisk, ok := e.disk.Theme(t.key)
	if !ok {
		return nil, reason
	}
	s := newThemeState(learned{at: onDisk.KnownAt}, onDisk.Value)
	t.state.Store(s)
	e.cache.weigh(t)
	return s, nil
}

// keep reports a failure of the disk cache, which costs no more than a restart without upstream.
func (e *Edge) keep(err error) {
	if err != nil {
		e.log.Warn("the disk cache cannot be written", "error", err)
	}
}
