package respond

import (
	"bytes"
	"strconv"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/content"
	"example.com/livery/httpd/guard"
	"example.com/livery/wasm/abi"
	"github.com/valyala/fasthttp"
)

// View is all that an answer depends on, however the request was read. Its slices are only read.
type View struct {
	// Of the request; a header that is absent has no bytes.
	IfMatch     [][]byte // its lines
	IfNoneMatch []byte
	Range       []byte // of GET alone
	IfRange     []byte

	// How what is stored was found.
	CacheStatus []byte // nil: the address is not one of a Theme
	Timed       bool
	Found, Made time.Duration // what asking upstream and making the file took, if Timed

	// What the rules of the Theme say of the origin.
	ByOrigin    bool
	AllowOrigin []byte // nil: none is allowed

	// What is stored.
	Body         *content.Body // in the coding that was negotiated
	Delta        *content.Body // sent in its place; nil: none is
	Line         content.Line  // if every client may use the answer as a dictionary; else empty
	File         abi.File
	CacheControl CacheControl
	Age          time.Duration // since it was known to be current
	Digest       bool          // the answer has the digest of what is sent, even if that has to be hashed for it
}

// Reset empties r, which lets go of what was sent.
func (r *Response) Reset() { r.Status, r.Content, r.body, r.count = fasthttp.StatusOK, nil, nil, 0 }

// field is a header with its value, if it is not the only one.
type field struct {
	header *header
	value  []byte
}

// maxFields is more than an answer has.
const maxFields = 16

// Response is an answer: what Decide says, in the order in which both writers send it. It is reused.
type Response struct {
	Status  int
	Content []byte // a part of View.Body or View.Delta

	body   *content.Body // whose type and encoding are sent; nil: none
	fields [maxFields]field
	count  int
	values [704]byte // of fields, the modes of an address among them
	used   []byte    // of values
}

func (r *Response) add(h *header, value []byte) {
	r.fields[r.count] = field{h, value}
	r.count++
}

// spelt returns the value that spelling it appended to r.used.
func (r *Response) spelt(used []byte) []byte {
	value := used[len(r.used):]
	r.used = used
	return value
}

// begin starts an answer with what every answer to an address carries.
func (r *Response) begin(v *View) {
	r.Reset()
	r.used = r.values[:0]
	r.add(contentTypeOptions, nil)
	r.add(resourcePolicy, nil)
	if v.CacheStatus != nil {
		r.add(cacheStatus, v.CacheStatus)
	}
	if v.Timed {
		r.add(serverTiming, r.spelt(appendTiming(r.used, v.Found, v.Made)))
	}
	r.add(v.vary(), nil)
	switch {
	case !v.ByOrigin:
		r.add(allowAnyOrigin, nil)
		r.add(timingAnyOrigin, nil)
		r.add(exposeHeaders, nil)
	case len(v.AllowOrigin) > 0:
		r.add(allowOrigin, v.AllowOrigin)
		r.add(timingOrigin, v.AllowOrigin)
		r.add(exposeHeaders, nil)
	}
}

// vary returns what an answer varies by. Every client may be given an ordinary one; a delta only one that can read it,
// and browsers say by these headers whether they can: a request from another origin whose answer can be read always
// names its origin too.
func (v *View) vary() *header {
	switch {
	case v.ByOrigin:
		return varyOrigin
	case v.Line.Files == "":
		return varyEncoding
	case v.Delta != nil:
		return varyDelta
	}
	return varyDictionary
}

// appendTiming spells what took long, in milliseconds: asking upstream, and making the file.
func appendTiming(dst []byte, found, made time.Duration) []byte {
	const millisecond = float64(time.Millisecond)
	dst = strconv.AppendFloat(append(dst, "upstream;dur="...), float64(found)/millisecond, 'f', 3, 64)
	return strconv.AppendFloat(append(dst, ", make;dur="...), float64(made)/millisecond, 'f', 3, 64)
}

// Decide makes r the answer to v: the body or the delta in its place, a part of it, or that the client's copy is current.
// It returns the refusal if a condition does not hold, in the order of RFC 9110 section 13.2.2.
func (r *Response) Decide(v *View) *guard.Problem {
	sent := v.Body
	if v.Delta != nil {
		sent = v.Delta
	}
	if len(v.IfMatch) > 0 && !content.AnyMatchesStrongly(v.IfMatch, sent.ETag, v.Body.ETag) {
		return NotMatched
	}
	tag := sent.Matches(v.IfNoneMatch)
	if tag == nil && v.Delta != nil {
		tag = v.Body.Matches(v.IfNoneMatch) // it says the same
	}
	if tag != nil {
		r.validate(v, tag)
		r.Status = fasthttp.StatusNotModified
		return nil
	}
	if len(v.Range) > 0 && (len(v.IfRange) == 0 || bytes.Equal(bytes.TrimSpace(v.IfRange), v.Body.ETag)) { // a date never matches
		if part, asked, satisfiable := parseRange(v.Range, len(sent.Bytes)); asked {
			return r.partial(v, sent, part, satisfiable)
		}
	}
	r.represent(v, sent)
	if v.Line.Files != "" {
		r.add(useAsDictionary, r.spelt(coding.AppendOffer(r.used, v.Line.Files, v.Line.Modes, v.File)))
	}
	r.Content, r.body = sent.Bytes, sent
	return nil
}

