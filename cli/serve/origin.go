package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.com/livery/cli/admin"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/console"
	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/wasm"
)

// originFlags are the flags of livery origin.
type originFlags struct {
	tlsFlags
	feedTLS                             feedTLSFlags
	data, listen, feedListen, opsListen string
	publicURL, cdnURL, feedTokenFile    string
	masterKeyFile                       string
	store                               string
	storeAllowSingle                    bool
	requestsPerSecond                   int
	corsOrigins                         []string
	webhookNetworks                     []string
	lifecycleFlags
	trustedProxies []string
}

func (a *app) originCommand() *cobra.Command {
	var o originFlags
	cmd := &cobra.Command{
		Use:   "origin",
		Short: "Run an origin: the public API, the feed for edges and the operator socket",
		Long: "Runs an origin on the embedded store, or with --store on a PostgreSQL that several origins share. Edges\n" +
			"follow its feed with the token in --feed-token-file, which the first start makes; origins that share a store\n" +
			"need the same token. Once everything answers, the origin writes origin.json into the data directory.",
		Example: "  livery origin --data /var/lib/livery --listen :8080 --feed-listen 10.0.0.1:8081 \\\n" +
			"    --public-url https://livery.example.com --cdn-url https://cdn.example.com",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runOrigin(cmd.Context(), o, cmdline.Settings(cmd))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "directory `DIR` of the store and the operator socket; if it is lost, everything is lost, or with --store the feed-token only")
	f.StringVar(&o.store, "store", "", "address of a PostgreSQL 14 or newer that holds the store, a `URL` such as postgres://livery@db1,db2,db3/livery; the password in PGPASSWORD "+
		"or the file PGPASSFILE (default: the embedded store in the data directory); others who know the password can read and change everything")
	f.BoolVar(&o.storeAllowSingle, "store-allow-single", false, "let --store be one server without synchronous standbys; if its disk is lost, everything since its last backup is lost")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`ADDRESS` of the public API, HOST:PORT; port 0 takes a free one")
	f.StringVar(&o.feedListen, "feed-listen", "127.0.0.1:8081", "`ADDRESS` of the feed for edges, HOST:PORT")
	f.StringVar(&o.opsListen, "ops-listen", "127.0.0.1:8082", "`ADDRESS` of /metrics, /healthz, /readyz and /debug/pprof, HOST:PORT; keep it private")
	f.StringVar(&o.publicURL, "public-url", "", "`URL` at which callers reach the API, without /public/v1 (default: that of --listen)")
	f.StringVar(&o.cdnURL, "cdn-url", "http://127.0.0.1:8090", "`URL` at which browsers reach an edge")
	f.StringVar(&o.feedTokenFile, "feed-token-file", "", "`FILE` of the token that edges send (default: feed-token in the data directory)")
	f.StringVar(&o.masterKeyFile, "master-key-file", "", "`FILE` of the keys that encrypt secrets at rest, 32 characters or more each, the newest on the first line, or "+
		"$LIVERY_MASTER_KEY; if they are lost, every signing secret and token key is lost; others who know them can read these in any copy of the store")
	f.StringArrayVar(&o.trustedProxies, "trusted-proxy", nil, "`CIDR` range of proxies whose X-Forwarded-For is believed; may be repeated (default: none)")
	f.IntVar(&o.requestsPerSecond, "requests-per-second", 0, "how many requests a second one caller, the subject of a token, may make of the API, and as many at once, a `COUNT`; more are answered 429; 0: no limit")
	f.StringArrayVar(&o.corsOrigins, "cors-origin", nil, "`ORIGIN` such as https://app.example.com whose pages may call the API from a browser, with an access token of their own; may be repeated (default: none)")
	f.StringArrayVar(&o.webhookNetworks, "webhook-network", nil, "`CIDR` such as 10.1.0.0/16 that webhooks may be sent to beside the public internet, over http too; may be repeated (default: none); "+
		"admins of Environments can send requests to every address in it")
	o.lifecycleFlags.add(cmd)
	o.tlsFlags.Add(cmd, "", "the public API")
	o.feedTLS.Add(cmd)
	cmdline.Require(cmd, "data")
	return cmd
}

