package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/records"

	"example.com/livery/edge/listen"
	"example.com/livery/edge/respond"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/httpguard"
	"example.com/livery/storage/record"
	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"
)

// ServeFeed answers other edges that have this one as their upstream, on a listener of its own, until
// Shutdown, which makes it return nil. They must carry the feed's token. What is not held is asked of
// this edge's own upstream. An edge that is cut off itself says since when it has known what it
// answers, and refuses to be followed: nothing behind it takes for current what is not.
func (e *Edge) ServeFeed(l net.Listener) error {
	if err := e.feedServer.Serve(l); err != nil {
		return fmt.Errorf("edge: serve the feed: %w", err)
	}
	return nil
}

func (e *Edge) newFeedServer() *fasthttp.Server {
	f := &feedHandler{edge: e, token: feedproto.NewToken(e.config.UpstreamToken)}
	return listen.NewHTTP1(&fasthttp.Server{Handler: f.serve, WriteTimeout: feedproto.MaxWait + 30*time.Second, IdleTimeout: 2 * time.Minute})
}

// feedHandler answers the edges behind this one.
type feedHandler struct {
	edge  *Edge
	token feedproto.Token
}

func (f *feedHandler) serve(ctx *fasthttp.RequestCtx) {
	path, _ := target(ctx)
	switch {
	case httpguard.Framing(ctx.Request.Header.RawHeaders()) != "":
		ctx.SetConnectionClose()
		respond.NotFramed.Send(ctx)
	case !f.token.Authorizes(ctx.Request.Header.PeekAll(fasthttp.HeaderAuthorization)):
		ctx.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, "Bearer")
		ctx.SetStatusCode(fasthttp.StatusUnauthorized)
	case !ctx.IsGet():
		respond.NotAllowed.Send(ctx)
	case string(path) == feedproto.ChangesPath:
		f.changes(ctx)
	case string(path) == feedproto.ModulesPath:
		f.modules(ctx)
	case bytes.HasPrefix(path, []byte(feedproto.RefreshPath)):
		f.refresh(ctx, path[len(feedproto.RefreshPath):])
	case bytes.HasPrefix(path, []byte(feedproto.BlobsPath)):
		f.blob(ctx, record.Hash(path[len(feedproto.BlobsPath):]))
	default:
		f.record(ctx, path)
	}
}

// cutOff refuses what cannot be answered before upstream is back. An edge that asks finds that this
// one lives.
func cutOff(ctx *fasthttp.RequestCtx) {
	respond.UpstreamAway.Send(ctx)
	ctx.Response.Header.Set(feedproto.CoverHeader, feedproto.NotFollowed)
}

func (f *feedHandler) changes(ctx *fasthttp.RequestCtx) {
	poll, fault := feedproto.ParsePoll(ctx.QueryArgs())
	if fault != "" {
		respond.Malformed.Send(ctx)
		return
	}
	e := f.edge
	after, deadline := poll.After, time.Now().Add(poll.Wait)
	for e.sources.Followed() != nil {
		// In steps: while this edge is cut off nobody may take its silence for "nothing changed".
		step, cancel := context.WithTimeout(e.ctx, min(time.Until(deadline), upstream.PollSeconds*time.Second))
		confirmed := e.records.ConfirmedAt()
		fed := e.relay.changes(step, after, poll.Limit)
		cancel()
		after = fed.Cursor
		if fed.Reset || len(fed.Changes) > 0 || !time.Now().Before(deadline) || e.ctx.Err() != nil {
			if len(fed.Changes) == 0 && !fed.Reset {
				confirmed = e.confirmedBefore(fed.Cursor, confirmed)
			}
			f.answer(ctx, fed, upstream.ResponseMeta{Age: e.now().Sub(time.Unix(0, confirmed))})
			return
		}
	}
	cutOff(ctx)
}

// confirmedBefore returns when what is held was confirmed last, if the log still ends at a cursor:
// else the change after it may be younger than the confirmation that was read before.
func (e *Edge) confirmedBefore(cursor string, earlier int64) int64 {
	confirmed := e.records.ConfirmedAt()
	if fed, _ := e.relay.once(cursor, 1); fed.Cursor != cursor || fed.Reset {
		return earlier
	}
	return confirmed
}

func (f *feedHandler) modules(ctx *fasthttp.RequestCtx) {
	all, err := f.edge.modules()
	if err != nil {
		cutOff(ctx)
		return
	}
	f.answer(ctx, feedproto.Modules{Modules: all}, upstream.ResponseMeta{})
}

