package edge

import (
	"bytes"
	"context"
	"strings"
	"time"

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
			fed := s.fed.record()
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
	e.postponed.addTheme(t)
	return s
}

// takePair holds what the answer says of a pair, like fetchPair.
func (e *Edge) takePair(t *theme, p *pair, r *refreshed, fed feedproto.Pair, prepare func(*pairState)) (*pairState, error) {
	for _, name := range []record.Hash{fed.Plan, fed.Overlay} {
		defer e.takeInput(name, r.blobs[name])()
	}
	err := failed(e.fetchInputs(fed))
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
		e.postponed.addPair(p, s)
	}
	return s, nil
}

// takeInput holds a blob that came with a pair, if it is that of the name, until the pair is added to what
// is written to disk and the result is called.
func (e *Edge) takeInput(name record.Hash, blob []byte) (release func()) {
	if blob == nil || record.HashOf(blob) != name || e.disk.has(blobName(name)) {
		return func() {}
	}
	own := bytes.Clone(blob) // one part does not hold the whole answer
	release, ok := e.postponed.use(name, own)
	if !ok {
		e.keep(e.disk.putBlob(name, own))
		release = func() {}
	}
	e.cache.inputs.Set(name, own)
	return release
}
