package api

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/share"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
)

// request is one request of the API: copies of all that the server lends for the time of a handler.
type request struct {
	id     string
	trace  string // trace id that the caller sent along; empty: none
	route  Route
	caller auth.Caller
	limits *Limits

	environmentID, themeID, variantID string
	file                              string // of a preview
	webhookID, deliveryID             string

	query           map[string][]string
	rawQuery        string
	ifMatch         []string // one for each field line
	ifNoneMatch     []string // one for each field line
	key             string   // the Idempotency-Key; empty: none, or keyFault
	keyFault        error    // what is wrong with the Idempotency-Key
	prefer          []string // one for each field line
	contentEncoding string
	accept          string
	lastEventID     string
	head            bool // the method is HEAD
	body            string

	sharer share.Caller       // whom it counts for
	room   *share.Reservation // memory for the answer
	turn   *share.Turn        // nil: it does not need one, or waits for it

	change  change // what the request asks for
	commits bool   // change is known: the body is read
	missing error  // errNotFound if the path names nothing: the request is a deletion, which may be a repeated one
	audit   audit  // of the route; nil: its commits are not in the audit log

	// finish is what is left of a read when its snapshot is closed: what takes long, or writes. nil: nothing is.
	finish func() (httpserver.Answer, error)

	answer httpserver.Answer // what the route's handler came to
}

// requestKey finds the request among the values of a server's context.
type requestKey struct{}

// fill copies from ctx what the route's handler may ask for.
func (q *request) fill(ctx *fasthttp.RequestCtx, route Route) {
	q.route = route
	q.environmentID = httpserver.PathParam(ctx, "environmentID")
	q.themeID = httpserver.PathParam(ctx, "themeID")
	q.variantID = httpserver.PathParam(ctx, "variantID")
	q.file = httpserver.PathParam(ctx, "file")
	q.webhookID, q.deliveryID = httpserver.PathParam(ctx, "webhookID"), httpserver.PathParam(ctx, "deliveryID")
	q.rawQuery = string(ctx.URI().QueryString())
	q.query = map[string][]string{}
	for name, value := range ctx.QueryArgs().All() {
		q.query[string(name)] = append(q.query[string(name)], string(value))
	}
	q.ifMatch = httpserver.Lines(&ctx.Request.Header, fasthttp.HeaderIfMatch)
	q.ifNoneMatch = httpserver.Lines(&ctx.Request.Header, fasthttp.HeaderIfNoneMatch)
	switch route.Method {
	case fasthttp.MethodPost, fasthttp.MethodPatch, fasthttp.MethodDelete:
		for i, key := range httpserver.Lines(&ctx.Request.Header, "Idempotency-Key") {
			if n := utf8.RuneCountInString(key); i > 0 || n == 0 || n > maxIdempotencyKey {
				q.key, q.keyFault = "", errIdempotencyKey
				break
			}
			q.key = key
		}
	}
	q.prefer = httpserver.Lines(&ctx.Request.Header, "Prefer")
	q.accept, q.head = string(ctx.Request.Header.Peek(fasthttp.HeaderAccept)), ctx.IsHead()
	q.lastEventID = string(ctx.Request.Header.Peek("Last-Event-ID"))
	q.contentEncoding = string(ctx.Request.Header.Peek(fasthttp.HeaderContentEncoding))
}

// checkQuery refuses the parameters that the route does not know, and those that are given twice, together with what of the
// request could not be read otherwise, which err says.
func (q *request) checkQuery(err error) error {
	if len(q.query) == 0 {
		return err
	}
	document, failed := openAPI()
	if failed != nil {
		return failed
	}
	faults := document.parameters.Faults(q.route.Method+" "+q.route.Path, q.query)
	if len(faults) == 0 {
		return err
	}
	var refusal *theming.Error
	if errors.As(err, &refusal) && refusal.Cause == theming.Payload {
		faults = append(faults, refusal.Messages...)
	}
	return payload(faults...)
}

// params reads the parameters of one request and collects what cannot be converted.
type params struct {
	q      *request
	faults []string
}

func (q *request) params() *params { return &params{q: q} }

// err refuses the request for every parameter that could not be converted.
func (p *params) err() error { return payload(p.faults...) }

func (p *params) fault(name, what string) { p.faults = append(p.faults, name+": "+what) }

// text returns a parameter as it came.
func (p *params) text(name string) (value string, given bool) {
	values := p.q.query[name] // at most one: checkQuery refuses more
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// boolean reads "true" or "false".
func (p *params) boolean(name string) bool {
	value, given := p.text(name)
	if given && value != "true" && value != "false" {
		p.fault(name, "must be true or false")
	}
	return value == "true"
}

// integer reads a decimal integer in its one spelling, without leading zeros or a plus sign; one
// that no int64 holds comes back as the nearest.
func (p *params) integer(name string, fallback int64) (n int64, given bool) {
	value, given := p.text(name)
	if !given {
		return fallback, false
	}
	digits := strings.TrimPrefix(value, "-")
	if !isDecimal(digits) || value == "-0" {
		p.fault(name, "must be an integer")
		return fallback, true
	}
	n, _ = strconv.ParseInt(value, 10, 64) // out of range is the nearest int64
	return n, true
}

func isDecimal(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) > 0 && (s == "0" || s[0] != '0')
}

// ifMatchValue returns the etags of the If-Match header, a list as RFC 9110 has it. A weak etag keeps its mark, so that it
// equals no draft's.
func (p *params) ifMatchValue() theming.IfMatch {
	if len(p.q.ifMatch) == 0 {
		return nil
	}
	rest, tags := strings.Trim(strings.Join(p.q.ifMatch, ","), " \t"), theming.IfMatch{}
	if rest == "*" {
		return theming.IfMatch{"*"}
	}
	for rest != "" {
		weak, opaque := "", rest
		if after, ok := strings.CutPrefix(rest, "W/"); ok {
			weak, opaque = "W/", after
		}
		quoted, ok := strings.CutPrefix(opaque, `"`)
		inner, after, closed := strings.Cut(quoted, `"`)
		after = strings.TrimLeft(after, " \t")
		if !ok || !closed || after != "" && after[0] != ',' || inner == "*" {
			tags = nil
			break
		}
		tags, rest = append(tags, weak+inner), strings.TrimLeft(after, ", \t")
	}
	if len(tags) == 0 {
		p.fault("If-Match", `must be * or a list of etags in quotes`)
		return nil
	}
	return tags
}

// wantsMinimal reports whether the caller prefers a minimal answer (RFC 7240).
func (q *request) wantsMinimal() bool {
	for preference := range strings.SplitSeq(strings.Join(q.prefer, ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(preference, "=")
		if strings.EqualFold(strings.TrimSpace(name), "return") {
			return strings.Trim(strings.TrimSpace(value), `"`) == "minimal" // the first one counts
		}
	}
	return false
}

// ifMatchOnly returns the If-Match header of a request that has no other parameters.
func (q *request) ifMatchOnly() (theming.IfMatch, error) {
	params := q.params()
	value := params.ifMatchValue()
	return value, params.err()
}

// etagHeader is the header that sends a draft's etag along.
func etagHeader(etag string) []httpserver.Header {
	if etag == "" {
		return nil
	}
	return []httpserver.Header{{Name: fasthttp.HeaderETag, Value: string(jsontree.AppendString(nil, etag))}}
}
