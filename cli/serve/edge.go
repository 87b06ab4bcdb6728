package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/edge"
	"example.com/livery/httpd"
	"example.com/livery/httpd/guard"
	"example.com/livery/wasm"
)

// edgeFlags are the flags of livery edge.
type edgeFlags struct {
	tlsFlags
	feedTLS                 feedTLSFlags
	upstreamTLS             upstreamTLSFlags
	data, listen, opsListen string
	feedListen              string
	upstreams               []string
	upstreamTokenFile       string
	cacheBytes, diskBytes   int64
	trustedProxies          []string
	proxyProtocol           bool
	deltas                  bool
	compiled                string
	lifecycleFlags
}

func (a *app) edgeCommand() *cobra.Command {
	var e edgeFlags
	cmd := &cobra.Command{
		Use:   "edge",
		Short: "Run an edge: it serves the files of published versions",
		Long: "Runs an edge that follows the feed of an origin. It stores what clients requested in its data\n" +
			"directory and keeps serving it while the origin is out of reach. Once it answers, it writes\n" +
			"edge.json into the data directory.",
		Example: "  livery edge --data /var/cache/livery --listen :8090 --upstream http://10.0.0.1:8081 \\\n" +
			"    --upstream-token-file /etc/livery/feed-token",
		Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runEdge(cmd.Context(), e) },
	}
	f := cmd.Flags()
	f.StringVar(&e.data, "data", "", "directory `DIR` of the disk cache; if it is lost, a restart needs the upstream")
	f.StringVar(&e.listen, "listen", "127.0.0.1:8090", "`ADDRESS` of the files, HOST:PORT; port 0 takes a free one")
	f.StringVar(&e.opsListen, "ops-listen", "127.0.0.1:8092", "`ADDRESS` of /metrics, /healthz, /readyz and /debug/pprof, HOST:PORT; keep it private")
	f.StringVar(&e.feedListen, "feed-listen", "", "`ADDRESS` at which other edges can use this one as their upstream, HOST:PORT; keep it private (default: none)")
	f.StringArrayVar(&e.upstreams, "upstream", nil, "`URL` of the feed of an origin or of another edge; may be repeated, the preferred one first")
	f.StringVar(&e.upstreamTokenFile, "upstream-token-file", "", "`FILE` of the feed's token; a reader of it can read every published document and every signing secret")
	f.Int64Var(&e.cacheBytes, "cache-bytes", 256<<20, "memory for files and records, in `BYTES`; the process takes 254 MiB more on two processors (operating.md, Sizing)")
	f.Int64Var(&e.diskBytes, "disk-bytes", 4<<30, "disk for files, records, plans, overlays and compiled renderer modules, in `BYTES`")
	f.StringArrayVar(&e.trustedProxies, "trusted-proxy", nil, "`CIDR` range of proxies whose X-Forwarded-For or PROXY protocol is believed; may be repeated (default: none)")
	f.BoolVar(&e.proxyProtocol, "proxy-protocol", false, "take the client's address from the PROXY protocol, version 2, which every trusted proxy must speak then")
	f.BoolVar(&e.deltas, "deltas", true, "send browsers that have another version the difference to it; set false if a cache in front ignores Vary")
	compiledFlag(cmd, &e.compiled)
	e.lifecycleFlags.add(cmd)
	e.tlsFlags.Add(cmd, "", "the files")
	e.feedTLS.Add(cmd)
	e.upstreamTLS.Add(cmd)
	cmdline.Require(cmd, "data", "upstream", "upstream-token-file")
	return cmd
}

// edgeFile is what a running edge says of itself, in edge.json of its data directory.
type edgeFile struct {
	EdgeURL string `json:"edgeURL"`
	OpsURL  string `json:"opsURL"`
	FeedURL string `json:"feedURL,omitempty"` // what other edges name as their upstream
}

func (a *app) runEdge(ctx context.Context, e edgeFlags) (err error) {
	r, err := e.newRun(a.App)
	if err != nil {
		return err
	}
	defer func() { err = r.End(ctx, err) }()
	s := edgeSetup{compiled: e.compiled, descriptors: process.ShareDescriptors(1), config: edge.Config{
		Upstreams: trimSlashes(e.upstreams), NoDeltas: !e.deltas, CacheBytes: e.cacheBytes, DiskBytes: e.diskBytes, IdleTimeout: e.idleTimeout,
		Registry: r.NewRegistry(), Logger: r.Log,
	}}
	c := &s.config
	if c.UpstreamToken, err = readToken(e.upstreamTokenFile, "upstream-token-file"); err != nil {
		return err
	}
	if c.TrustedProxies, err = readRanges("trusted-proxy", e.trustedProxies); err != nil {
		return err
	}
	var announced string
	if s.data, announced, err = r.OpenFor(e.data, "edge.json"); err != nil {
		return err
	}
	addresses := [][2]string{{"listen", e.listen}, {"ops-listen", e.opsListen}}
	if e.feedListen != "" {
		addresses = append(addresses, [2]string{"feed-listen", e.feedListen})
	}
	listeners, err := r.ListenAll(addresses...)
	if err != nil {
		return err
	}
	files, ops := listeners[0], listeners[1]
	s.files = files
	file := edgeFile{EdgeURL: process.URLOf(files, e.On()), OpsURL: process.URLOf(ops, false)}
	if e.feedListen != "" {
		s.feed = listeners[2]
		file.FeedURL = process.URLOf(s.feed, e.feedTLS.On())
	}
	if e.proxyProtocol {
		s.files = httpd.ProxyListener(files, c.TrustedProxies)
	}
	if err := e.secure(&s); err != nil {
		return err
	}
	r.OpsServer(ops, s.descriptors.Private, c.Registry)
	limitMemory(edge.MemoryFor(e.cacheBytes, goruntime.GOMAXPROCS(0)).Heap)
	started, err := startEdge(ctx, r, s)
	if err != nil {
		return err
	}
	r.SetReady(nil, started.Ready)
	if err := r.Announce(announced, file); err != nil {
		return err
	}
	r.Log.Info("the edge answers", "files", file.EdgeURL, "ops", file.OpsURL, "upstreams", c.Upstreams)
	return r.Wait(ctx)
}

