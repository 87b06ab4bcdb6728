// Package origin starts the public API under /public/v1 (package api), the feed that edges follow and the operator's
// socket over one store. What it renders it renders natively; it keeps the renderer module of its build for the versions
// that are published with it, and runs the modules of other builds only to compile again what edges render their
// versions from.
package origin

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"net/url"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"example.com/livery/docs/site"
	"example.com/livery/origin/api"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/console"
	"example.com/livery/origin/cors"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/documents"
	"example.com/livery/origin/feed"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/maintenance"
	"example.com/livery/origin/metrics"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/session"
	"example.com/livery/origin/share"
	"example.com/livery/origin/webhooks"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// ErrMasterKey says that the store has secrets and a master key is missing, or that the one given is
// malformed.
var ErrMasterKey = auth.ErrMasterKey

// Config is what an Origin needs. Store, PublicURL, CDNURL and Guest must be given.
type Config struct {
	Store     storage.Store // stays open when the Origin is shut down
	PublicURL string        // under which callers reach the API, without "/public/v1" and without a slash at the end
	CDNURL    string        // under which browsers reach an edge, without a slash at the end
	Guest     []byte        // the renderer module of this build, made from the sources of this binary
	Compiled  string        // directory of the machine code of other builds' modules; empty means in memory; if lost: a second to compile
	FeedToken string        // what edges must carry; empty means that ServeFeed refuses to start
	Logger    *slog.Logger  // nil means slog.Default()
	Registry  *prometheus.Registry
	Now       func() time.Time // nil means time.Now
	Limits    Limits           // zero fields mean the defaults
	Master    string           // master keys as auth.ParseMaster reads them; empty means none, and then signed Themes are refused
	Roots     *x509.CertPool   // certificate authorities for the addresses of issuers' key sets and of webhooks; nil means the system's
	AuditKeep time.Duration    // how long entries of the audit log stay; 0 means for ever

	Documents   func(console bool) (map[string]site.File, error) // makes the pages at /docs/ when the first client asks, which lead to the console if there is one; nil: they are not served
	Console     fs.FS                                            // files of the web console; nil: it is not served
	CORSOrigins []string                                         // whose pages may call the API from a browser, as scheme://host[:port]; empty means none

	TrustedProxies  []netip.Prefix // peers whose X-Forwarded-For is believed, and that ConnectionsPerIP does not bound
	WebhookNetworks []netip.Prefix // that webhooks may reach beside the public internet, over http too

	CollectEvery time.Duration // how often what nothing names is collected; 0 means never
	ChangesKeep  uint64        // how many entries of the change log stay at least; 0 means all

	Settings []operator.Setting // what it was started with, for the operator; without secrets

	framing func(*fasthttp.RequestHeader) string // nil means httpserver.FramingFault; tests look at what happens without it
}

// Limits bound what one request, one connection and one caller can cost.
type Limits = api.Limits

// Origin serves the API. Its methods may be called concurrently.
type Origin struct {
	store     storage.Store
	keys      *auth.Keys
	module    record.Hash // renderer module that new versions are published with
	config    Config
	log       *slog.Logger
	metrics   *metrics.Metrics
	servers   *httpserver.Servers
	api       *api.Handler
	console   *console.Handler   // nil without one
	documents *documents.Handler // nil: there are none
	sessions  *session.Sessions  // of the console; nil without one
	turns     *share.Turns       // of heavy work
	derive    *derive.Deriver
	feed      *feed.Handler // nil without a feed token
	operator  *operator.Handler

	maintenance *maintenance.Service
	followers   maintenance.Followers

	ctx        context.Context // ends when Shutdown has waited for every request
	cancel     context.CancelFunc
	cancelFeed context.CancelFunc // ends the waits of the feed, and the streams of events
	background sync.WaitGroup     // work that goes on until ctx ends
}

