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

// exchange is one request on its way through the checks. It is reused; its slices are fasthttp's,
// and lent for the request.
type exchange struct {
	records.Lookup
	ctx       *fasthttp.RequestCtx
	address   address.Address
	path      []byte
	query     []byte
	theme     *records.Theme
	themeHeld *records.ThemeState // nil until the Theme is known
	pair      *records.Pair
	pairHeld  *records.PairState
	delta     *content.Body // sent in the place of the ordinary body; nil: none is
	decision  policy.Decision
	request   policy.Request
	origins   [2][]byte // of request; more than one are as wrong as two
	outcome   records.Outcome
	found     time.Duration // what asking upstream took, where it was asked
	made      time.Duration // what making the body took, if it was made
	scratch   [128]byte     // for header values
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

func (e *Edge) handle(ctx *fasthttp.RequestCtx) {
	x := exchanges.Get().(*exchange)
	*x = exchange{ctx: ctx, Lookup: e.lookup(&ctx.Request.Header)}
	defer e.finish(x)
	x.path, x.query = respond.Target(ctx)
	status := fasthttp.StatusOK
	if p := e.serve(x); p != nil {
		status = e.refuse(x, p)
	} else {
		status = ctx.Response.StatusCode()
	}
	e.metrics.answered(status, x.outcome)
	if status < fasthttp.StatusMultipleChoices && !ctx.IsHead() {
		e.metrics.sent.Add(float64(len(ctx.Response.Body())))
	}
}

// finish turns a panic, which is a bug of this program, into an answer.
func (e *Edge) finish(x *exchange) {
	if reason := recover(); reason != nil {
		e.log.Error("a request ended in a panic", "path", string(x.path), "reason", reason)
		x.ctx.Response.Reset()
		respond.Internal.Send(x.ctx)
		e.metrics.answered(fasthttp.StatusInternalServerError, x.outcome)
	}
	e.records.Release(&x.Lookup)
	*x = exchange{}
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
	if p := e.decide(x); p != nil {
		return p
	}
	switch {
	case options:
		x.allowPreflight()
		return nil
	case x.pairHeld.Missing != "":
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
	defer e.timed(x, &x.found)
	t, s, o, err := e.records.Theme(x.address.Theme, &x.Lookup)
	x.outcome = max(x.outcome, o)
	if err != nil {
		return unanswered(err)
	}
	if s.Missing != "" {
		return respond.NotFound
	}
	x.theme, x.themeHeld = t, s
	if !s.Files[x.address.File] {
		return respond.NotFound
	}
	x.pair, x.pairHeld, o, err = e.records.Pair(t, s, x.address.Pair, &x.Lookup)
	x.outcome = max(x.outcome, o)
	if err != nil {
		return unanswered(err)
	}
	if missing := x.pairHeld.Missing; missing != "" && missing != "version" {
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
		*took = e.now().Sub(x.Now) - x.found
	}
}

// decide applies the Theme's serving rules.
func (e *Edge) decide(x *exchange) *respond.Problem {
	rules := x.themeHeld.Rules
	if !rules.Private() {
		x.decision.Allowed = true
		return nil
	}
	h := &x.ctx.Request.Header
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
	x.decision = rules.Decide(&x.request)
	switch {
	case x.decision.Allowed:
		return nil
	case x.decision.Reason == "signature" && x.themeHeld.SecretsAbsent:
		return respond.UpstreamAway // the disk keeps no secrets: nothing can be verified before upstream is back
	}
	return respond.Forbidden
}

// respond finds the body in the coding that is wanted, and sends it.
func (e *Edge) respond(x *exchange) *respond.Problem {
	h := &x.ctx.Request.Header
	enc, deltas := coding.Negotiate(h.Peek(fasthttp.HeaderAcceptEncoding))
	asked := h.Peek(fasthttp.HeaderRange)
	if len(asked) > 0 && x.ctx.IsGet() {
		enc, deltas = coding.Identity, false // a range is one of the bytes as they are
	}
	b, o, err := e.bodyOf(x.pairHeld, x.address.File, enc, &x.Lookup)
	if o == records.Miss && x.outcome == records.Revalidated && wanted(x.pair, x.address.File, enc) {
		o = records.Revalidated // what was held of this file was of before
	}
	x.outcome = max(x.outcome, o)
	if o != records.Hit {
		e.timed(x, &x.made)
	}
	switch {
	case errors.Is(err, upstream.ErrUnreachable) || errors.Is(err, records.ErrBusy):
		return unanswered(err)
	case err != nil:
		return respond.Internal
	}
	want(x.pair, x.Now, x.address.File, enc)
	if deltas {
		x.delta = e.deltaFor(x, b)
	}
	return e.sendFile(x, b, asked)
}

// mayOffer reports whether an answer with that body may serve as a dictionary, and be a delta: every
// origin may read it, whoever asks.
func (e *Edge) mayOffer(t *records.ThemeState, b *content.Body) bool {
	return !e.config.NoDeltas && !t.Rules.Private() && b.Plain.Dictionary()
}

// deltaFor returns the delta to the file of x, whose ordinary body is b, that its client may have
// instead, or nil.
func (e *Edge) deltaFor(x *exchange, b *content.Body) *content.Body {
	h := &x.ctx.Request.Header
	available := h.PeekAll("Available-Dictionary")
	if len(available) != 1 || !e.mayOffer(x.themeHeld, b) {
		return nil
	}
	hint := coding.DictionaryHint{Available: available[0], Site: h.Peek("Sec-Fetch-Site"), Mode: h.Peek("Sec-Fetch-Mode"), Origin: h.Peek("Origin")}
	sum, ok := hint.Dictionary()
	if !ok {
		return nil
	}
	from, in := content.DictionaryKey{Line: x.pair.Line(), File: x.address.File, Digest: sum}, &x.pairHeld.Inputs
	held, ok := e.content.File(content.Key{Inputs: in.ID, File: from.File})
	if !ok {
		return nil
	}
	d, more := e.content.Delta(from, in, held, x.Now)
	if !more {
		return d
	}
	if d = e.content.MakeDelta(from, in, x.Now); d != nil {
		x.outcome = max(x.outcome, records.Recoded)
		e.timed(x, &x.made)
	}
	return d
}