func (f *feedHandler) blob(ctx *fasthttp.RequestCtx, name record.Hash) {
	if !name.Valid() {
		f.missing(ctx, feedproto.MissingBlob, upstream.ResponseMeta{})
		return
	}
	blob, err := f.edge.content.Input(name)
	if err != nil {
		cutOff(ctx)
		return
	}
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(blob)
}

// record answers for a Theme or a pair.
func (f *feedHandler) record(ctx *fasthttp.RequestCtx, path []byte) {
	e := f.edge
	q := f.lookup(ctx)
	defer e.records.Release(&q)
	a, pair, ok := parseRecord(path)
	if !ok {
		f.missing(ctx, feedproto.MissingTheme, upstream.ResponseMeta{})
		return
	}
	t, s, m, ok := f.theme(ctx, a.Theme, &q)
	switch {
	case !ok:
		return
	case !pair:
		f.answer(ctx, s.Record, m)
		return
	}
	p, held, o2, err := e.records.Pair(t, s, a.Pair, &q)
	if p != nil {
		p.Requested(q.Now)
	}
	switch {
	case err != nil:
		cutOff(ctx)
	case held == records.Unpublished:
		f.missing(ctx, held.Missing, m)
	case held.Missing != "":
		f.missing(ctx, held.Missing, f.edge.records.Meta(t, held.Freshness, o2, &q))
	default:
		f.answer(ctx, held.Inputs.Pair(), f.edge.records.Meta(t, held.Freshness, o2, &q))
	}
}

// edgeMaxWait is how long an edge that asks waits for this one's upstreams: it may have another upstream itself.
const edgeMaxWait = time.Second

// lookup returns what another edge wants to know: nothing that is stale while it is refreshed.
func (f *feedHandler) lookup(ctx *fasthttp.RequestCtx) records.Lookup {
	l := f.edge.lookup(&ctx.Request.Header)
	l.Exact, l.MaxWait = true, min(edgeMaxWait, l.MaxWait)
	return l
}

// theme returns a Theme that is there; where ok is false it has answered.
func (f *feedHandler) theme(ctx *fasthttp.RequestCtx, key []byte, q *records.Lookup) (t *records.Theme, s *records.ThemeState, m upstream.ResponseMeta, ok bool) {
	t, s, o, err := f.edge.records.Theme(key, q)
	if err != nil || s.Missing == "" && s.SecretsAbsent {
		cutOff(ctx)
		return nil, nil, m, false
	}
	if m = f.edge.records.Meta(t, s.Freshness, o, q); s.Missing != "" {
		f.missing(ctx, feedproto.MissingTheme, m)
	}
	return t, s, m, s.Missing == ""
}

// parseRecord reads the address of a Theme's record, or of a pair's.
func parseRecord(path []byte) (a address.Address, pair, ok bool) {
	if rest, found := bytes.CutPrefix(path, []byte(feedproto.ThemesPath)); found {
		a, ok = address.ParseTheme(rest)
		return a, false, ok && len(rest) == len(a.Theme)
	}
	rest, found := bytes.CutPrefix(path, []byte(feedproto.PairsPath))
	if !found {
		return a, false, false
	}
	a, ok = address.ParsePair(rest)
	return a, true, ok
}

// missing says which part of an address does not exist.
func (f *feedHandler) missing(ctx *fasthttp.RequestCtx, part string, m upstream.ResponseMeta) {
	f.answer(ctx, feedproto.NotFound{Missing: part}, m)
	if ctx.Response.StatusCode() == http.StatusOK {
		ctx.SetStatusCode(http.StatusNotFound)
	}
}

func (f *feedHandler) answer(ctx *fasthttp.RequestCtx, v any, m upstream.ResponseMeta) {
	text, err := json.Marshal(v)
	if err != nil {
		f.edge.log.Error("the feed cannot be answered", "error", errors.Unwrap(err))
		respond.Internal.Send(ctx)
		return
	}
	writeMeta(ctx, m)
	ctx.Response.Header.SetContentTypeBytes(respond.JSONType)
	ctx.Response.SetBody(text)
}

// writeMeta says with an answer how it came about.
func writeMeta(ctx *fasthttp.RequestCtx, m upstream.ResponseMeta) {
	ctx.Response.Header.Set(feedproto.AgeHeader, feedproto.FormatAge(m.Age))
	if m.NotFollowed {
		ctx.Response.Header.Set(feedproto.CoverHeader, feedproto.NotFollowed)
	}
}

// modules lists the renderer modules that upstream has, or had when it was last asked.
func (e *Edge) modules() ([]record.Module, error) {
	fed, err := e.sources.Modules(e.ctx)
	if err != nil {
		held, ok := e.disk.Modules()
		if !ok {
			return nil, err
		}
		return held, nil
	}
	e.logDiskError(e.disk.PutModules(fed.Modules))
	return fed.Modules, nil
}
