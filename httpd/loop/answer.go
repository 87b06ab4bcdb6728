package loop

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"
)

// Handler answers the requests of a Loop.
type Handler interface {
	Source

	// Serve answers a request that Ready did not, on a goroutine that may wait. ctx has no connection: the Loop sends the
	// response, whose body it keeps until the client has all of it, and then the Stream of SetStream.
	Serve(ctx *fasthttp.RequestCtx)
}

// Source has finished answers to plain requests. Ready is called on a thread's own time, by several
// threads at once: it must be quick, must not block and should not allocate.
//
// An answer must be what Handler.Serve would give to the same request at the same moment, byte for
// byte, Date apart. If that is in doubt Ready returns false, which is always right.
type Source interface {
	// Ready returns the finished answer to GET r.Path, or false to let Serve answer it. r and
	// its slices are valid until Ready returns. A request for which Ready returned true is answered
	// and reaches no other handler: the source counts it.
	Ready(r *Request) (Answer, bool)
}

// Ask asks source for the answer to r. A panic, which is a bug of the source, leaves the request to Handler.Serve.
func Ask(source Source, r *Request, log *slog.Logger) (a Answer, ok bool) {
	defer func() {
		if reason := recover(); reason != nil {
			log.Error("a source ended in a panic", "path", string(r.Path), "reason", reason)
			ok = false
		}
	}()
	return source.Ready(r)
}

// PerThread is a Handler that gives each thread a Source of its own, whose Ready that thread alone calls, one
// call at a time: it can remember things without a lock.
type PerThread interface {
	Handler
	ForThread() Source
}

// Request is one plain request: GET in HTTP/1.1 without body or condition other than
// If-None-Match and If-Range, with exactly one Host. A header that is absent is nil and never empty: a request that
// repeats one of these headers, or sends it with an empty value, is not plain. Headers that no answer depends
// on are left out. Values are as sent, without the spaces around them.
type Request struct {
	Path []byte // begins with "/"; holds letters, digits and "-._~/" only, and "/./", "//" as they came
	Host []byte // a name or an IPv4 address, perhaps with a port

	// Query is what follows the first "?" of the address, as sent: letters, digits and "-._~/?:@!$&'()*+,;=%"
	// only; nil without a "?", and empty if nothing follows it.
	Query []byte

	AcceptEncoding []byte
	IfNoneMatch    []byte
	Origin         []byte
	Referer        []byte
	SecFetchMode   []byte
	SecFetchSite   []byte
	SecFetchDest   []byte
	SecCHUA        []byte
	UserAgent      []byte
	ForwardedFor   []byte // X-Forwarded-For
	Range          []byte
	IfRange        []byte

	AvailableDictionary []byte

	Remote netip.AddrPort // the peer of the connection; the zero value if it has no IP address
	Now    time.Time      // when the loop last read the clock: a batch of requests ago at most

	// Scratch is empty, with room for scratchBytes: an Answer.Head that is not ready made may be
	// appended to it.
	Scratch []byte
}

// scratchBytes is the room for heads that a source makes up.
const scratchBytes = 4 << 10

// Answer is one finished answer.
type Answer struct {
	// Head is the status line and every header line, in the order in which fasthttp would send them,
	// each ended by CRLF, without Date, without Connection and without the empty line at the end; with
	// Content-Length if fasthttp sends one. The loop puts Date behind the status line, as
	// fasthttp does, and "Connection: close" behind the last line if the connection ends. Head is
	// copied before the next call of Ready, so that it may lie in Request.Scratch.
	Head []byte

	// Body follows the head; empty for 304. It must never be changed: a loop goes on sending it
	// after Ready returned, to a slow reader for a long time.
	Body []byte
}

// dateLine is the Date header of the current second.
type dateLine struct {
	second int64
	line   []byte
}

// set makes the line that of now.
func (d *dateLine) set(now time.Time) {
	if second := now.Unix(); second != d.second || d.line == nil {
		d.second = second
		d.line = now.UTC().AppendFormat(append(d.line[:0], "Date: "...), http.TimeFormat)
		d.line = append(d.line, "\r\n"...)
	}
}

// maxHeadExtra is what appendHead adds to a head at most.
const maxHeadExtra = 128

// appendHead appends a whole head: the date behind the status line, how the connection goes on behind
// the last line, the empty line.
func appendHead(dst, head []byte, date *dateLine, closing bool) []byte {
	status := bytes.IndexByte(head, '\n') + 1
	dst = append(dst, head[:status]...)
	dst = append(dst, date.line...)
	dst = append(dst, head[status:]...)
	if closing {
		dst = append(dst, "Connection: close\r\n"...)
	}
	return append(dst, "\r\n"...)
}
