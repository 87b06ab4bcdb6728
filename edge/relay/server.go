// Package relay is the feed of an edge, for edges that have this one as their upstream. What is not held is asked of this
// edge's own upstream. An edge that is cut off itself says since when it has known what it answers, and refuses to be
// followed: nothing behind it takes for current what is not.
package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/records"
	"example.com/livery/edge/respond"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
	"example.com/livery/storage/record"
	"github.com/valyala/fasthttp"
)

// Config configures a Server. All members but Token must be set.
type Config struct {
	Context   context.Context // ends polls
	MaxConns  int             // of edges
	Idle      time.Duration   // between two requests of a connection
	Token     string          // that edges carry
	MaxWait   time.Duration   // how long a request waits for upstreams
	Now       func() time.Time
	Logger    *slog.Logger
	Log       *Log
	Records   *records.Store
	Modules   func() ([]record.Module, error)        // renderer modules that upstream has
	Input     func(name record.Hash) ([]byte, error) // a plan, an overlay or a module
	Following func() bool                            // a feed is followed
}

// Server answers the edges behind this one.
type Server struct {
	Config
	token feedproto.Token
}

// New returns a server of the feed.
func New(c Config) *httpd.Server {
	s := &Server{c, feedproto.NewToken(c.Token)}
	return httpd.New(httpd.Config{
		Handler: s, MaxConns: c.MaxConns, ConnsPerClient: -1, StreamsPerClient: -1,
		WriteTimeout: feedproto.MaxWait + 30*time.Second, IdleTimeout: c.Idle, Logger: c.Logger,
	})
}

// Ready implements httpd.Handler: no answer stands ready.
func (s *Server) Ready(*httpd.Request) (httpd.Answer, bool) { return httpd.Answer{}, false }

// Serve implements httpd.Handler.
func (s *Server) Serve(ctx *fasthttp.RequestCtx) {
	path, _ := respond.Target(ctx)
	if !s.Following() {
		ctx.Response.Header.Set(feedproto.CoverHeader, feedproto.NotFollowed)
	}
	switch {
	case guard.Framing(ctx.Request.Header.RawHeaders()) != "":
		ctx.SetConnectionClose()
		guard.NotFramed.Send(ctx)
	case !s.token.Authorizes(ctx.Request.Header.PeekAll(fasthttp.HeaderAuthorization)):
		ctx.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, "Bearer")
		ctx.SetStatusCode(fasthttp.StatusUnauthorized)
	case !ctx.IsGet():
		respond.NotAllowed.Send(ctx)
	case string(path) == feedproto.ChangesPath:
		s.changes(ctx)
	case string(path) == feedproto.ModulesPath:
		s.modules(ctx)
	case bytes.HasPrefix(path, []byte(feedproto.RefreshPath)):
		s.refresh(ctx, path[len(feedproto.RefreshPath):])
	case bytes.HasPrefix(path, []byte(feedproto.BlobsPath)):
		s.blob(ctx, record.Hash(path[len(feedproto.BlobsPath):]))
	case bytes.HasPrefix(path, []byte(feedproto.ManifestsPath)):
		s.manifest(ctx, path[len(feedproto.ManifestsPath):])
	default:
		s.record(ctx, path)
	}
}

// cutOff refuses what cannot be answered before upstream is back. An edge that asks finds that this
// one lives.
func cutOff(ctx *fasthttp.RequestCtx) {
	respond.UpstreamAway.Send(ctx)
	ctx.Response.Header.Set(feedproto.CoverHeader, feedproto.NotFollowed)
}

func (s *Server) changes(ctx *fasthttp.RequestCtx) {
	poll, fault := feedproto.ParsePoll(ctx.QueryArgs())
	if fault != "" {
		guard.Malformed.Send(ctx)
		return
	}
	after, deadline := poll.After, time.Now().Add(poll.Wait)
	for s.Following() {
		// In steps: while this edge is cut off an edge must not take its silence for "nothing changed".
		step, cancel := context.WithTimeout(s.Context, min(time.Until(deadline), upstream.PollSeconds*time.Second))
		confirmed := s.Records.ConfirmedAt()
		fed := s.Log.changes(step, after, poll.Limit)
		cancel()
		after = fed.Cursor
		if fed.Reset || len(fed.Changes) > 0 || !time.Now().Before(deadline) || s.Context.Err() != nil {
			if len(fed.Changes) == 0 && !fed.Reset {
				confirmed = s.confirmedBefore(fed.Cursor, confirmed)
			}
			s.answer(ctx, fed, upstream.ResponseMeta{Age: s.Now().Sub(time.Unix(0, confirmed))})
			return
		}
	}
	cutOff(ctx)
}

