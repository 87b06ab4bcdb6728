package edge

import (
	"bytes"
	"cmp"
	"errors"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/content"
	"example.com/livery/edge/live"
	"example.com/livery/edge/records"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/respond"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

func (e *Edge) handle(ctx *fasthttp.RequestCtx) {
	x := exchanges.Get().(*exchange)
	x.begin(ctx, e.lookup(&ctx.Request.Header))
	defer e.finish(x)
	x.path, x.query = respond.Target(ctx)
	status := fasthttp.StatusOK
	if p := e.serve(x); p != nil {
		status = e.refuse(x, p)
	} else {
		status = ctx.Response.StatusCode()
	}
	bytes := len(ctx.Response.Body())
	if ctx.IsHead() {
		bytes = 0
	}
	e.metrics.answered(status, x.outcome, bytes)
}

// finish turns a panic, which is a bug of this program, into an answer.
func (e *Edge) finish(x *exchange) {
	if reason := recover(); reason != nil {
		e.log.Error("a request ended in a panic", "path", string(x.path), "reason", reason)
		x.ctx.Response.Reset()
		e.metrics.answered(respond.Internal.Send(x.ctx), x.outcome, 0)
	}
	e.records.Release(&x.Lookup)
	x.end()
	exchanges.Put(x)
}

// serve answers x, or returns why it does not. The order of the checks is part of the contract
// (decisions 7.1): who may not have a file is not told whether its version exists.
func (e *Edge) serve(x *exchange) *guard.Problem {
	if p := checkHead(x.ctx); p != nil {
		return p
	}
	method := x.ctx.Method()
	options := string(method) == fasthttp.MethodOptions
	if options && string(x.path) == "*" {
		return nil
	}
	var ok bool
	if x.address, x.asked, ok = address.ParseAny(x.path, x.query, x.room); !ok || x.asked == address.Events && e.live == nil {
		return respond.NotFound
	}
	if !options && string(method) != fasthttp.MethodGet && string(method) != fasthttp.MethodHead {
		return respond.NotAllowed
	}
	if p := e.find(x); p != nil {
		return p
	}
	if x.ThemeState.Rules.Private() {
		e.readRequest(x)
	}
	if p := x.authorize(); p != nil {
		return p
	}
	switch {
	case options:
		x.describe()
		x.response.Preflight(&x.view)
		x.response.WriteTo(&x.ctx.Response)
		return nil
	case x.asked == address.Manifest:
		return e.respondManifest(x)
	case x.PairState.Missing != "":
		return respond.NotFound
	case x.asked == address.Events:
		return e.respondEvents(x)
	}
	return e.respond(x)
}

// checkHead refuses requests that another reader of the connection might understand differently.
func checkHead(ctx *fasthttp.RequestCtx) *guard.Problem {
	h := &ctx.Request.Header
	if protocol := string(h.Protocol()); protocol != "HTTP/1.1" && protocol != "HTTP/1.0" {
		ctx.SetConnectionClose()
		return guard.WrongHTTP
	}
	if guard.Framing(h.RawHeaders()) != "" {
		ctx.SetConnectionClose()
		return guard.NotFramed
	}
	if bytes.IndexByte(h.Host(), '@') >= 0 { // fasthttp has refused what else no host has
		ctx.SetConnectionClose()
		return guard.Malformed
	}
	return nil
}

// find looks the Theme and the pair up, asking upstream if what is held will not do.
func (e *Edge) find(x *exchange) *guard.Problem {
	defer e.timed(x, &x.view.Found)
	t, s, o, err := e.records.Theme(x.address.Theme, &x.Lookup)
	x.outcome = max(x.outcome, o)
	if err != nil {
		return unanswered(err)
	}
	if s.Missing != "" {
		return respond.NotFound
	}
	x.Theme, x.ThemeState = t, s
	switch {
	case x.asked == address.Manifest && s.Record.Serving.NoManifest:
		return respond.NotFound
	case x.asked == address.Manifest:
		return nil
	case x.asked == address.File && !s.Files[x.address.File]:
		return respond.NotFound
	}
	x.Pair, x.PairState, o, err = e.records.Pair(t, s, x.address.Pair, &x.Lookup)
	x.outcome = max(x.outcome, o)
	if err != nil {
		return unanswered(err)
	}
	switch x.PairState.Missing {
	case "", feedproto.MissingVersion, feedproto.MissingModes: // said to those who may have a file
		return nil
	}
	return respond.NotFound
}

// unanswered returns the problem of a question that upstream did not answer, or was not asked.
func unanswered(err error) *guard.Problem {
	if errors.Is(err, records.ErrBusy) {
		return guard.Overloaded
	}
	return respond.UpstreamAway
}

// timed keeps how long the request took up to now, if it was no hit.
func (e *Edge) timed(x *exchange, took *time.Duration) {
	if x.outcome != records.Hit {
		*took = e.now().Sub(x.Now) - x.view.Found
	}
}

// readRequest reads what rules look at.
func (e *Edge) readRequest(x *exchange) {
	h, rules := &x.ctx.Request.Header, x.ThemeState.Rules
	x.request = policy.Request{Path: x.path, Modes: x.address.Modes, Query: x.address.Query, Now: x.Now}
	if rules.ChecksClient() {
		x.request.Client = guard.ClientAddr(httpd.AddressOf(x.ctx.RemoteAddr()), h.PeekAll("X-Forwarded-For"), e.config.TrustedProxies)
	}
	if rules.ChecksOrigin() {
		x.request.Origins = x.origins[:copy(x.origins[:], h.PeekAll("Origin"))] // the list is fasthttp's until the next PeekAll
		x.request.Referers = h.PeekAll("Referer")
		x.request.Host = h.Host()
		x.request.SecFetchSite = h.Peek("Sec-Fetch-Site")
		x.request.SecFetchDest = h.Peek("Sec-Fetch-Dest")
		x.request.SecCHUA = h.Peek("Sec-Ch-Ua")
		x.request.UserAgent = h.UserAgent()
	}
}

// respond finds the body in the coding that is wanted, and sends it.
func (e *Edge) respond(x *exchange) *guard.Problem {
	h, v := &x.ctx.Request.Header, &x.view
	enc, deltas := coding.Negotiate(h.Peek(fasthttp.HeaderAcceptEncoding))
	if x.ctx.IsGet() {
		v.Range = h.Peek(fasthttp.HeaderRange)
	}
	if len(v.Range) > 0 {
		enc, deltas = coding.Identity, false // a range is one of the bytes as they are
		v.IfRange = h.Peek(fasthttp.HeaderIfRange)
	}
	b, o, err := e.bodyOf(x.Pair, x.PairState, x.address.File, enc, &x.Lookup)
	if errors.Is(err, errInputsGone) {
		x.Lookup.Inputs = true
		if p := e.find(x); p != nil || x.PairState.Missing != "" {
			return cmp.Or(p, respond.NotFound)
		}
		b, o, err = e.bodyOf(x.Pair, x.PairState, x.address.File, enc, &x.Lookup)
	}
	if o == records.Miss && x.outcome == records.Revalidated && wanted(x.Pair, x.address.File, enc) {
		o = records.Revalidated // what was held of this file was of before
	}
	x.outcome = max(x.outcome, o)
	if o != records.Hit {
		e.timed(x, &v.Made)
	}
	switch {
	case errors.Is(err, upstream.ErrUnreachable) || errors.Is(err, records.ErrBusy) || errors.Is(err, errInputsGone):
		return unanswered(err)
	case err != nil:
		return respond.Internal
	}
	want(x.Pair, x.Now, x.address.File, enc)
	v.Body = b
	if deltas {
		v.Delta = e.deltaFor(x)
	}
	v.Digest = len(h.Peek("Want-Repr-Digest")) > 0
	v.IfMatch, v.IfNoneMatch = h.PeekAll(fasthttp.HeaderIfMatch), h.Peek(fasthttp.HeaderIfNoneMatch)
	if p := e.decide(x); p != nil {
		return p
	}
	x.response.WriteTo(&x.ctx.Response)
	return nil
}

// respondManifest sends the manifest of the Theme.
func (e *Edge) respondManifest(x *exchange) *guard.Problem {
	state, o, err := x.Theme.Manifest(e.records, x.ThemeState, &x.Lookup)
	x.outcome = max(x.outcome, o)
	switch {
	case err != nil:
		return unanswered(err)
	case state.Missing != "":
		return respond.NotFound
	}
	h, v := &x.ctx.Request.Header, &x.view
	if x.ctx.IsGet() {
		v.Range, v.IfRange = h.Peek(fasthttp.HeaderRange), h.Peek(fasthttp.HeaderIfRange)
	}
	v.IfMatch, v.IfNoneMatch = h.PeekAll(fasthttp.HeaderIfMatch), h.Peek(fasthttp.HeaderIfNoneMatch)
	v.Body, v.CacheControl = state.Body, cacheControlFor(x)
	known, _ := e.records.Known(x.Theme, state.Freshness, &x.Lookup)
	v.Age = x.Now.Sub(known)
	x.describe()
	if p := x.response.Decide(v); p != nil {
		return p
	}
	x.response.WriteTo(&x.ctx.Response)
	return nil
}

// respondEvents answers with an event stream, which says when the pair has changed.
func (e *Edge) respondEvents(x *exchange) *guard.Problem {
	r := live.Request{Client: httpd.AddressOf(x.ctx.RemoteAddr()), LastID: string(x.ctx.Request.Header.Peek("Last-Event-ID"))}
	if !x.decision.Expires.IsZero() {
		r.Expires = x.decision.Expires.Add(policy.ClockSkew)
	}
	if !e.live.HasRoom(r.Client) {
		return guard.Overloaded
	}
	x.describe()
	x.response.Stream(&x.view)
	x.response.WriteTo(&x.ctx.Response)
	x.Pair.Requested(x.Now)
	theme, pair, rules := x.Theme, x.Pair, x.ThemeState.Rules // x is used again
	httpd.SetStream(x.ctx, func(wake func()) httpd.Stream {
		topic := pair.Topic()
		s := e.live.Begin(topic, r, wake)
		if s != nil && !theme.State().Rules.Equal(rules) {
			topic.End() // they changed meanwhile
		}
		return s
	})
	return nil
}

// refuse writes a problem and returns its status.
func (e *Edge) refuse(x *exchange, p *guard.Problem) int {
	x.describe()
	if x.outcome == records.Miss && x.view.CacheStatus != nil {
		x.view.CacheStatus = notStored
	}
	return x.response.Refuse(x.ctx, &x.view, p)
}

// deltaFor returns the delta to the file of x that its client may have in the place of the ordinary body, or nil.
func (e *Edge) deltaFor(x *exchange) *content.Body {
	h := &x.ctx.Request.Header
	available := h.PeekAll("Available-Dictionary")
	if len(available) != 1 {
		return nil
	}
	hint := coding.DictionaryHint{Available: available[0], Site: h.Peek("Sec-Fetch-Site"), Mode: h.Peek("Sec-Fetch-Mode"), Origin: h.Peek("Origin")}
	file, ok := e.content.Peek(content.Key{Inputs: x.PairState.Inputs.ID, File: x.address.File})
	if !ok {
		return nil
	}
	d, from, more := e.heldDelta(x, &hint, file)
	if !more {
		return d
	}
	if d = e.content.MakeDelta(from, &x.PairState.Inputs, x.Now); d != nil {
		x.outcome = max(x.outcome, records.Recoded)
		e.timed(x, &x.view.Made)
	}
	return d
}
