package edge

import (
	"cmp"
	"context"
	"errors"

	"example.com/livery/edge/address"

	"example.com/livery/edge/diskcache"

	"example.com/livery/edge/upstream"

	"example.com/livery/feedproto"
)

// maxUnheard is how many versions may be published before an edge hears of one: an address that was
// returned by a publish is asked for at once, and upstream knows it.
const maxUnheard = 64

// unpublished answers for the Theme's own files at versions that it cannot have yet.
var unpublished = &pairState{missing: feedproto.MissingVersion}

// pairOf returns the pair of that address as q wants it, like themeOf. A version of the Theme itself
// that is far above the newest one in its record does not exist, and nobody is asked.
func (e *Edge) pairOf(t *theme, ts *themeState, a address.Pair, q *question) (*pair, *pairState, outcome, error) {
	p := e.cache.pair(a.Key)
	var held *pairState
	if p != nil {
		held = p.state.Load()
	}
	if held != nil && e.pairFresh(t, ts, p, held, q) {
		return p, held, hit, nil
	}
	if held == nil && a.Own && uint64(a.Version) > uint64(ts.fed.LatestVersion)+maxUnheard && e.themeFresh(t, ts, q) {
		return nil, unpublished, hit, nil
	}
	if !e.admit(q) {
		return nil, nil, miss, errBusy
	}
	if p == nil {
		if (e.unknowns.Full(q.now) || t.unknowns.Full(q.now)) && !e.disk.HasPair(string(a.Key)) {
			return nil, nil, miss, errBusy
		}
		p = e.cache.makePair(string(a.Key))
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
	asks := *q // the question may outlive the request, whose q is used again
	askOnce := func() (any, error) {
		if s := p.state.Load(); s != seen && e.pairFresh(t, ts, p, s, &asks) {
			return s, nil
		}
		return ask()
	}
	for range maxAsks {
		if held != nil && e.inVain(&p.asking, upstream.PairEndpoint, "pair/"+p.key, ask) {
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
			p.asking.settle(upstream.ErrUnreachable, e.now())
			return p, held, stale, nil
		}
	}
	return p, held, asked, nil
}

// fetchPair asks upstream once, like fetchTheme. A pair replaces what is held only when its inputs
// have been fetched too: upstream may be out of reach when they are needed. prepare, if it is not
// nil, is called before anybody sees the new pair.
func (e *Edge) fetchPair(ctx context.Context, t *theme, p *pair, prepare func(*pairState)) (*pairState, error) {
	change, now := t.change.Load(), e.now()
	if resting := e.sources.Backoff(upstream.PairEndpoint); resting != nil || e.rests(&p.asking, now) {
		return e.lastPair(p, cmp.Or(resting, upstream.ErrUnreachable))
	}
	held := p.state.Load()
	unknown := (held == nil || held.missing != "") && !e.disk.HasPair(p.key)
	if unknown && !e.takeUnknown(t, now) {
		return e.lastPair(p, errBusy)
	}
	fed, missing, how, err := e.sources.Pair(ctx, p.key)
	if err == nil && missing == "" {
		err = failed(e.content.FetchInputs(fed))
	}
	if unknown && (err != nil || missing == "") {
		e.unknowns.Refund()
		t.unknowns.Refund()
	}
	e.metrics.asked("pair", err)
	p.asking.settle(err, e.now())
	if err != nil {
		return e.lastPair(p, err)
	}
	l := learnedFrom(how, change, now)
	if missing != "" {
		s := &pairState{learned: l, missing: missing}
		p.state.Store(s)
		e.keep(e.disk.DropPair(p.key))
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
	if errors.Is(err, upstream.ErrBackoff) {
		return upstream.ErrUnreachable
	}
	return err
}

// keepPair writes a pair to disk, if that is due.
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
	if s.inputs.Sealed && p.pinned && e.disk.HasPair(p.key) {
		lately = sealedKept
		if held == nil {
			held = e.keptPair(p.key)
		}
	}
	if held != nil && held.inputs.Same(&s.inputs) && s.at.UnixNano()-held.keptAt < int64(lately) {
		s.keptAt = held.keptAt
		return false
	}
	s.keptAt = s.at.UnixNano()
	return true
}

// keptPair returns the state of a pair that the disk holds, or nil.
func (e *Edge) keptPair(key string) *pairState {
	onDisk, ok := e.disk.Pair(key)
	if !ok {
		return nil
	}
	s := newPairState(learned{at: onDisk.KnownAt}, onDisk.Value)
	s.keptAt = onDisk.KnownAt.UnixNano()
	return s
}

func (e *Edge) putPair(p *pair, s *pairState) {
	e.keep(e.disk.PutPair(p.key, diskcache.Record[feedproto.Pair]{KnownAt: s.at, Value: s.inputs.Pair()}))
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
