package edge

import (
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/content"
	"example.com/livery/edge/records"

	"example.com/livery/edge/respond"

	"example.com/livery/edge/coding"

	"example.com/livery/edge/loop"
	"example.com/livery/edge/policy"
	"example.com/livery/wasm/abi"
)

// ready has the finished answers to plain hits, for the fast path: byte for byte what handle answers.
type ready struct{ edge *Edge }

// Ready returns the answer to a hit, or false: what is not held, may not be current, asks for a
// signature or is refused is handle's. It allocates nothing.
func (s ready) Ready(r *loop.Request) (loop.Answer, bool) {
	q := s.edge.questionOf(r)
	a, _, ok := s.edge.workOut(r, &q)
	return a, ok
}

// questionOf returns what is asked of the edge to answer r.
func (e *Edge) questionOf(r *loop.Request) records.Lookup {
	if e.config.Now != nil {
		return records.Lookup{Now: e.now()}
	}
	return records.Lookup{Now: r.Now}
}

// workOut returns the answer, and what it was made of.
func (e *Edge) workOut(r *loop.Request, q *records.Lookup) (a loop.Answer, h holding, ok bool) {
	at, ok := address.Parse(r.Path)
	if !ok {
		return a, h, false
	}
	h.version = at.Version
	if h.Held, ok = e.records.Fresh(at.Theme, at.Key, q); !ok || !h.ThemeState.Files[at.File] {
		return a, h, false
	}
	decision, ok := e.decideReady(h.ThemeState.Rules, r, q.Now)
	if !ok {
		return a, h, false
	}
	enc, deltas := coding.Negotiate(r.AcceptEncoding)
	held, ok := e.content.File(content.Key{Inputs: h.PairState.Inputs.ID, File: at.File})
	if !ok || held.Body(enc) == nil {
		return a, h, false
	}
	b := held.Body(enc)
	e.content.Recompress(&h.PairState.Inputs, at.File, b)
	h.file, h.body = at.File, b
	if deltas && r.AvailableDictionary != nil && !e.readyDelta(r, &h, held, q.Now) {
		return a, h, false
	}
	want(h.Pair, q.Now, at.File, enc)
	return e.answerReady(r, &h, decision, q), h, true
}

// readyDelta puts the delta in the place of the ordinary body that the client may have instead, if
// one is held, and reports whether nothing has to be done for one.
func (e *Edge) readyDelta(r *loop.Request, h *holding, held *content.File, now time.Time) bool {
	hint := coding.DictionaryHint{Available: r.AvailableDictionary, Site: r.SecFetchSite, Mode: r.SecFetchMode, Origin: r.Origin}
	sum, ok := hint.Dictionary()
	if !ok || !e.mayOffer(h.ThemeState, h.body) {
		return true
	}
	var more bool
	h.delta, more = e.content.Delta(content.DictionaryKey{Line: h.Pair.Line(), File: h.file, Digest: sum}, &h.PairState.Inputs, held, now)
	return !more
}

// holding is what is held of one address, and fresh.
type holding struct {
	records.Held
	version uint32 // that the address names; 0: latest
	file    abi.File
	body    *content.Body // in the coding that is asked for
	delta   *content.Body // sent in its place; nil: none is
}

// maxReadyOrigin bounds the origin that an answer echoes: a head has room for so much.
const maxReadyOrigin = 512

// decideReady applies the Theme's serving rules, which look at a query only where they want a signature: those
// requests are handle's.
func (e *Edge) decideReady(rules *policy.Rules, r *loop.Request, now time.Time) (policy.Decision, bool) {
	if !rules.Private() {
		return policy.Decision{Allowed: true}, true
	}
	if rules.Signed() || len(r.Origin) > maxReadyOrigin {
		return policy.Decision{}, false
	}
	asked := policy.Request{
		Path: r.Path, Now: now, Host: r.Host, SecFetchSite: r.SecFetchSite, SecFetchDest: r.SecFetchDest, SecCHUA: r.SecCHUA, UserAgent: r.UserAgent,
	}
	lines := [3][1][]byte{{r.Origin}, {r.Referer}, {r.ForwardedFor}}
	asked.Origins, asked.Referers = present(&lines[0]), present(&lines[1])
	if rules.ChecksClient() {
		asked.Client = policy.ClientAddr(r.Remote.Addr(), present(&lines[2]), e.config.TrustedProxies)
	}
	d := rules.Decide(&asked)
	return d, d.Allowed
}

