package edge

import (
	"strconv"
	"time"

	"example.com/livery/storage/record"
	"github.com/valyala/fasthttp"
)

// The bounds of a question for a changed Theme and of its answer, as an origin has them.
const (
	mostRefreshPairs = 64
	mostRefreshHas   = 128
	mostRefreshBlobs = 1 << 20 // bytes; other blobs are asked for
)

// refreshing is a question for a changed Theme of an edge behind this one.
type refreshing struct {
	since string // the cursor up to which that edge has heard; empty: it says nothing
	pairs []string
	has   map[record.Hash]bool
}

// readRefreshing reads "since", and any number of "pair" and "has".
func readRefreshing(query *fasthttp.Args) (r refreshing, ok bool) {
	r = refreshing{since: string(query.Peek("since")), has: map[record.Hash]bool{}}
	for _, pair := range query.PeekMulti("pair") {
		r.pairs = append(r.pairs, string(pair))
	}
	for _, name := range query.PeekMulti("has") {
		r.has[record.Hash(name)] = true
	}
	return r, len(r.pairs) <= mostRefreshPairs && len(r.has) <= mostRefreshHas
}

// refresh answers with a Theme, with pairs of it and with what they are made from. An answer has one age, the
// highest of its parts. What is not known to be current, or of changes that the asking edge heard of elsewhere,
// is not told in this way: that edge asks for each part, and hears how old each is.
func (f *feedHandler) refresh(ctx *fasthttp.RequestCtx, key []byte) {
	e := f.edge
	a, ok := parseTheme(key)
	if !ok || len(key) != len(a.theme) {
		f.missing(ctx, "theme", manner{})
		return
	}
	asked, ok := readRefreshing(ctx.QueryArgs())
	if !ok {
		malformed.send(ctx)
		return
	}
	if e.sources.followed.Load() == nil || !e.relay.knows(asked.since) {
		cutOff(ctx)
		return
	}
	e.awaitReady(e.cache.theme(key))
	q := e.asking(&ctx.Request.Header)
	q.exact, q.patience = true, edgePatience
	defer e.leave(&q)
	t, s, o, err := e.themeOf(key, &q)
	if err != nil || !s.missing && s.secretsAbsent {
		cutOff(ctx)
		return
	}
	m := e.mannerOf(t, s.learned, o, &q)
	switch {
	case s.missing:
		f.missing(ctx, "theme", m)
		return
	case m.aside:
		cutOff(ctx)
		return
	}
	fed := record.RefreshFed{Theme: s.fed, Pairs: []record.RefreshedPair{}, Blobs: []record.RefreshedBlob{}}
	for _, at := range asked.pairs {
		if p, pm, ok := f.refreshedPair(t, s, at, &q); ok {
			m.age = max(m.age, pm.age)
			fed.Pairs = append(fed.Pairs, record.RefreshedPair{Address: at, Pair: p})
		}
	}
	fed.Blobs = f.refreshedBlobs(fed.Pairs, asked.has)
	text, err := record.AppendRefresh(nil, fed)
	if err != nil {
		e.log.Error("a changed Theme cannot be told", "error", err)
		internal.send(ctx)
		return
	}
	ctx.Response.Header.Set(ageHeader, strconv.FormatInt(max(0, (m.age+time.Millisecond-1).Milliseconds()), 10))
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(text)
}

// refreshedPair returns a pair of a Theme, where it is there and known to be current.
func (f *feedHandler) refreshedPair(t *theme, s *themeState, at string, q *question) (fed record.PairFed, m manner, ok bool) {
	a, ok := parsePair([]byte(t.key + "/" + at))
	if !ok {
		return fed, m, false
	}
	p, held, o, err := f.edge.pairOf(t, s, a.pairAddress, q)
	if err != nil || held.missing != "" {
		return fed, m, false
	}
	p.asked(q.now)
	m = f.edge.mannerOf(t, held.learned, o, q)
	return held.fed.record(), m, !m.aside
}

// refreshedBlobs returns the plans and overlays of pairs that the edge does not have, as far as they fit.
func (f *feedHandler) refreshedBlobs(pairs []record.RefreshedPair, has map[record.Hash]bool) []record.RefreshedBlob {
	all, room := []record.RefreshedBlob{}, mostRefreshBlobs
	for _, p := range pairs {
		for _, name := range []record.Hash{p.Pair.Plan, p.Pair.Overlay} {
			if name == "" || has[name] {
				continue
			}
			has[name] = true
			if blob, err := f.edge.input(name); err == nil && len(blob) <= room {
				room -= len(blob)
				all = append(all, record.RefreshedBlob{Name: name, Bytes: blob})
			}
		}
	}
	return all
}

// awaitReady returns once a changed Theme is ready, which brings what is hot of it in one question: asked
// for meanwhile, each part would be one. It waits no longer than an edge that asks may have to.
func (e *Edge) awaitReady(t *theme) {
	if t == nil {
		return
	}
	ready := t.readiness()
	if ready == nil {
		return
	}
	patience := time.NewTimer(edgePatience)
	defer patience.Stop()
	select {
	case <-ready:
	case <-patience.C:
	case <-e.ctx.Done():
	}
}
