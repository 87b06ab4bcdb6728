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

// answer works out the response to x: the one road for files, manifests and event streams. It returns why there is none; if x
// must not wait, that may be because something has to be waited for. The order of the checks is part of the contract
// (decisions 7.1): who may not have a file is not told whether its version exists.
func (e *Edge) answer(x *exchange) *guard.Problem {
	if x.method == preflight && string(x.in.Path) == "*" {
		x.response.Status = fasthttp.StatusOK
		return nil
	}
	var ok bool
	if x.address, x.asked, ok = address.ParseAny(x.in.Path, x.in.Query, x.room); !ok || x.asked == address.Events && e.live == nil {
		return respond.NotFound
	}
	if x.method == other {
		return respond.NotAllowed
	}
	if p := e.find(x); p != nil {
		return p
	}
	if p := e.authorize(x); p != nil {
		return p
	}
	switch {
	case x.method == preflight:
		x.describe()
		x.response.Preflight(&x.view)
		return nil
	case x.asked == address.Manifest:
		return e.answerManifest(x)
	case x.PairState.Missing != "":
		return respond.NotFound
	case x.asked == address.Events:
		return e.answerEvents(x)
	}
	return e.answerFile(x)
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

// answerFile finds the file in the coding that is wanted.
func (e *Edge) answerFile(x *exchange) *guard.Problem {
	v := &x.view
	enc, deltas := coding.Negotiate(x.in.AcceptEncoding)
	if len(v.Range) > 0 {
		enc, deltas = coding.Identity, false // a range is one of the bytes as they are
	}
	b, o, err := e.bodyOf(x, enc)
	if errors.Is(err, errInputsGone) {
		x.Lookup.Inputs = true
		if p := e.find(x); p != nil || x.PairState.Missing != "" {
			return cmp.Or(p, respond.NotFound)
		}
		b, o, err = e.bodyOf(x, enc)
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
	v.Body = b
	if deltas && x.in.AvailableDictionary != nil {
		if p := e.findDelta(x); p != nil {
			return p
		}
	}
	want(x.Pair, x.Now, x.address.File, enc)
	return e.decide(x, x.PairState.Freshness)
}

// answerManifest finds the manifest of the Theme.
func (e *Edge) answerManifest(x *exchange) *guard.Problem {
	state, o, err := x.Theme.Manifest(e.records, x.ThemeState, &x.Lookup)
	x.outcome = max(x.outcome, o)
	switch {
	case err != nil:
		return unanswered(err)
	case state.Missing != "":
		return respond.NotFound
	}
	x.view.Body = state.Body
	return e.decide(x, state.Freshness)
}

// answerEvents answers with an event stream, which says when the pair has changed.
func (e *Edge) answerEvents(x *exchange) *guard.Problem {
	if x.ctx == nil {
		return guard.Overloaded // a stream begins behind a response of fasthttp
	}
	r := live.Request{Client: x.in.Remote.Addr(), LastID: string(x.ctx.Request.Header.Peek("Last-Event-ID"))}
	if !x.decision.Expires.IsZero() {
		r.Expires = x.decision.Expires.Add(policy.ClockSkew)
	}
	if !e.live.HasRoom(r.Client) {
		return guard.Overloaded
	}
	x.describe()
	x.response.Stream(&x.view)
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

// refuse writes a problem.
func (e *Edge) refuse(x *exchange, p *guard.Problem) {
	x.describe()
	if x.outcome == records.Miss && x.view.CacheStatus != nil {
		x.view.CacheStatus = notStored
	}
	x.response.Refuse(x.ctx, &x.view, p)
}

// findDelta finds the delta to the file of x that its client may have in the place of the ordinary body.
func (e *Edge) findDelta(x *exchange) *guard.Problem {
	hint := coding.DictionaryHint{Available: x.in.AvailableDictionary, Site: x.in.SecFetchSite, Mode: x.in.SecFetchMode, Origin: x.in.Origin}
	digest, ok := hint.Dictionary()
	if !ok || !e.mayOffer(x) {
		return nil
	}
	file, ok := e.content.Peek(content.Key{Inputs: x.PairState.Inputs.ID, File: x.address.File})
	if !ok {
		return nil
	}
	from := content.DictionaryKey{Line: x.Pair.Line(), File: x.address.File, Digest: digest}
	d, more := e.content.Delta(from, &x.PairState.Inputs, file, x.Now)
	switch {
	case more && x.ctx == nil:
		return guard.Overloaded
	case more:
		if d = e.content.MakeDelta(from, &x.PairState.Inputs, x.Now); d != nil {
			x.outcome = max(x.outcome, records.Recoded)
			e.timed(x, &x.view.Made)
		}
	}
	x.view.Delta = d
	return nil
}
