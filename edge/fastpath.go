package edge

import (
	"example.com/livery/edge/address"
	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/edge/policy"
	"example.com/livery/edge/records"
	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

// fastPath has the answers to plain hits for the event loop: byte for byte what handle answers.
type fastPath struct{ edge *Edge }

// Serve implements httpd.Handler.
func (s fastPath) Serve(ctx *fasthttp.RequestCtx) { s.edge.handle(ctx) }

// fullPath answers everything as handle does.
type fullPath struct{ edge *Edge }

// Ready implements httpd.Handler.
func (fullPath) Ready(*httpd.Request) (httpd.Answer, bool) { return httpd.Answer{}, false }

// Serve implements httpd.Handler.
func (s fullPath) Serve(ctx *fasthttp.RequestCtx) { s.edge.handle(ctx) }

// Ready returns the answer to a hit, or false: what is not held, may not be current or is refused is handle's. It allocates
// nothing, a signature apart.
func (s fastPath) Ready(r *httpd.Request) (httpd.Answer, bool) {
	x := exchanges.Get().(*exchange)
	x.begin(nil, s.edge.questionOf(r))
	a, ok := s.edge.answerHit(x, r)
	x.end()
	exchanges.Put(x)
	return a, ok
}

// questionOf returns what is asked of the edge to answer r.
func (e *Edge) questionOf(r *httpd.Request) records.Lookup {
	if e.config.Now != nil {
		return records.Lookup{Now: e.now()}
	}
	return records.Lookup{Now: r.Now}
}

// answerHit returns the answer to a hit, which it works out in x.
func (e *Edge) answerHit(x *exchange, r *httpd.Request) (a httpd.Answer, ok bool) {
	if x.address, ok = address.Parse(r.Path, r.Query, x.room); !ok {
		return a, false
	}
	if x.Held, ok = e.records.Fresh(x.address.Theme, x.address.Key, &x.Lookup); !ok || !x.ThemeState.Files[x.address.File] {
		return a, false
	}
	if !e.readLoopRequest(x, r) || x.authorize() != nil {
		return a, false
	}
	v := &x.view
	enc, deltas := coding.Negotiate(r.AcceptEncoding)
	if r.Range != nil {
		enc, deltas = coding.Identity, false
	}
	file, held := e.content.File(content.Key{Inputs: x.PairState.Inputs.ID, File: x.address.File})
	switch {
	case held:
		v.Body = file.Body(enc)
	case x.mayMake:
		v.Body = e.content.MakeAtOnce(&x.PairState.Inputs, x.address.File, enc)
		x.outcome = records.Miss
		e.timed(x, &v.Made)
	}
	if v.Body == nil || r.IfNoneMatch == nil && !v.Body.DigestsAtOnce() {
		return a, false
	}
	e.content.Recompress(&x.PairState.Inputs, x.address.File, v.Body)
	if deltas && r.AvailableDictionary != nil {
		hint := coding.DictionaryHint{Available: r.AvailableDictionary, Site: r.SecFetchSite, Mode: r.SecFetchMode, Origin: r.Origin}
		var more bool
		if v.Delta, _, more = e.heldDelta(x, &hint, file); more {
			return a, false
		}
	}
	want(x.Pair, x.Now, x.address.File, enc)
	v.IfNoneMatch, v.Range, v.IfRange = r.IfNoneMatch, r.Range, r.IfRange
	if e.decide(x) != nil {
		return a, false
	}
	e.metrics.answered(x.response.Status, x.outcome, len(x.response.Content))
	return httpd.Answer{Head: x.response.AppendHead(r.Scratch), Body: x.response.Content}, true
}

// maxLoopOrigin bounds the origin that an answer of the event loop echoes: a head has room for so much.
const maxLoopOrigin = 512

// readLoopRequest reads what rules look at, if there are any.
func (e *Edge) readLoopRequest(x *exchange, r *httpd.Request) bool {
	rules := x.ThemeState.Rules
	if !rules.Private() {
		return true
	}
	x.lines = [3][1][]byte{{r.Origin}, {r.Referer}, {r.ForwardedFor}}
	x.request = policy.Request{
		Path: r.Path, Modes: x.address.Modes, Query: x.address.Query, Now: x.Now, Origins: present(&x.lines[0]), Referers: present(&x.lines[1]), Host: r.Host, SecFetchSite: r.SecFetchSite,
		SecFetchDest: r.SecFetchDest, SecCHUA: r.SecCHUA, UserAgent: r.UserAgent,
	}
	if rules.ChecksClient() {
		x.request.Client = guard.ClientAddr(r.Remote.Addr(), present(&x.lines[2]), e.config.TrustedProxies)
	}
	return len(r.Origin) <= maxLoopOrigin
}

// present returns the lines of a header that a plain request has once or, if it is nil, not at all.
func present(line *[1][]byte) [][]byte {
	if line[0] == nil {
		return nil
	}
	return line[:]
}