// present returns the lines of a header that a plain request has once or, if it is nil, not at all.
func present(line *[1][]byte) [][]byte {
	if line[0] == nil {
		return nil
	}
	return line[:]
}

// The constant parts of heads, as fasthttp writes them.
const (
	headOK          = "HTTP/1.1 200 OK\r\n"
	headNotModified = "HTTP/1.1 304 Not Modified\r\n" + headAlways
	headAlways      = "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: cross-origin\r\nCache-Status: livery; hit\r\n"
	headOpen        = "Access-Control-Allow-Origin: *\r\n" + headExposed
	headExposed     = "Access-Control-Expose-Headers: Age, Cache-Status, ETag\r\n"
	headByOrigin    = "Vary: Accept-Encoding, Origin\r\n"
)

func (e *Edge) answerReady(r *loop.Request, h *holding, d policy.Decision, q *records.Lookup) loop.Answer {
	sent := instead(h.body, h.delta)
	tag := matchedEither(r.IfNoneMatch, sent, h.body)
	unchanged := tag != nil
	head := r.Scratch
	if unchanged {
		head = append(head, headNotModified...)
	} else {
		tag = sent.ETag
		head = append(append(append(head, headOK...), sent.Head...), headAlways...)
	}
	offered := e.mayOffer(h.ThemeState, h.body)
	if offered {
		head = appendOpen(head, varyOf(sent))
	} else {
		head = appendOrigin(head, h.ThemeState.Rules, d)
	}
	k := keepingOf(h.ThemeState, h.PairState, h.version)
	head = append(k.append(append(head, "Cache-Control: "...)), "\r\n"...)
	if !k.immutable {
		known, _ := e.records.Known(h.Theme, h.PairState.Freshness, q)
		head = append(appendSeconds(append(head, "Age: "...), age(q.Now.Sub(known))), "\r\n"...)
	}
	head = append(append(append(head, "ETag: "...), tag...), "\r\n"...)
	if unchanged {
		e.metrics.answered(304, records.Hit)
		return loop.Answer{Head: head}
	}
	e.metrics.answered(200, records.Hit)
	e.metrics.sent.Add(float64(len(sent.Bytes)))
	head = append(head, "Accept-Ranges: bytes\r\n"...)
	if offered {
		head = e.offerReady(head, h)
	}
	return loop.Answer{Head: head, Body: sent.Bytes}
}

// offerReady does what offer does.
func (e *Edge) offerReady(head []byte, h *holding) []byte {
	e.content.Offer(h.Pair.Line(), &h.PairState.Inputs, h.file, h.body.Plain)
	if h.delta != nil {
		e.metrics.sentDelta(h.delta, h.body)
	}
	return append(coding.AppendOffer(append(head, "Use-As-Dictionary: "...), h.Pair.Line(), h.file), "\r\n"...)
}

// appendOpen writes what an answer that every origin may read varies by, and that they may.
func appendOpen(head, vary []byte) []byte {
	return append(append(append(append(head, "Vary: "...), vary...), "\r\n"...), headOpen...)
}

// appendOrigin writes what allowOrigin writes.
func appendOrigin(head []byte, rules *policy.Rules, d policy.Decision) []byte {
	if !rules.ChecksOrigin() {
		return appendOpen(head, respond.VaryEncoding)
	}
	head = append(head, headByOrigin...)
	if len(d.AllowOrigin) == 0 {
		return head
	}
	head = append(append(head, "Access-Control-Allow-Origin: "...), d.AllowOrigin...)
	return append(append(head, "\r\n"...), headExposed...)
}
