package edge

import (
	"bytes"
	"context"
	"strings"
	"time"

	"example.com/livery/edge/diskcache"

	"example.com/livery/edge/upstream"

	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

// refreshAsked bounds the pairs of a question for a changed Theme. Those beyond are asked for one by one.
const refreshAsked = 16

// refreshlessFor is for how long an upstream that cannot answer such a question is not asked it: one of
// an earlier release.
const refreshlessFor = time.Minute

// refreshed is an answer to it, in parts that are taken one by one.
type refreshed struct {
	learned learned
	theme   feedproto.Theme
	pairs   map[string]feedproto.Pair // by pair.key
	blobs   map[record.Hash][]byte    // not checked yet
}

// askRefresh asks for a changed Theme and for the pairs of it that are hot, all in one question; nil
// if there is no such answer, and each must be asked for.
//
// An answer that others got a moment ago will do, if they had heard as much of the feed: the cursor
// is part of the question. It is read after the number of the change, and written before it, so that
// the answer covers the change.
func (e *Edge) askRefresh(ctx context.Context, t *theme, hot []*pair) *refreshed {
	change, now := t.change.Load(), e.now()
	since := e.heardTo.Load()
	if since == nil || e.sources.Backoff(upstream.RefreshEndpoint) != nil || now.UnixNano() < e.refreshless.Load() {
		return nil
	}
	fed, meta, supported, err := e.sources.Refresh(ctx, t.key, refreshQuestion(t.key, *since, hot[:min(len(hot), refreshAsked)]))
	e.metrics.asked("refresh", err)
	if fed != nil {
		// Asking for one of them alone may well bring something newer, so that none has an age.
		return newRefreshed(learned{change: change, at: now.Add(-meta.Age), covered: !meta.NotFollowed}, *fed)
	}
	if !supported {
		e.refreshless.Store(now.Add(refreshlessFor).UnixNano())
	}
	return nil
}

// refreshQuestion spells the question. Edges that hold the same spell it in the same way.
func refreshQuestion(key, since string, hot []*pair) string {
	addresses, has := []string{}, []string{}
	for _, p := range hot {
		addresses = append(addresses, strings.TrimPrefix(p.key, key+"/"))
		if s := p.state.Load(); s != nil && s.missing == "" {
			fed := s.inputs.Pair()
			has = append(has, string(fed.Plan))
			if fed.Overlay != "" {
				has = append(has, string(fed.Overlay))
			}
		}
	}
	return feedproto.RefreshURI(key, since, addresses, has)
}

func newRefreshed(l learned, fed feedproto.Refresh) *refreshed {
	r := &refreshed{learned: l, theme: fed.Theme, pairs: map[string]feedproto.Pair{}, blobs: map[record.Hash][]byte{}}
	key := fed.Theme.EnvironmentID + "/" + fed.Theme.ThemeID + "/"
	for _, p := range fed.Pairs {
		if upstream.ValidPair(p.Pair, key+p.Address) {
			r.pairs[key+p.Address] = p.Pair
		}
	}
	for _, b := range fed.Blobs {
		r.blobs[b.Name] = b.Bytes
	}
	return r
}

// pair returns what the answer says of a pair, as long as no other change of its Theme was heard of.
func (r *refreshed) pair(t *theme, p *pair) (fed feedproto.Pair, ok bool) {
	if r == nil || r.learned.change != t.change.Load() {
		return fed, false
	}
	fed, ok = r.pairs[p.key]
	return fed, ok
}

// takeTheme holds what the answer says of its Theme.
func (e *Edge) takeTheme(t *theme, r *refreshed) *themeState {
	t.asking.settle(nil, e.now())
	s := newThemeState(r.learned, r.theme)
	t.state.Store(s)
	e.cache.weigh(t)
	e.writeThemeLater(t)
	return s
}

// takePair holds what the answer says of a pair, like fetchPair.
func (e *Edge) takePair(t *theme, p *pair, r *refreshed, fed feedproto.Pair, prepare func(*pairState)) (*pairState, error) {
	for _, name := range []record.Hash{fed.Plan, fed.Overlay} {
		defer e.takeInput(name, r.blobs[name])()
	}
	err := failed(e.content.FetchInputs(fed))
	p.asking.settle(err, e.now())
	if err != nil {
		return e.lastPair(p, err)
	}
	s := newPairState(r.learned, fed)
	prepare(s)
	due := e.due(p, s)
	p.state.Store(s)
	t.remember(p)
	if due {
		e.writePairLater(p, s)
	}
	return s, nil
}

// takeInput holds a blob that came with a pair, if it is that of the name, until the pair is added to what
// is written to disk and the result is called.
func (e *Edge) takeInput(name record.Hash, blob []byte) (release func()) {
	if blob == nil || record.HashOf(blob) != name || e.disk.HasBlob(name) {
		return func() {}
	}
	own := bytes.Clone(blob) // one part does not hold the whole answer
	release, ok := e.postponed.Hold(name, own)
	if !ok {
		e.keep(e.disk.PutBlob(name, own))
		release = func() {}
	}
	e.content.PutInput(name, own)
	return release
}

// writeThemeLater has a Theme written to disk as it is then, unless another entry took its place in memory: that one has
// been asked for since, and was written then.
func (e *Edge) writeThemeLater(t *theme) {
	e.postponed.AddTheme(t.key, func() (diskcache.Record[feedproto.Theme], bool) {
		s := t.state.Load()
		entry, ok := e.cache.themes.GetEntryQuietly(t.key)
		return diskcache.Record[feedproto.Theme]{KnownAt: s.at, Value: s.fed}, !s.missing && (!ok || entry.Value == t)
	})
}

// writePairLater has a pair written to disk, unless it becomes another until then, which is written by itself, or ceases to
// exist.
func (e *Edge) writePairLater(p *pair, s *pairState) {
	e.postponed.AddPair(p.key, s.inputs.Pair(), func() (diskcache.Record[feedproto.Pair], bool) {
		now := p.state.Load()
		entry, ok := e.cache.pairs.GetEntryQuietly(p.key)
		if now.missing != "" || !now.inputs.Same(&s.inputs) || ok && entry.Value != p {
			return diskcache.Record[feedproto.Pair]{}, false
		}
		return diskcache.Record[feedproto.Pair]{KnownAt: now.at, Value: now.inputs.Pair()}, true
	})
}