// secure gives every listener that has a certificate TLS, and new connections to upstreams theirs.
func (e *edgeFlags) secure(s *edgeSetup) (err error) {
	log := s.config.Logger
	if s.filesTLS, err = e.Server(log); err != nil {
		return err
	}
	if s.filesTLS != nil {
		offerHTTP2(s.filesTLS)
	}
	if s.config.UpstreamTLS, err = e.upstreamTLS.Settings(log); err != nil {
		return err
	}
	if s.feed != nil {
		s.feed, err = e.feedTLS.Over(s.feed, log)
	}
	return err
}

// offerHTTP2 has the clients of a listener choose HTTP/2 or HTTP/1.1.
func offerHTTP2(c *tls.Config) { c.NextProtos = []string{"h2", "http/1.1"} }

// edgeSetup is what an edge is started from.
type edgeSetup struct {
	data        string // absolute
	compiled    string // directory of compiled modules; empty: in data
	files       net.Listener
	filesTLS    *tls.Config  // nil: no TLS
	feed        net.Listener // of other edges; nil: none
	descriptors process.Descriptors
	config      edge.Config // without what follows from the above
}

// startEdge makes a renderer runtime and serves files.
func startEdge(ctx context.Context, r *process.Run, s edgeSetup) (*edge.Edge, error) {
	if s.compiled == "" {
		s.compiled = filepath.Join(s.data, "compiled")
	}
	c := s.config
	sizes, codeBytes := edge.MemoryFor(c.CacheBytes, goruntime.GOMAXPROCS(0)), c.DiskBytes/codePart
	runtime, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: s.compiled, CodeBytes: codeBytes, PlanBytes: sizes.Plans, MemoryBytes: sizes.Guests})
	if err != nil {
		return nil, term.Fail("Name a directory that you may write to with --compiled.", "compiled renderer modules cannot be stored in %s: %v", s.compiled, err)
	}
	r.OnClose(runtime.Close)
	c.DataDir, c.Runtime = filepath.Join(s.data, "held"), runtime
	c.DiskFileBytes = c.DiskBytes / filePart
	c.DiskBytes -= codeBytes + c.DiskFileBytes
	c.MaxConnections, c.MaxFeedConnections = min(edge.DefaultMaxConnections, s.descriptors.Clients), min(edge.DefaultMaxFeedConnections, s.descriptors.Edges)
	e, err := edge.New(ctx, c)
	if err != nil {
		return nil, err
	}
	r.OnClose(e.Shutdown)
	r.Serve(func() error {
		if s.filesTLS != nil {
			return e.ServeTLS(s.files, s.filesTLS)
		}
		return e.Serve(s.files)
	})
	if s.feed != nil {
		r.Serve(func() error { return e.ServeFeed(s.feed) })
	}
	return e, nil
}

// Compiled modules may take an eighth of the disk, and files as they are served a sixteenth.
const (
	codePart = 8
	filePart = 16
)

// limitMemory has the collector keep Go's heap under so many bytes, unless the operator has set a limit.
func limitMemory(heapBytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapBytes)
	}
}

func compiledFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "compiled", "", "directory `DIR` of compiled renderer modules, which edges of one machine may share; if it is lost, the next start compiles them again (default: in the data directory)")
}

func readToken(path, flag string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", term.Fail("Name a file that can be read with --"+flag+"; the origin keeps its own as feed-token in its data directory.", "%s cannot be read: %s", path, localfile.Reason(err))
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", term.Fail("Copy the content of the origin's feed-token into it.", "%s holds no token", path)
	}
	return token, nil
}

// readRanges reads the values of a flag.
func readRanges(flag string, list []string) ([]netip.Prefix, error) {
	var ranges []netip.Prefix
	for _, text := range list {
		p, ok := guard.ParseRange(text)
		if !ok {
			return nil, term.UsageError("Write a range such as 10.0.0.0/8 or 2001:db8::/32, or an address.", "--%s %q is not a valid CIDR range", flag, text)
		}
		ranges = append(ranges, p)
	}
	return ranges, nil
}

func trimSlash(url string) string { return strings.TrimRight(url, "/") }

func trimSlashes(urls []string) []string {
	trimmed := make([]string, len(urls))
	for i, url := range urls {
		trimmed[i] = trimSlash(url)
	}
	return trimmed
}
