package relay

import (
	"context"

	"example.com/livery/edge/address"
	"example.com/livery/edge/records"
	"example.com/livery/httpd/guard"

	"example.com/livery/edge/respond"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"github.com/valyala/fasthttp"
)

// refresh answers with a Theme, with pairs of it and with what they are made from. An answer has one age, the
// highest of its parts. What is not known to be current, or of changes that the asking edge heard of elsewhere,
// is not told in this way: that edge asks for each part, and hears how old each is.
func (s *Server) refresh(ctx *fasthttp.RequestCtx, key []byte) {
	a, ok := address.ParseTheme(key)
	if !ok || len(key) != len(a.Theme) {
		s.missing(ctx, feedproto.MissingTheme, upstream.ResponseMeta{})
		return
	}
	asked, fault := feedproto.ParseRefreshQuery(ctx.QueryArgs())
	if fault != "" {
		guard.Malformed.Send(ctx)
		return
	}
	if !s.Following() || !s.Log.knows(asked.Since) {
		cutOff(ctx)
		return
	}
	refreshed, cancel := context.WithTimeout(s.Context, edgeMaxWait) // it brings in one question what would be many
	s.Records.AwaitRefresh(refreshed, key)
	cancel()
	q := s.lookup(ctx)
	defer s.Records.Release(&q)
	t, state, m, ok := s.theme(ctx, key, &q)
	if !ok {
		return
	}
	if m.NotFollowed {
		cutOff(ctx)
		return
	}
	fed := feedproto.Refresh{Theme: state.Record, Pairs: []feedproto.RefreshPair{}}
	for _, at := range asked.Pairs {
		if p, pm, ok := s.refreshedPair(t, state, at, &q); ok {
			m.Age = max(m.Age, pm.Age)
			fed.Pairs = append(fed.Pairs, feedproto.RefreshPair{Address: at, Pair: p})
		}
	}
	fed.AddBlobs(asked.Has, s.Input)
	text, err := feedproto.AppendRefresh(nil, fed)
	if err != nil {
		s.Logger.Error("the feed cannot be answered", "error", err)
		respond.Internal.Send(ctx)
		return
	}
	writeMeta(ctx, m)
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(text)
}

// refreshedPair returns a pair of a Theme, if it is there and known to be current.
func (s *Server) refreshedPair(t *records.Theme, state *records.ThemeState, at string, q *records.Lookup) (fed feedproto.Pair, m upstream.ResponseMeta, ok bool) {
	a, ok := address.ParsePair([]byte(t.Key + "/" + at))
	if !ok {
		return fed, m, false
	}
	p, held, o, err := s.Records.Pair(t, state, a.Pair, q)
	if err != nil || held.Missing != "" {
		return fed, m, false
	}
	p.Requested(q.Now)
	m = s.Records.Meta(t, held.Freshness, o, q)
	return held.Inputs.Pair(), m, !m.NotFollowed
}
