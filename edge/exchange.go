package edge

import (
	"sync"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/records"
	"example.com/livery/edge/respond"
	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

// exchange is one request on its way through the checks, on either path. It is reused; its slices are the server's
// for as long as the request takes.
type exchange struct {
	records.Lookup
	records.Held                      // Theme: nil until it is known
	ctx          *fasthttp.RequestCtx // nil: the event loop has the request
	address      address.Address
	asked        address.Resource
	room         []byte // for the key of a pair in modes
	path         []byte
	query        []byte
	decision     policy.Decision
	request      policy.Request
	origins      [2][]byte    // of request; more than one are as wrong as two
	lines        [3][1][]byte // of request, on the event loop
	mayMake      bool         // on the event loop: a small file may be made
	outcome      records.Outcome
	view         respond.View
	response     *respond.Response
}

var exchanges = sync.Pool{New: func() any {
	return &exchange{response: new(respond.Response), room: make([]byte, 0, address.MaxKeyBytes)}
}}

// begin readies x for a request.
func (x *exchange) begin(ctx *fasthttp.RequestCtx, q records.Lookup) {
	response, room := x.response, x.room
	*x = exchange{}
	x.ctx, x.Lookup, x.response, x.room = ctx, q, response, room
}

// end lets go of what was sent.
func (x *exchange) end() {
	x.view.Body, x.view.Delta = nil, nil
	x.response.Reset()
}

// authorize applies the Theme's serving rules to x.request, which matters to a Theme that has any.
func (x *exchange) authorize() *guard.Problem {
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

// decide makes the response to a request that may have what is stored: the one decision of both paths.
func (e *Edge) decide(x *exchange) *guard.Problem {
	x.describe()
	v := &x.view
	v.File, v.CacheControl = x.address.File, cacheControlFor(x)
	v.Digest = v.Digest || x.outcome != records.Miss
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

// mayOffer reports whether an answer with that body may serve as a dictionary, and be a delta: every
// origin may read it, for every client.
func (e *Edge) mayOffer(t *records.ThemeState, b *content.Body) bool {
	return !e.config.NoDeltas && !t.Rules.Private() && b.Plain.Dictionary()
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