// validate starts an answer that says how long it may be stored, and what validates it then.
func (r *Response) validate(v *View, tag []byte) {
	r.begin(v)
	r.add(cacheControl, r.spelt(v.CacheControl.append(r.used)))
	if !v.CacheControl.Immutable {
		r.add(age, r.spelt(appendAge(r.used, v.Age)))
	}
	r.add(etag, tag)
}

// represent starts an answer with sent, or a part of it.
func (r *Response) represent(v *View, sent *content.Body) {
	r.validate(v, sent.ETag)
	digest := sent.KnownDigest()
	if v.Digest {
		digest = sent.Digest()
	}
	if digest != nil {
		r.add(reprDigest, digest)
	}
	r.add(acceptRanges, nil)
}

// partial answers with a part.
func (r *Response) partial(v *View, sent *content.Body, part span, satisfiable bool) *guard.Problem {
	if !satisfiable {
		return OutOfRange
	}
	r.represent(v, sent)
	r.add(contentRange, r.spelt(appendContentRange(r.used, part, len(sent.Bytes))))
	r.Status, r.Content, r.body = fasthttp.StatusPartialContent, sent.Bytes[part.from:part.to], sent
	return nil
}

// Refuse answers ctx with p, and with what an answer to v carries besides. It returns the status.
func (r *Response) Refuse(ctx *fasthttp.RequestCtx, v *View, p *guard.Problem) int {
	refused := *v
	refused.Line = content.Line{}
	r.begin(&refused)
	switch p {
	case NotAllowed:
		r.add(allow, nil)
	case OutOfRange:
		r.add(etag, v.Body.ETag)
		r.add(acceptRanges, nil)
		r.add(contentRange, r.spelt(strconv.AppendInt(append(r.used, "bytes */"...), int64(len(v.Body.Bytes)), 10)))
	}
	r.WriteTo(&ctx.Response)
	return p.Send(ctx)
}

// Preflight makes r the answer that tells a browser, before it asks from another origin, that it may.
func (r *Response) Preflight(v *View) {
	r.begin(v)
	r.Status = fasthttp.StatusNoContent
	r.add(allow, nil)
	r.add(allowMethods, nil)
	r.add(allowAnyHeader, nil)
	r.add(maxAge, nil)
}

// Stream makes r the head of an event stream.
func (r *Response) Stream(v *View) {
	r.begin(v)
	r.add(eventStream, nil)
	r.add(cacheControl, noStore)
	r.add(unbuffered, nil)
}

// ShownAge rounds up, so that edge and browser together never keep an answer for longer than allowed; a
// tenth of a second, an answer's way through the edge, is let go.
func ShownAge(d time.Duration) time.Duration { return max(0, d+900*time.Millisecond) }

func appendAge(dst []byte, d time.Duration) []byte {
	return strconv.AppendInt(dst, int64(ShownAge(d)/time.Second), 10)
}

// WriteTo writes r as fasthttp's answer.
func (r *Response) WriteTo(res *fasthttp.Response) {
	res.SetStatusCode(r.Status)
	h := &res.Header
	for i := range r.fields[:r.count] {
		f := &r.fields[i]
		if f.value == nil {
			h.SetCanonical(f.header.name, f.header.value)
		} else {
			h.SetCanonical(f.header.name, f.value)
		}
	}
	if r.body == nil {
		return
	}
	h.SetContentTypeBytes(r.body.ContentType)
	if r.body.Encoding != coding.Identity {
		h.SetContentEncodingBytes(coding.Names[r.body.Encoding])
	}
	res.SetBodyRaw(r.Content)
}

// AppendHead appends the head of r, as fasthttp sends what WriteTo wrote, but for Date and the end.
func (r *Response) AppendHead(dst []byte) []byte {
	switch r.Status {
	case fasthttp.StatusOK:
		dst = append(append(dst, "HTTP/1.1 200 OK\r\n"...), r.body.Head...)
	case fasthttp.StatusPartialContent:
		dst = r.body.AppendHead(append(dst, "HTTP/1.1 206 Partial Content\r\n"...), len(r.Content))
	case fasthttp.StatusNotModified:
		dst = append(dst, "HTTP/1.1 304 Not Modified\r\n"...)
	}
	for i := range r.fields[:r.count] {
		f := &r.fields[i]
		dst = append(dst, f.header.line...)
		if f.value != nil {
			dst = append(append(dst, f.value...), "\r\n"...)
		}
	}
	return dst
}
