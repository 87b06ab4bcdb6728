package edge

import (
	"errors"
	"sync"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/loop"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/respond"
	"example.com/livery/edge/upstream"
	"example.com/livery/httpguard"
	"github.com/valyala/fasthttp"
)

// exchange is one request on its way through the checks, on either path. It is reused; its slices are the server's
// for as long as the request takes.
type exchange struct {
	records.Lookup
	records.Held                      // Theme: nil until it is known
	ctx          *fasthttp.RequestCtx // nil: the event loop has the request
	address      address.Address
	path         []byte
	query        []byte
	decision     policy.Decision
	request      policy.Request
	origins      [2][]byte    // of request; more than one are as wrong as two
	lines        [3][1][]byte // of request, on the event loop
	outcome      records.Outcome
	view         respond.View
	response     *respond.Response
}

var exchanges = sync.Pool{New: func() any { return &exchange{response: new(respond.Response)} }}

// begin readies x for a request.
func (x *exchange) begin(ctx *fasthttp.RequestCtx, q records.Lookup) {
	response := x.response
	*x = exchange{}
	x.ctx, x.Lookup, x.response = ctx, q, response
}

// end lets go of what was sent.
func (x *exchange) end() {
	x.view.Body, x.view.Delta = nil, nil
	x.response.Reset()
}

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
func (e *Edge) serve(x *exchange) *respond.Problem {
	if p := checkHead(x.ctx); p != nil {
		return p
	}
	method := x.ctx.Method()
	options := string(method) == fasthttp.MethodOptions
	if options && string(x.path) == "*" {
		return nil
	}
	var ok bool
	if x.address, ok = address.Parse(x.path); !ok {
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
	case x.PairState.Missing != "":
		return respond.NotFound
	}
	return e.respond(x)
}

// checkHead refuses requests that another reader of the connection might understand differently.
func checkHead(ctx *fasthttp.RequestCtx) *respond.Problem {
	h := &ctx.Request.Header
	if protocol := string(h.Protocol()); protocol != "HTTP/1.1" && protocol != "HTTP/1.0" {
		ctx.SetConnectionClose()
		return respond.WrongHTTP
	}
	if httpguard.Framing(h.RawHeaders()) != "" {
		ctx.SetConnectionClose()
		return respond.NotFramed
	}
	return nil
}

// find looks the Theme and the pair up, asking upstream if what is held will not do.
func (e *Edge) find(x *exchange) *respond.Problem {
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
	if !s.Files[x.address.File] {
		return respond.NotFound
	}
	x.Pair, x.PairState, o, err = e.records.Pair(t, s, x.address.Pair, &x.Lookup)
	x.outcome = max(x.outcome, o)
	if err != nil {
		return unanswered(err)
	}
	if missing := x.PairState.Missing; missing != "" && missing != "version" {
		return respond.NotFound
	}
	return nil
}

