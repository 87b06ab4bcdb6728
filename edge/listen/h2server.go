package listen

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"example.com/livery/edge/respond"

	"example.com/livery/edge/loop"
	"github.com/valyala/fasthttp"
)

// The bounds of one connection under HTTP/2. Beyond the streams a client is refused; one that opens
// streams and resets them faster than they are answered has its connection ended by net/http.
const (
	maxStreams    = 100
	h2TableBytes  = 4 << 10  // of either side's compressed heads
	h2FrameBytes  = 16 << 10 // the least that a server may ask for
	h2WindowBytes = 64 << 10 // of bodies on a connection: no request has one
	h2StreamBytes = 32 << 10 // of the body of one request
	h2HeadRoom    = 2        // times the longest head: up to there a refusal has the API's shape
)

// newHTTP2Server sets the limits of HTTP/2: those of HTTP/1.1, and what only HTTP/2 needs. net/http
// reads and writes frames, an h2Guard between it and the client; Config.Handler answers. To
// net/http the connections are plain ones, as the guard stands above TLS.
func (s *Server) newHTTP2Server() *http.Server {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:                      s,
		DisableGeneralOptionsHandler: true,
		Protocols:                    &protocols,
		ReadTimeout:                  s.http1.ReadTimeout,
		WriteTimeout:                 s.http1.WriteTimeout,
		IdleTimeout:                  s.http1.IdleTimeout,
		MaxHeaderBytes:               h2HeadRoom * s.http1.ReadBufferSize,
		ErrorLog:                     log.New(io.Discard, "", 0), // its lines quote what strangers sent
		ConnContext:                  withPeer,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxDecoderHeaderTableSize:     h2TableBytes,
			MaxEncoderHeaderTableSize:     h2TableBytes,
			MaxReadFrameSize:              h2FrameBytes,
			MaxReceiveBufferPerConnection: h2WindowBytes,
			MaxReceiveBufferPerStream:     h2StreamBytes,
			WriteByteTimeout:              s.http1.WriteTimeout,
		},
	}
}

// peerKey is the key of a connection's peer in the context of its requests.
type peerKey struct{}

func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, c.RemoteAddr())
}

var h2Contexts = sync.Pool{New: func() any { return new(fasthttp.RequestCtx) }}

// ServeHTTP answers a request of HTTP/2, if there is room for one more of its client. What it
// holds while a slow client reads is the head of the answer and the handler's own bytes. It returns when those are sent,
// short ones too, which net/http would send after it: until then the request counts.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	peer, _ := r.Context().Value(peerKey{}).(net.Addr)
	client := loop.AddressOf(peer)
	in, ok := s.streams.enter(client)
	defer s.streams.leave(in, client)
	ctx := h2Contexts.Get().(*fasthttp.RequestCtx)
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.Response.Header.SetNoDefaultContentType(true)
	ctx.SetRemoteAddr(peer)
	if !ok {
		s.config.Shed()
		respond.Overloaded.Send(ctx)
	} else if p := s.readHTTP2(ctx, r); p != nil {
		p.Send(ctx)
	} else {
		s.handle(ctx)
	}
	body := writeHTTP2Head(w, r, &ctx.Response)
	ctx.Response.Reset() // the body is the handler's
	h2Contexts.Put(ctx)
	if len(body) > 0 {
		_, _ = w.Write(body)     // the client may have gone
		w.(http.Flusher).Flush() // net/http's are Flushers
	}
}

// readHTTP2 copies a request, or returns why it is refused before the handler sees it, as HTTP/1.1 does.
func (s *Server) readHTTP2(ctx *fasthttp.RequestCtx, r *http.Request) *respond.Problem {
	switch r.Header.Get(faultField) {
	case faultTooLong:
		return respond.HeadTooLarge
	case faultTrailer:
		return respond.NamesTrailers
	}
	h := &ctx.Request.Header
	h.SetMethod(r.Method)
	h.SetRequestURI(r.RequestURI)
	h.SetHost(r.Host)
	for name, values := range r.Header {
		switch name {
		case "Content-Length":
			continue
		case "Host":
			if len(values) > 1 || values[0] != r.Host {
				return respond.Malformed // two hosts (RFC 9113 section 8.3.1)
			}
			continue
		}
		for _, value := range values {
			h.Add(name, strings.Trim(value, " \t"))
		}
	}
	return dropBody(r, int64(s.http1.MaxRequestBodySize))
}

// dropBody reads a body to its end, which no answer depends on, and refuses one that is too long, is not as
// long as it was said to be, or does not come in time.
func dropBody(r *http.Request, most int64) *respond.Problem {
	said, declared := r.Header["Content-Length"]
	if !declared && r.ContentLength == 0 {
		return nil // the head ended the stream
	}
	length, err := int64(-1), error(nil)
	if declared {
		length, err = strconv.ParseInt(said[0], 10, 64)
	}
	switch {
	case err != nil || len(said) > 1 || declared && length < 0:
		return respond.NotFramed
	case length > most:
		return respond.BodyTooLarge
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return respond.TooSlow
	case err != nil:
		return respond.Malformed
	case n > most:
		return respond.BodyTooLarge
	case declared && n != length:
		return respond.NotFramed
	}
	return nil
}

// h2Names are the names of heads as texts, so that an answer need not make them.
var h2Names = func() map[string]string {
	names := map[string]string{}
	for _, name := range []string{
		"Accept-Ranges", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
		"Access-Control-Max-Age", "Age", "Allow", "Cache-Control", "Cache-Status", "Content-Encoding", "Content-Range", "Content-Type",
		"Cross-Origin-Resource-Policy", "ETag", "Retry-After", "Server-Timing", "Use-As-Dictionary", "Vary", "X-Content-Type-Options", "X-Request-Id",
	} {
		names[name] = name
	}
	return names
}()

func h2Name(name []byte) string {
	if known, ok := h2Names[string(name)]; ok {
		return known
	}
	return string(name)
}

// writeHTTP2Head sends the head of an answer without what concerns a connection of HTTP/1.1 only, and returns
// the body that belongs behind it.
func writeHTTP2Head(w http.ResponseWriter, r *http.Request, res *fasthttp.Response) (body []byte) {
	head, values := w.Header(), make([]string, 0, len(h2Names))
	set := func(name, value string) {
		if before := head[name]; before != nil {
			head[name] = append(before, value)
			return
		}
		values = append(values, value)
		head[name] = values[len(values)-1 : len(values) : len(values)] // one list for all: a name has one value, as a rule
	}
	for name, value := range res.Header.All() {
		switch string(name) {
		case "Connection", "Content-Length":
		default:
			set(h2Name(name), string(value))
		}
	}
	status, body := res.StatusCode(), res.Body()
	if status != http.StatusNoContent && status != http.StatusNotModified {
		set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	return body
}
