package edge

import (
	"time"

	"example.com/livery/edge/address"

	"example.com/livery/edge/respond"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"github.com/valyala/fasthttp"
)

// refresh answers with a Theme, with pairs of it and with what they are made from. An answer has one age, the
// highest of its parts. What is not known to be current, or of changes that the asking edge heard of elsewhere,
// is not told in this way: that edge asks for each part, and hears how old each is.
func (f *feedHandler) refresh(ctx *fasthttp.RequestCtx, key []byte) {
	e := f.edge
	a, ok := address.ParseTheme(key)
	if !ok || len(key) != len(a.Theme) {
		f.missing(ctx, feedproto.MissingTheme, upstream.ResponseMeta{})
		return
	}
	asked, fault := feedproto.ParseRefreshQuery(ctx.QueryArgs())
	if fault != "" {
		respond.Malformed.Send(ctx)
		return
	}
	if e.sources.Followed() == nil || !e.relay.knows(asked.Since) {
		cutOff(ctx)
		return
	}
	e.awaitReady(e.cache.theme(key))
	q := e.asking(&ctx.Request.Header)
	q.exact, q.patience = true, min(edgePatience, q.patience)
	defer e.leave(&q)
	t, s, m, ok := f.theme(ctx, key, &q)
	if !ok {
		return
	}
	if m.NotFollowed {
		cutOff(ctx)
		return
	}
	fed := feedproto.Refresh{Theme: s.fed, Pairs: []feedproto.RefreshPair{}}
	for _, at := range asked.Pairs {
		if p, pm, ok := f.refreshedPair(t, s, at, &q); ok {
			m.Age = max(m.Age, pm.Age)
			fed.Pairs = append(fed.Pairs, feedproto.RefreshPair{Address: at, Pair: p})
		}
	}
	fed.AddBlobs(asked.Has, e.content.Input)
	text, err := feedproto.AppendRefresh(nil, fed)
	if err != nil {
		e.log.Error("a changed Theme cannot be told", "error", err)
		respond.Internal.Send(ctx)
		return
	}
	writeMeta(ctx, m)
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(text)
}

// refreshedPair returns a pair of a Theme, if it is there and known to be current.
func (f *feedHandler) refreshedPair(t *theme, s *themeState, at string, q *question) (fed feedproto.Pair, m upstream.ResponseMeta, ok bool) {
	a, ok := address.ParsePair([]byte(t.key + "/" + at))
	if !ok {
		return fed, m, false
	}
	p, held, o, err := f.edge.pairOf(t, s, a.Pair, q)
	if err != nil || held.missing != "" {
		return fed, m, false
	}
	p.asked(q.now)
	m = f.edge.mannerOf(t, held.learned, o, q)
	return held.inputs.Pair(), m, !m.NotFollowed
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
