package edge

import (
	"context"

	"example.com/livery/edge/address"
	"example.com/livery/edge/records"

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
	refreshed, cancel := context.WithTimeout(e.ctx, edgeMaxWait) // it brings in one question what would be many
	e.records.AwaitRefresh(refreshed, key)
	cancel()
	q := f.lookup(ctx)
	defer e.records.Release(&q)
	t, s, m, ok := f.theme(ctx, key, &q)
	if !ok {
		return
	}
	if m.NotFollowed {
		cutOff(ctx)
		return
	}
	fed := feedproto.Refresh{Theme: s.Record, Pairs: []feedproto.RefreshPair{}}
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
func (f *feedHandler) refreshedPair(t *records.Theme, s *records.ThemeState, at string, q *records.Lookup) (fed feedproto.Pair, m upstream.ResponseMeta, ok bool) {
	a, ok := address.ParsePair([]byte(t.Key + "/" + at))
	if !ok {
		return fed, m, false
	}
	p, held, o, err := f.edge.records.Pair(t, s, a.Pair, q)
	if err != nil || held.Missing != "" {
		return fed, m, false
	}
	p.Requested(q.Now)
	m = f.edge.records.Meta(t, held.Freshness, o, q)
	return held.Inputs.Pair(), m, !m.NotFollowed
}
