package edge

import (
	"bytes"
	"strconv"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/edge/records"
	"example.com/livery/edge/respond"

	"example.com/livery/edge/coding"
	"github.com/valyala/fasthttp"
)

// cacheStatuses are the values of Cache-Status (RFC 9211): "fwd" says why upstream was asked, a hit with a detail that
// what is held is old.
var cacheStatuses = [records.OutcomeCount][]byte{
	records.Hit:         []byte("livery; hit"),
	records.Revalidated: []byte("livery; fwd=stale"),
	records.Recoded:     []byte("livery; fwd=vary-miss; stored"),
	records.Miss:        []byte("livery; fwd=uri-miss; stored"),
	records.Stale:       []byte("livery; hit; detail=stale"),
}

// varyOf returns what an answer that a delta may take the place of varies by. Anybody may be given an
// ordinary one; a delta nobody but who reads it, and browsers say by these headers who that is: one of
// another origin whose answer can be read always names its origin too.
func varyOf(sent *content.Body) []byte {
	if sent.Encoding == coding.Delta {
		return respond.VaryDelta
	}
	return respond.VaryDictionary
}

// instead returns the delta if there is one, and the ordinary body otherwise.
func instead(b, delta *content.Body) *content.Body {
	if delta != nil {
		return delta
	}
	return b
}

// matchedEither returns the validator of what the client has and may keep, of a delta or the ordinary
// body that it would be sent in the place of: it says the same.
func matchedEither(field []byte, sent, ordinary *content.Body) []byte {
	if tag := sent.Matches(field); tag != nil || sent == ordinary {
		return tag
	}
	return ordinary.Matches(field)
}