// confirmedBefore returns when what is held was confirmed last, if the log still ends at a cursor:
// else the change after it may be younger than the confirmation that was read before.
func (s *Server) confirmedBefore(cursor string, earlier int64) int64 {
	confirmed := s.Records.ConfirmedAt()
	if fed, _ := s.Log.read(cursor, 1); fed.Cursor != cursor || fed.Reset {
		return earlier
	}
	return confirmed
}

func (s *Server) modules(ctx *fasthttp.RequestCtx) {
	all, err := s.Modules()
	if err != nil {
		cutOff(ctx)
		return
	}
	s.answer(ctx, feedproto.Modules{Modules: all}, upstream.ResponseMeta{})
}

func (s *Server) blob(ctx *fasthttp.RequestCtx, name record.Hash) {
	if !name.Valid() {
		s.missing(ctx, feedproto.MissingBlob, upstream.ResponseMeta{})
		return
	}
	blob, err := s.Input(name)
	if err != nil {
		cutOff(ctx)
		return
	}
	ctx.SetContentType("application/octet-stream")
	ctx.Response.SetBodyRaw(blob)
}

// record answers for a Theme or a pair.
func (s *Server) record(ctx *fasthttp.RequestCtx, path []byte) {
	q := s.lookup(ctx)
	defer s.Records.Release(&q)
	a, pair, ok := parseRecord(path)
	if !ok {
		s.missing(ctx, feedproto.MissingTheme, upstream.ResponseMeta{})
		return
	}
	t, state, m, ok := s.theme(ctx, a.Theme, &q)
	switch {
	case !ok:
		return
	case !pair:
		s.answer(ctx, state.Record, m)
		return
	}
	p, held, o2, err := s.Records.Pair(t, state, a.Pair, &q)
	if p != nil {
		p.Requested(q.Now)
	}
	switch {
	case err != nil:
		cutOff(ctx)
	case held == records.Unpublished:
		s.missing(ctx, held.Missing, m)
	case held.Missing != "":
		s.missing(ctx, held.Missing, s.Records.Meta(t, held.Freshness, o2, &q))
	default:
		fed := feedproto.PairInputs{Pair: held.Inputs.Pair()}
		fed.Add(string(ctx.QueryArgs().Peek(feedproto.InputsParameter)), s.Input)
		s.answer(ctx, fed, s.Records.Meta(t, held.Freshness, o2, &q))
	}
}

// manifest answers for the manifest of a Theme.
func (s *Server) manifest(ctx *fasthttp.RequestCtx, key []byte) {
	q := s.lookup(ctx)
	defer s.Records.Release(&q)
	a, ok := address.ParseTheme(key)
	if !ok || len(a.Theme) != len(key) {
		s.missing(ctx, feedproto.MissingTheme, upstream.ResponseMeta{})
		return
	}
	t, state, _, ok := s.theme(ctx, a.Theme, &q)
	if !ok {
		return
	}
	held, o, err := t.Manifest(s.Records, state, &q)
	if err != nil {
		cutOff(ctx)
		return
	}
	m := s.Records.Meta(t, held.Freshness, o, &q)
	if held.Missing != "" {
		s.missing(ctx, held.Missing, m)
		return
	}
	s.answer(ctx, held.Fed(t.Key), m)
}

// edgeMaxWait is how long an edge that asks waits for this one's upstreams: it may have another upstream itself.
const edgeMaxWait = time.Second

// lookup returns what another edge wants to know: nothing that is stale while it is refreshed, and with what it is made
// from.
func (s *Server) lookup(ctx *fasthttp.RequestCtx) records.Lookup {
	return records.Lookup{Now: s.Now(), Header: &ctx.Request.Header, Inputs: true, Exact: true, MaxWait: min(edgeMaxWait, s.MaxWait)}
}

// theme returns a Theme that exists; if ok is false it has answered.
func (s *Server) theme(ctx *fasthttp.RequestCtx, key []byte, q *records.Lookup) (t *records.Theme, state *records.ThemeState, m upstream.ResponseMeta, ok bool) {
	t, state, o, err := s.Records.Theme(key, q)
	if err != nil || state.Missing == "" && state.SecretsAbsent {
		cutOff(ctx)
		return nil, nil, m, false
	}
	if m = s.Records.Meta(t, state.Freshness, o, q); state.Missing != "" {
		s.missing(ctx, feedproto.MissingTheme, m)
	}
	return t, state, m, state.Missing == ""
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
func (s *Server) missing(ctx *fasthttp.RequestCtx, part string, m upstream.ResponseMeta) {
	s.answer(ctx, feedproto.NotFound{Missing: part}, m)
	if ctx.Response.StatusCode() == http.StatusOK {
		ctx.SetStatusCode(http.StatusNotFound)
	}
}

func (s *Server) answer(ctx *fasthttp.RequestCtx, v any, m upstream.ResponseMeta) {
	text, err := json.Marshal(v)
	if err != nil {
		s.Logger.Error("the feed cannot be answered", "error", errors.Unwrap(err))
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
