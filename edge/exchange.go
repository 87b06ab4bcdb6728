package edge

import (
	"sync"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/records"
	"example.com/livery/edge/respond"
	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

// exchange is one request on its way along the road. It is reused; its slices are the server's for as long as the request
// takes.
type exchange struct {
	records.Lookup
	records.Held                      // Theme: nil until it is known
	in           *httpd.Request       // full, or the event loop's
	full         *httpd.Request       // what was read of ctx
	ctx          *fasthttp.RequestCtx // nil: the request is one of Ready's, and must not wait
	method       method
	address      address.Address
	asked        address.Resource
	room         []byte // for the key of a pair in modes
	decision     policy.Decision
	request      policy.Request
	lines        [3][2][]byte // of request: Origin, Referer, X-Forwarded-For; more than one are as wrong as two
	mayMake      bool         // at once: a small file
	outcome      records.Outcome
	view         respond.View
	response     *respond.Response
}

// method is what a request asks for.
type method uint8

const (
	get method = iota // or HEAD
	preflight
	other
)

var exchanges = sync.Pool{New: func() any {
	return &exchange{response: new(respond.Response), full: new(httpd.Request), room: make([]byte, 0, address.MaxKeyBytes)}
}}

// begin readies x for a request that must not wait, at a time.
func (x *exchange) begin(r *httpd.Request, now time.Time) {
	response, full, room := x.response, x.full, x.room
	*x = exchange{}
	x.response, x.full, x.room, x.in = response, full, room, r
	x.Lookup = records.Lookup{Now: now, HeldOnly: true}
	x.view.IfNoneMatch, x.view.Range, x.view.IfRange = r.IfNoneMatch, r.Range, r.IfRange
}

// beginFull readies x for a request that was read by fasthttp.
func (x *exchange) beginFull(ctx *fasthttp.RequestCtx, q records.Lookup) {
	h := &ctx.Request.Header
	r := x.full
	*r = httpd.Request{
		Host: h.Host(), AcceptEncoding: h.Peek(fasthttp.HeaderAcceptEncoding), IfNoneMatch: h.Peek(fasthttp.HeaderIfNoneMatch),
		Origin: h.Peek("Origin"), SecFetchMode: h.Peek("Sec-Fetch-Mode"), SecFetchSite: h.Peek("Sec-Fetch-Site"), SecFetchDest: h.Peek("Sec-Fetch-Dest"),
		SecCHUA: h.Peek("Sec-Ch-Ua"), UserAgent: h.UserAgent(), Remote: httpd.AddrPortOf(ctx.RemoteAddr()),
	}
	if ctx.IsGet() {
		r.Range, r.IfRange = h.Peek(fasthttp.HeaderRange), h.Peek(fasthttp.HeaderIfRange)
	}
	if available := h.PeekAll("Available-Dictionary"); len(available) == 1 {
		r.AvailableDictionary = available[0]
	}
	r.Path, r.Query = respond.Target(ctx)
	x.begin(r, q.Now)
	x.ctx, x.Lookup = ctx, q
	x.view.IfMatch, x.view.Digest = h.PeekAll(fasthttp.HeaderIfMatch), len(h.Peek("Want-Repr-Digest")) > 0
	switch string(ctx.Method()) {
	case fasthttp.MethodGet, fasthttp.MethodHead:
	case fasthttp.MethodOptions:
		x.method = preflight
	default:
		x.method = other
	}
}

// end lets go of what was sent.
func (x *exchange) end() {
	x.view.Body, x.view.Delta = nil, nil
	x.response.Reset()
}

// maxReadyOrigin bounds the origin that an answer at once echoes: a head has room for so much.
const maxReadyOrigin = 512

// authorize applies the Theme's serving rules to x, if it has any.
func (e *Edge) authorize(x *exchange) *guard.Problem {
	x.decision.Allowed = true
	if rules := x.ThemeState.Rules; rules.Private() {
		if x.ctx == nil && len(x.in.Origin) > maxReadyOrigin {
			return guard.Overloaded
		}
		e.readRules(x)
		x.decision = rules.Decide(&x.request)
	}
	switch {
	case x.decision.Allowed:
		return nil
	case x.decision.Reason == "signature" && x.ThemeState.SecretsAbsent:
		return respond.UpstreamAway // the disk keeps no secrets: nothing can be verified before upstream is back
	}
	return respond.Forbidden
}

// readRules reads what rules look at.
func (e *Edge) readRules(x *exchange) {
	r := x.in
	origins, referers, forwarded := present(&x.lines[0], r.Origin), present(&x.lines[1], r.Referer), present(&x.lines[2], r.ForwardedFor)
	if x.ctx != nil {
		h := &x.ctx.Request.Header
		origins = x.lines[0][:copy(x.lines[0][:], h.PeekAll("Origin"))] // the list is fasthttp's until the next PeekAll
		referers = x.lines[1][:copy(x.lines[1][:], h.PeekAll("Referer"))]
		forwarded = h.PeekAll("X-Forwarded-For")
	}
	x.request = policy.Request{
		Path: r.Path, Modes: x.address.Modes, Query: x.address.Query, Now: x.Now, Origins: origins, Referers: referers, Host: r.Host,
		SecFetchSite: r.SecFetchSite, SecFetchDest: r.SecFetchDest, SecCHUA: r.SecCHUA, UserAgent: r.UserAgent,
	}
	if x.ThemeState.Rules.ChecksClient() {
		x.request.Client = guard.ClientAddr(r.Remote.Addr(), forwarded, e.config.TrustedProxies)
	}
}

// present returns the lines of a header that a plain request has once or, if it is nil, not at all.
func present(lines *[2][]byte, value []byte) [][]byte {
	if value == nil {
		return nil
	}
	lines[0] = value
	return lines[:1]
}

// decide makes the response to a request that may have what is stored, whose freshness that is.
func (e *Edge) decide(x *exchange, fresh records.Freshness) *guard.Problem {
	x.describe()
	v := &x.view
	v.CacheControl = cacheControlFor(x)
	if !v.CacheControl.Immutable {
		at, _ := e.records.Known(x.Theme, fresh, &x.Lookup)
		v.Age = x.Now.Sub(at)
	}
	if x.asked == address.File {
		v.File = x.address.File
		v.Digest = v.Digest || x.outcome != records.Miss
		if e.mayOffer(x) {
			v.Line = x.Pair.Line()
		}
	}
	if p := x.response.Decide(v); p != nil {
		return p
	}
	if v.Line.Files != "" && x.response.Status == fasthttp.StatusOK {
		e.content.Offer(v.Line, &x.PairState.Inputs, v.File)
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

// mayOffer reports whether the answer to x may serve as a dictionary, and be a delta: every origin may read it, for every
// client.
func (e *Edge) mayOffer(x *exchange) bool {
	return !e.config.NoDeltas && !x.ThemeState.Rules.Private() && x.view.Body.Plain.Dictionary()
}