// unanswered returns the problem of a question that upstream did not answer, or was not asked.
func unanswered(err error) *respond.Problem {
	if errors.Is(err, records.ErrBusy) {
		return respond.Overloaded
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
	x.request = policy.Request{Path: x.path, Query: x.query, Now: x.Now}
	if rules.ChecksClient() {
		x.request.Client = policy.ClientAddr(loop.AddressOf(x.ctx.RemoteAddr()), h.PeekAll("X-Forwarded-For"), e.config.TrustedProxies)
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

// authorize applies the Theme's serving rules to x.request, which matters to a Theme that has any.
func (x *exchange) authorize() *respond.Problem {
	x.decision.Allowed = true
	if x.ThemeState.Rules.Private() {
		x.decision = x.ThemeState.Rules.Decide(&x.request)
	}
	switch {
	case x.decision.Allowed:
		return nil
	case x.decision.Reason == "signature" && x.ThemeState.SecretsAbsent:
		return respond.UpstreamAway // the disk keeps no secrets: nothing can be verified before upstream is back
	}
	return respond.Forbidden
}

// respond finds the body in the coding that is wanted, and sends it.
func (e *Edge) respond(x *exchange) *respond.Problem {
	h, v := &x.ctx.Request.Header, &x.view
	enc, deltas := coding.Negotiate(h.Peek(fasthttp.HeaderAcceptEncoding))
	if x.ctx.IsGet() {
		v.Range = h.Peek(fasthttp.HeaderRange)
	}
	if len(v.Range) > 0 {
		enc, deltas = coding.Identity, false // a range is one of the bytes as they are
		v.IfRange = h.Peek(fasthttp.HeaderIfRange)
	}
	b, o, err := e.bodyOf(x.PairState, x.address.File, enc, &x.Lookup)
	if o == records.Miss && x.outcome == records.Revalidated && wanted(x.Pair, x.address.File, enc) {
		o = records.Revalidated // what was held of this file was of before
	}
	x.outcome = max(x.outcome, o)
	if o != records.Hit {
		e.timed(x, &v.Made)
	}
	switch {
	case errors.Is(err, upstream.ErrUnreachable) || errors.Is(err, records.ErrBusy):
		return unanswered(err)
	case err != nil:
		return respond.Internal
	}
	want(x.Pair, x.Now, x.address.File, enc)
	v.Body = b
	if deltas {
		v.Delta = e.deltaFor(x)
	}
	v.IfMatch, v.IfNoneMatch = h.PeekAll(fasthttp.HeaderIfMatch), h.Peek(fasthttp.HeaderIfNoneMatch)
	if p := e.decide(x); p != nil {
		return p
	}
	x.response.WriteTo(&x.ctx.Response)
	return nil
}

// decide makes the response to a request that may have what is stored: the one decision of both paths.
func (e *Edge) decide(x *exchange) *respond.Problem {
	x.describe()
	v := &x.view
	v.File, v.CacheControl = x.address.File, cacheControlFor(x)
	if !v.CacheControl.Immutable {
		at, _ := e.records.Known(x.Theme, x.PairState.Freshness, &x.Lookup)
		v.Age = x.Now.Sub(at)
	}
	if e.mayOffer(x.ThemeState, v.Body) {
		v.Line = x.Pair.Line()
	}
	if p := x.response.Decide(v); p != nil {
		return p
	}
	if v.Line != "" && x.response.Status == fasthttp.StatusOK {
		e.content.Offer(v.Line, &x.PairState.Inputs, v.File, v.Body.Plain)
		if v.Delta != nil && (x.ctx == nil || x.ctx.IsGet()) {
			e.metrics.sentDelta(v.Delta, v.Body)
		}
	}
	return nil
}

// describe says how what is answered was found, and what the rules say of who reads it.
func (x *exchange) describe() {
	v := &x.view
	if len(x.address.Theme) > 0 {
		v.CacheStatus = cacheStatuses[x.outcome]
	}
	v.Timed = x.outcome != records.Hit
	if x.ThemeState != nil && x.ThemeState.Rules.ChecksOrigin() {
		v.ByOrigin = true
		if x.decision.Allowed {
			v.AllowOrigin = x.decision.AllowOrigin
		}
	}
}

// refuse writes a problem and returns its status.
func (e *Edge) refuse(x *exchange, p *respond.Problem) int {
	x.describe()
	if x.outcome == records.Miss && x.view.CacheStatus != nil {
		x.view.CacheStatus = notStored
	}
	return x.response.Refuse(x.ctx, &x.view, p)
}

// cacheStatuses are the values of Cache-Status (RFC 9211): "fwd" says why upstream was asked, a hit with a detail that
// what is held is old.
var cacheStatuses = [records.OutcomeCount][]byte{
	records.Hit:         []byte("livery; hit"),
	records.Revalidated: []byte("livery; fwd=stale"),
	records.Recoded:     []byte("livery; fwd=vary-miss; stored"),
	records.Miss:        []byte("livery; fwd=uri-miss; stored"),
	records.Stale:       []byte("livery; hit; detail=stale"),
}

var notStored = []byte("livery; fwd=uri-miss")

// cacheControlFor returns how long the answer may be stored.
func cacheControlFor(x *exchange) respond.CacheControl {
	c := respond.CacheControl{
		Immutable: x.address.Version != 0 && x.PairState.Inputs.Sealed,
		Private:   x.ThemeState.Rules.Private(),
		Lifetime:  int64(x.ThemeState.Lifetime / time.Second),
		Left:      respond.Unsigned,
	}
	if !x.decision.Expires.IsZero() {
		c.Left = max(0, int64(x.decision.Expires.Sub(x.Now)/time.Second))
	}
	return c
}

// mayOffer reports whether an answer with that body may serve as a dictionary, and be a delta: every
// origin may read it, whoever asks.
func (e *Edge) mayOffer(t *records.ThemeState, b *content.Body) bool {
	return !e.config.NoDeltas && !t.Rules.Private() && b.Plain.Dictionary()
}

// deltaFor returns the delta to the file of x that its client may have in the place of the ordinary body, or nil.
func (e *Edge) deltaFor(x *exchange) *content.Body {
	h := &x.ctx.Request.Header
	available := h.PeekAll("Available-Dictionary")
	if len(available) != 1 {
		return nil
	}
	hint := coding.DictionaryHint{Available: available[0], Site: h.Peek("Sec-Fetch-Site"), Mode: h.Peek("Sec-Fetch-Mode"), Origin: h.Peek("Origin")}
	file, ok := e.content.File(content.Key{Inputs: x.PairState.Inputs.ID, File: x.address.File})
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

// heldDelta returns the delta that is held from the client's dictionary to file, the one of x. more reports whether there
// may be one after some work.
func (e *Edge) heldDelta(x *exchange, hint *coding.DictionaryHint, file *content.File) (d *content.Body, from content.DictionaryKey, more bool) {
	digest, ok := hint.Dictionary()
	if !ok || !e.mayOffer(x.ThemeState, x.view.Body) {
		return nil, from, false
	}
	from = content.DictionaryKey{Line: x.Pair.Line(), File: x.address.File, Digest: digest}
	d, more = e.content.Delta(from, &x.PairState.Inputs, file, x.Now)
	return d, from, more
}
