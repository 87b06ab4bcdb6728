// Package origin answers the public API under /public/v1, the feed that edges follow and the
// operator's socket. A handler authenticates, reads one snapshot, asks one rule of package theming,
// commits once and answers; it decides nothing itself. It never renders with WebAssembly: it keeps
// the renderer module of its build for the versions that are published with it.
package origin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/fasthttp/router"
	"github.com/prometheus/client_golang/prometheus"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/feed"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Config is what an Origin needs. Store, PublicURL, CDNURL and Guest must be given.
type Config struct {
	Store        storage.Store // stays open when the Origin is shut down
	PublicURL    string        // where callers reach the API, without "/public/v1" and without a slash at the end
	CDNURL       string        // where browsers reach an edge, without a slash at the end
	Guest        []byte        // the renderer module of this build
	GuestABI     uint32        // its ABI version
	GuestVersion string        // its core version
	FeedToken    string        // what edges must carry; empty means that ServeFeed refuses to start
	Logger       *slog.Logger  // nil means slog.Default()
	Registry     *prometheus.Registry
	Now          func() time.Time // nil means time.Now
	Limits       Limits           // zero fields mean the defaults
}

// Origin serves the API. Its methods may be called concurrently.
type Origin struct {
	store    storage.Store
	keys     *auth.Keys
	module   record.Hash // of the renderer that new versions are published with
	document publication // the API's description
	config   Config
	log      *slog.Logger
	router   *router.Router
	metrics  *metrics
	rate     *rate
	heavy    lane
	feed     *feed.Handler // nil where there is no feed token
	operator *operator.Handler

	ctx        context.Context // ends when Shutdown has waited for every request
	cancel     context.CancelFunc
	cancelFeed context.CancelFunc // ends the waits of the feed

	mu      sync.Mutex // guards serving and closed
	serving []serving
	closed  bool
}

// New returns an Origin over the store. It registers the renderer module under its digest and makes
// the token key where the store has none.
func New(ctx context.Context, c Config) (*Origin, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	document, err := openAPI()
	if err != nil {
		return nil, err
	}
	keys, err := auth.Open(ctx, c.Store, auth.Config{Issuer: c.PublicURL, Audience: c.PublicURL + apiPath, Now: c.Now})
	if err != nil {
		return nil, err
	}
	module, err := register(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("origin: register the renderer module: %w", err)
	}
	o := &Origin{
		store: c.Store, keys: keys, module: module, document: document, config: c, log: c.Logger,
		metrics: newMetrics(c.Registry), rate: newRate(c.Limits.RequestsPerSecond), heavy: newLane(),
	}
	o.operator = operator.NewHandler(c.Store, keys, o.refuseOn, c.Now)
	o.ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	var waits context.Context
	waits, o.cancelFeed = context.WithCancel(o.ctx)
	if c.FeedToken != "" {
		o.feed = feed.NewHandler(waits, c.Store, c.FeedToken, o.refuseOn)
	}
	o.router = o.newRouter()
	return o, nil
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
	c.Limits = c.Limits.withDefaults()
	return c, nil
}

// register stores the module and its record, unless they are there.
func register(ctx context.Context, c Config) (record.Hash, error) {
	digest, err := c.Store.PutBlob(ctx, c.Guest)
	if err != nil {
		return "", err
	}
	_, err = c.Store.Update(ctx, storage.Global, func(tx storage.Tx) (record.Change, error) {
		now := c.Now().UTC()
		_, err := storage.Modules.Read(tx, string(digest))
		if !errors.Is(err, storage.ErrNotFound) {
			return record.Change{}, err
		}
		m := record.Module{
			Digest: digest, CoreVersion: c.GuestVersion, ABIVersion: c.GuestABI, Size: len(c.Guest), RegisteredAt: now,
		}
		return record.Change{At: now}, storage.Modules.Write(tx, m, string(digest))
	})
	return digest, err
}

// Ready returns nil where the Origin can answer requests, else why not.
func (o *Origin) Ready() error {
	o.mu.Lock()
	closed := o.closed
	o.mu.Unlock()
	if closed {
		return errors.New("origin: shutting down")
	}
	return o.store.View(o.ctx, func(r storage.Reader) error {
		_, err := storage.Modules.Read(r, string(o.module))
		return err
	})
}

// Keys returns what issues and verifies this Origin's access tokens.
func (o *Origin) Keys() *auth.Keys { return o.keys }

// now is the time as records and answers spell it: in UTC, to the millisecond.
func (o *Origin) now() time.Time { return o.config.Now().UTC().Truncate(time.Millisecond) }