// sendFile answers with the body or x.delta in its place, a part of it, that the client's copy is current,
// or that its condition does not hold, in the order of RFC 9110 section 13.2.2.
func (e *Edge) sendFile(x *exchange, b *content.Body, asked []byte) *respond.Problem {
	request, response := &x.ctx.Request.Header, &x.ctx.Response
	x.common()
	e.caching(x)
	h := &response.Header
	sent, offered := instead(b, x.delta), e.mayOffer(x.themeHeld, b)
	if offered {
		h.SetCanonical(respond.KeyVary, varyOf(sent))
	}
	if fields := request.PeekAll(fasthttp.HeaderIfMatch); len(fields) > 0 && !content.AnyMatchesStrongly(fields, sent.ETag, b.ETag) {
		return respond.NotMatched
	}
	if tag := matchedEither(request.Peek(fasthttp.HeaderIfNoneMatch), sent, b); tag != nil {
		h.SetCanonical(respond.KeyETag, tag)
		response.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	h.SetCanonical(respond.KeyETag, sent.ETag)
	content := sent.Bytes
	h.SetCanonical(respond.KeyAcceptRanges, respond.ValueBytes)
	if len(asked) > 0 && x.ctx.IsGet() && currentFor(request.Peek("If-Range"), b.ETag) {
		part, ok, satisfiable := parseRange(asked, len(content))
		if ok && !satisfiable {
			h.SetCanonical(respond.KeyContentRange, strconv.AppendInt([]byte("bytes */"), int64(len(content)), 10))
			return respond.OutOfRange
		}
		if ok {
			response.SetStatusCode(fasthttp.StatusPartialContent)
			h.SetCanonical(respond.KeyContentRange, appendContentRange(x.scratch[:0], part, len(content)))
			content = content[part.from:part.to]
		}
	}
	h.SetContentTypeBytes(b.ContentType)
	if sent.Encoding != coding.Identity {
		h.SetContentEncodingBytes(coding.Names[sent.Encoding])
	}
	response.SetBodyRaw(content)
	if offered && response.StatusCode() == fasthttp.StatusOK {
		e.offer(x, b)
	}
	return nil
}

// offer lets the client use a whole file as a dictionary, and counts if it came by one.
func (e *Edge) offer(x *exchange, b *content.Body) {
	x.ctx.Response.Header.SetCanonical(respond.KeyUseAsDictionary, coding.AppendOffer(x.scratch[:0], x.pair.Line(), x.address.File))
	e.content.Offer(x.pair.Line(), &x.pairHeld.Inputs, x.address.File, b.Plain)
	if x.delta != nil && x.ctx.IsGet() {
		e.metrics.sentDelta(x.delta, b)
	}
}

// currentFor reports whether a Range holds under an If-Range field: there is none, or it is this
// validator, by strong comparison. A date never is: files have none.
func currentFor(ifRange, etag []byte) bool {
	return len(ifRange) == 0 || bytes.Equal(bytes.TrimSpace(ifRange), etag)
}

// common writes what every answer for a known Theme carries.
func (x *exchange) common() {
	h := &x.ctx.Response.Header
	h.SetCanonical(respond.KeyContentTypeOptions, respond.ValueNosniff)
	h.SetCanonical(respond.KeyResourcePolicy, respond.ValueCrossOrigin)
	if len(x.address.Theme) > 0 {
		h.SetCanonical(respond.KeyCacheStatus, cacheStatuses[x.outcome])
	}
	if x.outcome != records.Hit {
		h.SetCanonical(respond.KeyServerTiming, x.appendTiming(x.scratch[:0]))
	}
	x.allowOrigin()
}

// appendTiming spells what took long, in milliseconds: asking upstream, and making the file.
func (x *exchange) appendTiming(dst []byte) []byte {
	const millisecond = float64(time.Millisecond)
	dst = append(dst, "upstream;dur="...)
	dst = strconv.AppendFloat(dst, float64(x.found)/millisecond, 'f', 3, 64)
	dst = append(dst, ", make;dur="...)
	return strconv.AppendFloat(dst, float64(x.made)/millisecond, 'f', 3, 64)
}

// allowOrigin lets pages of the origins that the Theme allows read the answer: of any if there is
// no list. Where there is one, answers differ by origin, and refusals do too.
func (x *exchange) allowOrigin() {
	h := &x.ctx.Response.Header
	if x.themeHeld == nil || !x.themeHeld.Rules.ChecksOrigin() {
		h.SetCanonical(respond.KeyVary, respond.VaryEncoding)
		h.SetCanonical(respond.KeyAllowOrigin, respond.ValueAny)
		h.SetCanonical(respond.KeyExposeHeaders, respond.ValueExposed)
		return
	}
	h.SetCanonical(respond.KeyVary, respond.VaryOrigin)
	if x.decision.Allowed && len(x.decision.AllowOrigin) > 0 {
		h.SetCanonical(respond.KeyAllowOrigin, x.decision.AllowOrigin)
		h.SetCanonical(respond.KeyExposeHeaders, respond.ValueExposed)
	}
}

// caching writes how long the answer may be kept, and by whom.
func (e *Edge) caching(x *exchange) {
	h := &x.ctx.Response.Header
	k := keepingOf(x.themeHeld, x.pairHeld, x.address.Version)
	if !x.decision.Expires.IsZero() {
		k.left = max(0, int64(x.decision.Expires.Sub(x.Now)/time.Second))
	}
	h.SetCanonical(respond.KeyCacheControl, k.append(x.scratch[:0]))
	if !k.immutable {
		at, _ := e.records.Known(x.theme, x.pairHeld.Freshness, &x.Lookup)
		h.SetCanonical(respond.KeyAge, appendSeconds(x.scratch[:0], age(x.Now.Sub(at))))
	}
}

// age rounds up, so that edge and browser together never keep an answer for longer than allowed; a
// tenth of a second, an answer's way through the edge, is let go.
func age(d time.Duration) time.Duration { return max(0, d+900*time.Millisecond) }

func appendSeconds(dst []byte, d time.Duration) []byte {
	return strconv.AppendInt(dst, int64(d/time.Second), 10)
}

// allowPreflight tells a browser, before it asks from another origin, that it may.
func (x *exchange) allowPreflight() {
	x.common()
	x.ctx.Response.SetStatusCode(fasthttp.StatusNoContent)
	h := &x.ctx.Response.Header
	h.SetCanonical(respond.KeyAllow, respond.ValueMethods)
	h.SetCanonical(respond.KeyAllowMethods, respond.ValueMethods)
	h.SetCanonical(respond.KeyAllowHeaders, respond.ValueAny)
	h.SetCanonical(respond.KeyMaxAge, respond.ValueTenMinutes)
}

// refuse writes a problem and returns its status.
func (e *Edge) refuse(x *exchange, p *respond.Problem) int {
	x.common()
	if x.outcome == records.Miss {
		x.ctx.Response.Header.SetCanonical(respond.KeyCacheStatus, respond.ValueNotStored)
	}
	if p == respond.NotAllowed {
		x.ctx.Response.Header.SetCanonical(respond.KeyAllow, respond.ValueMethods)
	}
	x.ctx.Response.Header.Del("Age") // written already if a range turned out to lie outside
	return p.Send(x.ctx)
}
