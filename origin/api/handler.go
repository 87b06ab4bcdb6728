// Package api answers the public REST API. A handler authenticates, reads one snapshot, asks one rule of package theming,
// commits once and answers; it decides nothing itself.
package api

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/cors"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/metrics"
	"example.com/livery/origin/share"
	"example.com/livery/origin/webhooks"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Config is what a Handler needs. Every field but Metrics, Master, CORS and Session must be given.
type Config struct {
	Context     context.Context // of what a request does; outlives the request, so that a commit is not given up
	Streams     context.Context // ends the streams of events, and the waits of heavy work for its turn
	Store       storage.Store
	Keys        *auth.Keys
	Derive      *derive.Deriver
	Turns       *share.Turns // of heavy work
	Module      record.Hash  // renderer module that new versions are published with
	CDNURL      string       // under which browsers reach an edge, without a slash at the end
	Limits      Limits       // with their defaults
	Logger      *slog.Logger
	Metrics     *metrics.Metrics
	Now         func() time.Time                     // in UTC, to the millisecond
	Framing     func(*fasthttp.RequestHeader) string // what makes a request ambiguous; "" if nothing does
	Webhooks    *webhooks.Sender                     // that webhooks are sent by
	Master      *auth.Master                         // seals secrets; nil: webhooks are refused
	CORS        *cors.Policy                         // whose pages may call the API; nil: none
	AuditLogged func(record.Audit)                   // called with each entry of the audit log that was committed
	Session     func(*fasthttp.RequestCtx) string    // the access token of a person at the console, "" without one; nil: none has one
}

// Handler answers the public API. Its methods may be called concurrently.
type Handler struct {
	config   Config
	router   *router.Router
	refusals map[string]fasthttp.RequestHandler // of every method that a path does not know
	rate     *httpserver.RateLimiter
	memory   *share.Budget // of bodies, and of answers until they are written
	places   *share.Budget // of event streams
	teams    shownTeams
	streams  events.Streams
}

// NewHandler returns a Handler. It does not wait for the OpenAPI document, which takes longer than all else that it needs: a
// request that is checked by it does, if it comes as early.
func NewHandler(c Config) *Handler {
	go func() { _, _ = openAPI() }() // who needs it has the error
	h := &Handler{
		config: c, rate: httpserver.NewRateLimiter(c.Limits.RequestsPerSecond),
		memory: share.NewBudget(c.Limits.RequestMemory, smallBytes), places: share.NewBudget(eventStreams, 0),
	}
	h.memory.Drain(debug.FreeOSMemory)
	h.router = h.newRouter()
	return h
}

// What requests share: Limits.RequestMemory for bodies and answers, not counting their first bytes, and places for event
// streams.
const (
	smallBytes   = 64 << 10
	eventStreams = 1024
)

// RequestMemory returns how much memory bodies and answers take now.
func (h *Handler) RequestMemory() int64 { return h.memory.Used() }

// Limits bound what one request, one connection and one caller can cost. Zero fields mean the
// defaults, which are those of the API's documentation.
type Limits struct {
	BodyBytes           int           // of a request body; 8 MiB
	RequestMemory       int64         // of bodies, and of answers until they are written, at one time; 128 MiB, four times BodyBytes at least
	DocumentBytes       int           // of a Theme document as minified JSON; 8 MiB
	Depth               int           // levels of nesting of a document; 64
	Operations          int           // of one batch; 10,000
	NameCharacters      int           // of a member name in a document; 256
	HeaderBytes         int           // of the request line and header block; 16 KiB
	ReadTimeout         time.Duration // for a head, and for each 64 KiB of a body; 10 s
	WriteTimeout        time.Duration // for each 64 KiB of an answer; 30 s
	TurnTimeout         time.Duration // for the wait of heavy work for its turn; 20 s
	RequestsPerSecond   float64       // of one caller; 0 means no limit
	Connections         int           // of the public listener at one time; 16,384
	FeedConnections     int           // of the feed's listener; 16,384
	OperatorConnections int           // of the operator socket; 1,024
	ConnectionsPerIP    int           // of an IPv4 address or an IPv6 network of 64 bits at one time on each listener; 512, negative means no limit
	IdleTimeout         time.Duration // between two requests of a connection; 3 min
}

// WithDefaults returns the limits with the default in place of each that is zero.
func (l Limits) WithDefaults() Limits {
	l.BodyBytes = or(l.BodyBytes, 8<<20)
	l.RequestMemory = max(or(l.RequestMemory, 128<<20), 4*int64(l.BodyBytes))
	l.DocumentBytes = or(l.DocumentBytes, 8<<20)
	l.Depth = or(l.Depth, 64)
	l.Operations = or(l.Operations, 10_000)
	l.NameCharacters = or(l.NameCharacters, 256)
	l.HeaderBytes = or(l.HeaderBytes, 16<<10)
	l.Connections = or(l.Connections, 16_384)
	l.FeedConnections = or(l.FeedConnections, 16_384)
	l.OperatorConnections = or(l.OperatorConnections, 1024)
	l.ConnectionsPerIP = or(l.ConnectionsPerIP, 512)
	l.ReadTimeout = or(l.ReadTimeout, 10*time.Second)
	l.WriteTimeout = or(l.WriteTimeout, 30*time.Second)
	l.IdleTimeout = or(l.IdleTimeout, 3*time.Minute)
	l.TurnTimeout = or(l.TurnTimeout, 20*time.Second)
	return l
}

func or[T int | int64 | time.Duration](value, fallback T) T {
	if value == 0 {
		return fallback
	}
	return value
}