// originFile is what a running origin says of itself, in origin.json of its data directory.
type originFile struct {
	OriginURL      string `json:"originURL"`
	APIURL         string `json:"apiURL"`
	FeedURL        string `json:"feedURL"`
	OpsURL         string `json:"opsURL"`
	OperatorSocket string `json:"operatorSocket"`
}

func (a *app) runOrigin(ctx context.Context, o originFlags, startedWith []operator.Setting) (err error) {
	r, err := o.newRun(a.App)
	if err != nil {
		return err
	}
	defer func() { err = r.End(ctx, err) }()
	var announced string
	if o.data, announced, err = r.OpenFor(o.data, "origin.json"); err != nil {
		return err
	}
	listeners, err := r.ListenAll([2]string{"listen", o.listen}, [2]string{"feed-listen", o.feedListen}, [2]string{"ops-listen", o.opsListen})
	if err != nil {
		return err
	}
	public, ops := listeners[0], listeners[2]
	file := originFile{OriginURL: trimSlash(o.publicURL), FeedURL: process.URLOf(listeners[1], o.feedTLS.On()), OpsURL: process.URLOf(ops, false)}
	if file.OriginURL == "" {
		file.OriginURL = process.URLOf(public, o.On())
	}
	file.APIURL = file.OriginURL + "/public/v1"
	s := originSetup{
		data: o.data, public: public, feed: listeners[1], storeURL: o.store, storeSingle: o.storeAllowSingle, masterKey: o.masterKey, descriptors: process.ShareDescriptors(1),
		config: origin.Config{
			PublicURL: file.OriginURL, CDNURL: trimSlash(o.cdnURL), Registry: r.NewRegistry(), Logger: r.Log, Settings: startedWith, Documents: a.pages, CORSOrigins: o.corsOrigins,
			Limits: origin.Limits{RequestsPerSecond: float64(o.requestsPerSecond), IdleTimeout: o.idleTimeout},
		},
	}
	if err := o.secure(&s); err != nil {
		return err
	}
	if s.config.FeedToken, err = o.feedToken(); err != nil {
		return err
	}
	if s.config.WebhookNetworks, err = readRanges("webhook-network", o.webhookNetworks); err != nil {
		return err
	}
	if s.config.TrustedProxies, err = readRanges("trusted-proxy", o.trustedProxies); err != nil {
		return err
	}
	r.OpsServer(ops, s.descriptors.Private, s.config.Registry)
	limitMemory(heapBytes)
	started, err := startOrigin(ctx, r, s)
	if err != nil {
		return err
	}
	r.SetReady(started.origin.Reads, started.origin.Ready)
	file.OperatorSocket = started.socket
	if err := r.Announce(announced, file); err != nil {
		return err
	}
	r.Log.Info("the origin answers", "api", file.APIURL, "feed", file.FeedURL, "ops", file.OpsURL, "operatorSocket", file.OperatorSocket)
	return r.Wait(ctx)
}

// secure puts TLS over the listeners that have a certificate.
func (o *originFlags) secure(s *originSetup) (err error) {
	if s.public, err = o.Over(s.public, "public", slog.LevelDebug, s.config.Logger); err != nil {
		return err
	}
	s.feed, err = o.feedTLS.Over(s.feed, s.config.Logger)
	return err
}

func (o originFlags) feedToken() (string, error) {
	if o.feedTokenFile != "" {
		return readToken(o.feedTokenFile, "feed-token-file")
	}
	return process.Secret(filepath.Join(o.data, "feed-token"))
}

