package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"example.com/livery/edge"
	"example.com/livery/wasm"
)

// edgeFlags are the flags of livery edge.
type edgeFlags struct {
	tlsFlags
	data, listen, opsListen     string
	upstream, upstreamTokenFile string
	cacheBytes, diskBytes       int64
	trustedProxies              []string
	compiled                    string
	logLevel                    string
}

func (a *app) edgeCommand() *cobra.Command {
	var e edgeFlags
	cmd := &cobra.Command{
		Use:   "edge",
		Short: "Run an edge: it serves the files of published versions",
		Long: "Runs an edge that follows the feed of an origin. It keeps what it was asked for in its data\n" +
			"directory and serves on from there while the origin is out of reach. Once it answers it writes\n" +
			"edge.json into the data directory.",
		Example: "  livery edge --data /var/cache/livery --listen :8090 --upstream http://10.0.0.1:8081 \\\n" +
			"    --upstream-token-file /etc/livery/feed-token",
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runEdge(cmd.Context(), e) },
	}
	f := cmd.Flags()
	f.StringVar(&e.data, "data", "", "`DIR`ectory of the disk cache; lost: a restart needs the upstream")
	f.StringVar(&e.listen, "listen", "127.0.0.1:8090", "`ADDRESS` of the files, HOST:PORT; port 0 takes a free one")
	f.StringVar(&e.opsListen, "ops-listen", "127.0.0.1:8092", "`ADDRESS` of /metrics, /healthz, /readyz and /debug/pprof, HOST:PORT; keep it private")
	f.StringVar(&e.upstream, "upstream", "", "`URL` of the feed of an origin")
	f.StringVar(&e.upstreamTokenFile, "upstream-token-file", "", "`FILE` of the feed's token; whoever has it reads every published document and every signing secret")
	f.Int64Var(&e.cacheBytes, "cache-bytes", 256<<20, "memory for files and records, in `BYTES`")
	f.Int64Var(&e.diskBytes, "disk-bytes", 4<<30, "disk for documents, overrides and renderer modules, in `BYTES`")
	f.StringArrayVar(&e.trustedProxies, "trusted-proxy", nil, "`CIDR` range of proxies whose X-Forwarded-For is believed; may be repeated (default: none)")
	compiledFlag(cmd, &e.compiled)
	f.StringVar(&e.logLevel, "log-level", "info", "least `LEVEL` that is logged: debug, info, warn or error")
	e.tlsFlags.add(cmd)
	need(cmd, "data", "upstream", "upstream-token-file")
	return cmd
}

// edgeFile is what a running edge says of itself, in edge.json of its data directory.
type edgeFile struct {
	EdgeURL string `json:"edgeURL"`
	OpsURL  string `json:"opsURL"`
}

func (a *app) runEdge(ctx context.Context, e edgeFlags) (err error) {
	log, err := a.logger(e.logLevel, true)
	if err != nil {
		return err
	}
	s := edgeSetup{compiled: e.compiled, upstream: trimSlash(e.upstream), cacheBytes: e.cacheBytes, diskBytes: e.diskBytes, registry: newRegistry(), log: log}
	if s.token, err = readToken(e.upstreamTokenFile, "upstream-token-file"); err != nil {
		return err
	}
	if s.trusted, err = readRanges(e.trustedProxies); err != nil {
		return err
	}
	r := newRun(log)
	defer func() { err = errors.Join(err, r.close()) }()
	var announced string
	if s.data, announced, err = r.openFor(e.data, "edge.json"); err != nil {
		return err
	}
	listeners, err := r.listenAll([2]string{"listen", e.listen}, [2]string{"ops-listen", e.opsListen})
	if err != nil {
		return err
	}
	files, ops := listeners[0], listeners[1]
	file := edgeFile{urlOf(files, e.on()), urlOf(ops, false)}
	if s.files, err = e.over(files, log); err != nil {
		return err
	}
	started, err := r.startEdge(ctx, s)
	if err != nil {
		return err
	}
	r.opsServer(ops, s.registry, started.Ready)
	if err := r.announce(announced, file); err != nil {
		return err
	}
	log.Info("the edge answers", "files", file.EdgeURL, "ops", file.OpsURL, "upstream", s.upstream)
	return r.wait(ctx)
}

// edgeSetup is what an edge is started from.
type edgeSetup struct {
	data                  string // absolute
	compiled              string // where compiled modules are kept; empty: in data
	files                 net.Listener
	upstream, token       string
	cacheBytes, diskBytes int64 // 0 means the edge's own default
	trusted               []netip.Prefix
	registry              *prometheus.Registry
	log                   *slog.Logger
}

// startEdge makes a renderer runtime and serves files.
func (r *run) startEdge(ctx context.Context, s edgeSetup) (*edge.Edge, error) {
	if s.compiled == "" {
		s.compiled = filepath.Join(s.data, "compiled")
	}
	runtime, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: s.compiled})
	if err != nil {
		return nil, fail("Name a directory that you may write to with --compiled.", "compiled renderer modules cannot be kept in %s: %v", s.compiled, err)
	}
	r.onClose(runtime.Close)
	e, err := edge.New(ctx, edge.Config{
		DataDir: filepath.Join(s.data, "held"), Upstreams: []string{s.upstream}, UpstreamToken: s.token, CacheBytes: s.cacheBytes, DiskBytes: s.diskBytes,
		TrustedProxies: s.trusted, Runtime: runtime, Logger: s.log, Registry: s.registry,
	})
	if err != nil {
		return nil, err
	}
	r.onClose(e.Shutdown)
	r.serve(func() error { return e.Serve(s.files) })
	return e, nil
}

func compiledFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "compiled", "", "`DIR`ectory of compiled renderer modules, which edges of one machine may share; lost: a second to compile (default: in the data directory)")
}

func readToken(path, flag string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fail("Name a file that can be read with --"+flag+"; the origin keeps its own as feed-token in its data directory.", "%s cannot be read: %s", path, reason(err))
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fail("Copy the origin's feed-token into it.", "%s holds no token", path)
	}
	return token, nil
}

func readRanges(list []string) ([]netip.Prefix, error) {
	var ranges []netip.Prefix
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, wrongUsage("Write a range such as 10.0.0.0/8 or 2001:db8::/32.", "--trusted-proxy %q is no CIDR range", text)
		}
		ranges = append(ranges, p)
	}
	return ranges, nil
}

func trimSlash(url string) string { return strings.TrimRight(url, "/") }