// New returns an Origin over the store. It registers the renderer module under its digest, and makes the token key if the
// store has none. The error is ErrMasterKey if the store's secrets cannot be opened with the master keys.
func New(ctx context.Context, c Config) (*Origin, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	master, err := secure(ctx, c)
	if err != nil {
		return nil, err
	}
	counts := metrics.New(c.Registry)
	keys, err := auth.Open(ctx, c.Store, auth.Config{
		Issuer: c.PublicURL, Audience: c.PublicURL + api.Path, Now: c.Now, Roots: c.Roots, Logger: c.Logger, Master: master, Read: counts.KeySetRead,
	})
	if err != nil {
		return nil, err
	}
	module, err := derive.Register(ctx, c.Store, c.Guest, c.Now())
	if err != nil {
		return nil, fmt.Errorf("origin: register the renderer module: %w", err)
	}
	o := &Origin{
		store: metrics.MeteredStore{Store: c.Store, Metrics: counts}, keys: keys, module: module.Digest, config: c, log: c.Logger, metrics: counts,
		servers: newServers(c, counts),
	}
	o.ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	o.turns = share.NewTurns(runtime.GOMAXPROCS(0)-1, workShare*c.Limits.RequestMemory)
	o.derive = derive.New(derive.Config{
		Store: metrics.DerivedStore{Store: o.store, Metrics: counts}, Native: o.module, CacheDir: c.Compiled, Logger: c.Logger, Now: o.now,
		Acquire: o.acquire, AcquireBackground: o.acquireBackground,
	})
	o.maintenance = maintenance.New(maintenance.Config{
		Store: c.Store, Metered: o.store, Keys: keys, Logger: c.Logger, Now: o.now, Registry: c.Registry,
		CollectEvery: c.CollectEvery, ChangesKeep: c.ChangesKeep, AuditKeep: c.AuditKeep,
	})
	var feedContext context.Context
	feedContext, o.cancelFeed = context.WithCancel(o.ctx)
	shares, err := cors.New(c.CORSOrigins)
	if err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	sender := webhooks.NewSender(webhooks.SenderConfig{Networks: c.WebhookNetworks, Roots: c.Roots})
	o.sessions = newSessions(c, keys)
	o.api = api.NewHandler(api.Config{
		Webhooks: sender, Master: master,
		Context: o.ctx, Streams: feedContext, Store: o.store, Keys: keys, Derive: o.derive, Turns: o.turns, Module: o.module, CDNURL: c.CDNURL, Limits: c.Limits,
		Logger: c.Logger, Metrics: counts, Now: o.now, Framing: c.framing, CORS: shares, AuditLogged: o.auditLogged,
		Session: o.sessions.Token,
	})
	if err := o.openConsole(); err != nil {
		return nil, err
	}
	if c.Documents != nil {
		o.documents = documents.NewHandler(func() (map[string]site.File, error) { return c.Documents(c.Console != nil) }, counts)
	}
	o.operator = operator.NewHandler(operator.Config{
		Store: o.store, Master: master, Keys: keys, Module: o.module, Refuse: o.api.RefuseOn, Now: o.now, AuditLogged: o.auditLogged, Status: o.status, Settings: c.Settings,
		Console: o.consoleURL(),
	})
	if c.FeedToken != "" {
		o.feed = feed.NewHandler(feedContext, feed.Config{Store: o.store, Master: master, Derive: o.derive, Token: c.FeedToken, Refuse: o.api.RefuseOn})
	}
	o.registerGauges(c.Registry)
	o.maintenance.Start(o.ctx, &o.background)
	deliverer := webhooks.New(webhooks.Config{
		Store: o.store, Alone: o.maintenance.Alone("webhooks"), Sender: sender, Master: master, Logger: c.Logger, Now: o.now, Metrics: webhooks.NewMetrics(c.Registry),
	})
	o.background.Go(func() { deliverer.Run(o.ctx) })
	return o, nil
}

// workShare is how many times Limits.RequestMemory the documents and bodies that are being worked with may take: parsed,
// they take many times what they have as text.
const workShare = 2

// acquire waits for a turn for work that edges request of an Environment.
func (o *Origin) acquire(ctx context.Context, environmentID string) (release func(), err error) {
	turn, err := o.turns.Take(ctx, share.Caller{Subject: environmentID}, 0)
	return turn.End, err
}

func (o *Origin) acquireBackground(ctx context.Context, _ string) (release func(), err error) {
	turn, err := o.turns.TakeBackground(ctx)
	return turn.End, err
}

func newServers(c Config, counts *metrics.Metrics) *httpserver.Servers {
	l := c.Limits
	return httpserver.NewServers(httpserver.ServerConfig{
		ConnectionsPerIP: l.ConnectionsPerIP, TrustedProxies: c.TrustedProxies, BodyBytes: l.BodyBytes, HeaderBytes: l.HeaderBytes,
		ReadTimeout: l.ReadTimeout, WriteTimeout: l.WriteTimeout, IdleTimeout: l.IdleTimeout, Logger: c.Logger,
		Unread: func(status int) { counts.Observe("", "unread", status, time.Time{}) },
	})
}

func (c Config) withDefaults() (Config, error) {
	if c.Store == nil || len(c.Guest) == 0 {
		return c, errors.New("origin: a store and a renderer module are needed")
	}
	for name, address := range map[string]string{"PublicURL": c.PublicURL, "CDNURL": c.CDNURL} {
		if u, err := url.Parse(address); err != nil || u.Scheme == "" || u.Host == "" || address[len(address)-1] == '/' {
			return c, fmt.Errorf("origin: %s %q must be an absolute address without a slash at the end", name, address)
		}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Limits = c.Limits.WithDefaults()
	if c.framing == nil {
		c.framing = httpserver.FramingFault
	}
	return c, nil
}

// secure reads the master keys and seals every secret of the store with the newest.
func secure(ctx context.Context, c Config) (*auth.Master, error) {
	master, err := auth.ParseMaster(c.Master)
	if err == nil {
		err = auth.Secure(ctx, c.Store, master, c.Now().UTC())
	}
	if err == nil && master == nil {
		c.Logger.Warn("origin: no master key is given: the token key is stored unsealed, and signing keys and signed Themes are refused")
	}
	return master, err
}

// Ready returns nil if the Origin can answer every request, else why not. If only commits are
// impossible, because the disk is full, Reads still returns nil.
func (o *Origin) Ready() error {
	if err := o.Reads(); err != nil {
		return err
	}
	disk, ok := o.config.Store.(diskStore)
	if !ok {
		return nil
	}
	if err := disk.Writable(); err != nil {
		return fmt.Errorf("origin: nothing can be written, reads and the feed go on: %w", err)
	}
	return nil
}

// Reads returns nil if the Origin can answer requests that change nothing, and edges; else why not.
func (o *Origin) Reads() error {
	if o.servers.Closed() {
		return errors.New("origin: shutting down")
	}
	return o.store.View(o.ctx, func(r storage.Reader) error {
		_, err := storage.Modules.Read(r, string(o.module))
		return err
	})
}

// Keys returns what issues and verifies this Origin's access tokens.
func (o *Origin) Keys() *auth.Keys { return o.keys }

// now is the time as records and answers have it: in UTC, to the millisecond.
func (o *Origin) now() time.Time { return o.config.Now().UTC().Truncate(time.Millisecond) }