// masterKey returns the keys that the operator gave, or none.
func (o originFlags) masterKey() (string, error) {
	if o.masterKeyFile == "" {
		return os.Getenv("LIVERY_MASTER_KEY"), nil
	}
	text, err := os.ReadFile(o.masterKeyFile)
	if err != nil {
		return "", term.Fail("Name the file of the master key with --master-key-file.", "the master key cannot be read: %s", localfile.Reason(err))
	}
	return string(text), nil
}

const (
	heapBytes    = 700 << 20            // limit for the Go heap, unless GOMEMLIMIT sets another
	auditKeep    = 400 * 24 * time.Hour // age of the oldest entry of the audit log
	collectEvery = 24 * time.Hour       // time between two collections of unreferenced blobs
	changesKeep  = 200_000              // an edge that is further behind asks again for all it serves
)

// originSetup is what an origin is started from.
type originSetup struct {
	data         string // absolute
	public, feed net.Listener
	prepare      func(storage.Store) error // called before anything is served; nil does nothing
	storeURL     string                    // of a PostgreSQL; empty: the embedded store
	storeSingle  bool                      // it may be one server without standbys
	masterKey    func() (string, error)    // the keys that seal secrets; nil: one that data keeps, made if it is missing
	descriptors  process.Descriptors
	config       origin.Config // without what follows from the above
}

// startedOrigin is an origin that answers.
type startedOrigin struct {
	origin *origin.Origin
	socket string // of the operator
}

// startOrigin opens the store and serves the API, the feed and the operator socket.
func startOrigin(ctx context.Context, r *process.Run, s originSetup) (*startedOrigin, error) {
	guest, err := wasm.Guest()
	if err != nil {
		return nil, term.Fail("Run make build.", "this binary holds no renderer")
	}
	if s.masterKey == nil {
		s.masterKey = func() (string, error) { return process.Secret(filepath.Join(s.data, "master-key")) }
	}
	c := s.config
	if c.Master, err = s.masterKey(); err != nil {
		return nil, err
	}
	store, err := admin.OpenStore(r, admin.StoreLocation{Dir: s.data, URL: s.storeURL, Single: s.storeSingle, Tables: s.descriptors.Tables}, c.Logger)
	if err != nil {
		return nil, err
	}
	if s.prepare != nil {
		if err := s.prepare(store); err != nil {
			return nil, err
		}
	}
	c.Limits = c.Limits.WithDefaults()
	c.Limits.Connections = min(c.Limits.Connections, s.descriptors.Clients)
	c.Limits.FeedConnections = min(c.Limits.FeedConnections, s.descriptors.Edges)
	c.Limits.OperatorConnections = min(c.Limits.OperatorConnections, s.descriptors.Private)
	c.Store, c.Guest, c.Compiled, c.Console = store, guest, filepath.Join(s.data, "compiled"), console.Files()
	c.AuditKeep, c.CollectEvery, c.ChangesKeep = auditKeep, collectEvery, changesKeep
	o, err := origin.New(ctx, c)
	if errors.Is(err, origin.ErrMasterKey) {
		return nil, &term.Failure{Sentence: err.Error(), Next: "Give the master key with --master-key-file or LIVERY_MASTER_KEY.", Cause: err}
	}
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(s.data, admin.SocketName)
	if len(socket) > maxSocketPath {
		return nil, term.Fail("Name a directory with a shorter path with --data.", "the path of the operator socket %s is longer than the %d bytes that the system allows", socket, maxSocketPath)
	}
	private, err := operator.Listen(socket)
	if err != nil {
		return nil, err
	}
	if err := admin.ServeStore(r, s.data, s.descriptors.Private, store, o); err != nil {
		return nil, err
	}
	r.OnClose(o.Shutdown)
	r.Serve(func() error { return o.ServePublic(s.public) })
	r.Serve(func() error { return o.ServeFeed(s.feed) })
	r.Serve(func() error { return o.ServeOperator(private) })
	return &startedOrigin{o, socket}, nil
}

// maxSocketPath is what every Unix takes for the path of a socket, in bytes.
const maxSocketPath = 103
