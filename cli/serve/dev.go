package serve

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/admin"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/process"
	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/console"
	"example.com/livery/docs/site"
	"example.com/livery/edge"
	"example.com/livery/origin"
	"example.com/livery/origin/operator"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// devFlags are the flags of livery dev.
type devFlags struct {
	data, origin, edge string
	compiled           string
	empty              bool
	tls                bool
	logLevel           string
}

func (a *app) devCommand() *cobra.Command {
	var d devFlags
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run an origin and an edge on this machine, with a sample Theme",
		Long: "Runs an origin and an edge in one process. The first start makes the Team demo with the\n" +
			"Environments sandbox, staging and production, and a sample Theme with two Variants; later starts\n" +
			"find everything as it was. The other commands find a running dev without a flag.",
		Example: "  livery dev\n  livery dev --data /tmp/try --origin 127.0.0.1:0 --edge 127.0.0.1:0",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runDev(cmd.Context(), d, cmdline.Settings(cmd)) },
	}
	f := cmd.Flags()
	f.StringVar(&d.data, "data", cmdline.DefaultData, "data directory `DIR`; if it is lost, everything is lost")
	f.StringVar(&d.origin, "origin", "127.0.0.1:8080", "`ADDRESS` of the public API, HOST:PORT; port 0 takes a free one")
	f.StringVar(&d.edge, "edge", "127.0.0.1:8090", "`ADDRESS` of the served files, HOST:PORT; port 0 takes a free one")
	f.BoolVar(&d.tls, "tls", false, "serve the files over HTTPS and HTTP/2 too, at port 8443, or at a free one if --edge takes a free one; the certificate for this machine is made in the data directory")
	f.BoolVar(&d.empty, "empty", false, "make no sample Theme on the first start")
	compiledFlag(cmd, &d.compiled)
	f.StringVar(&d.logLevel, "log-level", "warn", "lowest `LEVEL` that is logged: debug, info, warn or error")
	return cmd
}

// devTokenLife is how long the token of livery dev is valid.
const devTokenLife = 30 * 24 * time.Hour

// dev is a livery dev on its way up.
type dev struct {
	*process.Run
	flags devFlags
	data  string // absolute

	settings []operator.Setting // what flags say
	first    bool               // no first start has finished here yet
	file     account.DevFile
	client   *client.Client
	pages    func(console bool) (map[string]site.File, error) // make the documentation

	console     string // a link that logs in at the console once; empty: this build has none
	certificate string // the path of what the files are served over HTTPS with; empty: they are not
}

func (a *app) runDev(ctx context.Context, flags devFlags, startedWith []operator.Setting) (err error) {
	r, err := process.NewServer(a.App, flags.logLevel, false)
	if err != nil {
		return err
	}
	d := &dev{Run: r, flags: flags, settings: startedWith, pages: a.pages}
	defer func() { err = d.End(ctx, err) }()
	if err := d.up(ctx); err != nil {
		return err
	}
	a.welcome(ctx, d)
	if err := d.Wait(ctx); err != nil {
		return err
	}
	a.Say("\nEnding; the data stays in %s.", flags.data)
	return nil
}

// up starts everything and returns when it answers.
func (d *dev) up(ctx context.Context) error {
	var err error
	if d.data, _, err = d.OpenFor(d.flags.data, "dev.json"); err != nil {
		return err
	}
	if d.first, err = d.isFirstRun(); err != nil {
		return err
	}
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := d.connect(ctx); err != nil {
		return err
	}
	if d.first && !d.flags.empty {
		if err := makeSample(ctx, d.client, d.file.Environments["sandbox"]); err != nil {
			return err
		}
	}
	if d.first {
		if err := d.finishFirstRun(); err != nil {
			return err
		}
	}
	if err := d.awaitFiles(ctx); err != nil {
		return err
	}
	if err := d.linkConsole(ctx); err != nil {
		return err
	}
	return d.Announce(account.DevPath(d.data), d.file)
}

// linkConsole makes the link that is shown, if there is a console.
func (d *dev) linkConsole(ctx context.Context) error {
	if console.Files() == nil {
		return nil
	}
	var link operator.ConsoleLink
	err := admin.NewSocket(d.file.OperatorSocket).Call(ctx, http.MethodPost, "console/link", operator.ConsoleOrder{Subject: account.DevSubject}, &link)
	d.console = link.URL
	return err
}

// start opens the listeners and starts the servers on them.
func (d *dev) start(ctx context.Context) error {
	addresses := [][2]string{{"origin", d.flags.origin}, {"edge", d.flags.edge}, {"ops-listen", "127.0.0.1:0"}, {"feed-listen", "127.0.0.1:0"}}
	if d.flags.tls {
		addresses = append(addresses, [2]string{"edge", tlsAddress(d.flags.edge)})
	}
	listeners, err := d.ListenAll(addresses...)
	if err != nil {
		return err
	}
	public, files, ops, feed := listeners[0], listeners[1], listeners[2], listeners[3]
	d.file = account.DevFile{OriginURL: process.URLOf(public, false), EdgeURL: process.URLOf(files, false), OpsURL: process.URLOf(ops, false)}
	d.file.APIURL = d.file.OriginURL + "/public/v1"
	e, err := d.serveAll(ctx, public, files, ops, feed)
	if err != nil || !d.flags.tls {
		return err
	}
	return d.serveSecurely(e, listeners[4])
}

// tlsAddress returns the address of the files over HTTPS, beside that of the files.
func tlsAddress(files string) string {
	host, port, err := net.SplitHostPort(files)
	if err != nil {
		return files // it is refused already
	}
	if port != "0" {
		port = "8443"
	}
	return net.JoinHostPort(host, port)
}

// serveSecurely serves the files over HTTPS too.
func (d *dev) serveSecurely(e *edge.Edge, l net.Listener) error {
	c, path, err := localTLS(d.data, d.Log)
	if err != nil {
		return err
	}
	offerHTTP2(c)
	d.file.EdgeTLSURL, d.certificate = process.URLOf(l, true), path
	d.Serve(func() error { return e.ServeTLS(l, c) })
	return nil
}

func (d *dev) serveAll(ctx context.Context, public, files, ops, feed net.Listener) (*edge.Edge, error) {
	token, err := process.Secret(filepath.Join(d.data, "feed-token"))
	if err != nil {
		return nil, err
	}
	originMetrics, edgeMetrics := d.NewRegistry(), prometheus.NewRegistry()
	share := process.ShareDescriptors(2)
	d.OpsServer(ops, share.Private, prometheus.Gatherers{originMetrics, edgeMetrics})
	o, err := startOrigin(ctx, d.Run, originSetup{
		data: d.data, public: public, feed: feed, prepare: d.prepare(ctx), descriptors: share,
		config: origin.Config{
			PublicURL: d.file.OriginURL, CDNURL: d.file.EdgeURL, FeedToken: token, Registry: originMetrics, Logger: d.Log, Settings: d.settings, Documents: d.pages,
			WebhookNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		},
	})
	if err != nil {
		return nil, err
	}
	d.file.OperatorSocket = o.socket
	e, err := startEdge(ctx, d.Run, edgeSetup{
		data: filepath.Join(d.data, "edge"), compiled: d.flags.compiled, files: files, descriptors: share,
		config: edge.Config{Upstreams: []string{process.URLOf(feed, false)}, UpstreamToken: token, Registry: edgeMetrics, Logger: d.Log},
	})
	if err != nil {
		return nil, err
	}
	d.SetReady(o.origin.Reads, o.origin.Ready, e.Ready)
	return e, nil
}

// prepare makes the Team demo on the first start.
func (d *dev) prepare(ctx context.Context) func(storage.Store) error {
	if !d.first {
		return nil
	}
	return func(store storage.Store) error {
		_, err := operator.Apply(ctx, store, demoTeams(), false, time.Now())
		return err
	}
}

func demoTeams() operator.TeamsFile {
	environment := func(slug, name string, cacheLifetime uint32) operator.EnvironmentEntry {
		return operator.EnvironmentEntry{
			Slug: slug, DisplayName: name, Kind: slug, CacheLifetime: cacheLifetime, Metadata: map[string]string{},
			Grants: map[string]record.Role{account.DevSubject: record.Admin},
		}
	}
	return operator.TeamsFile{Teams: []operator.TeamEntry{{
		Slug: "demo", Plan: record.Pro, Members: []string{account.DevSubject},
		Environments: []operator.EnvironmentEntry{
			environment("sandbox", "Sandbox", 0), environment("staging", "Staging", 60), environment("production", "Production", 300),
		},
	}}}
}

// connect makes a token and the client that dev itself uses, and learns the Environments' ids.
func (d *dev) connect(ctx context.Context) error {
	var token operator.Token
	order := operator.TokenOrder{Subject: account.DevSubject, TTLSeconds: int64(devTokenLife / time.Second)}
	if err := admin.NewSocket(d.file.OperatorSocket).Call(ctx, http.MethodPost, "token", order, &token); err != nil {
		return err
	}
	d.file.Token = token.Token
	d.client = account.NewClient(d.file.OriginURL, token.Token)
	d.file.Environments = map[string]string{}
	for e, err := range d.client.EveryEnvironment(ctx) {
		if err != nil {
			return err
		}
		d.file.Environments[e.Slug] = e.ID
	}
	// curl reads the header from here, so that commands to copy stay short.
	return localfile.Write(d.headerPath(), []byte("Authorization: Bearer "+token.Token+"\n"), 0o600)
}

func (d *dev) headerPath() string { return filepath.Join(d.data, "authorization") }

// awaitFiles returns when the edge serves the sample Theme, if there is one, or is ready.
func (d *dev) awaitFiles(ctx context.Context) error {
	urls := []string{d.file.OpsURL + "/readyz"}
	if t, ok := d.sample(ctx); ok && t.LatestVersion != nil && t.Serving.Mode == "public" && len(t.ServingURLs.Latest) > 0 {
		urls = append(urls, t.ServingURLs.Latest[0].URL)
	}
	for _, url := range urls {
		if err := d.awaitAnswer(ctx, url); err != nil {
			return err
		}
	}
	return nil
}

// awaitAnswer returns when url answers, with whatever a settled server answers.
func (d *dev) awaitAnswer(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if settled(ctx, url) {
			return nil
		}
		select {
		case err := <-d.Failed:
			return err
		case <-ctx.Done():
			return term.Fail("Start it again with --log-level debug to see why.", "%s does not answer", url)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// settled reports whether url answers anything but a failure; a refusal is an operator's wish.
func settled(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode < http.StatusInternalServerError && res.StatusCode != http.StatusNotFound
}

// sample returns the sample Theme, unless a user deleted it.
func (d *dev) sample(ctx context.Context) (client.Theme, bool) {
	page, err := d.client.Themes(ctx, d.file.Environments["sandbox"], client.ListOptions{Slug: sampleSlug})
	if err != nil || len(page.Items) == 0 {
		return client.Theme{}, false
	}
	return page.Items[0], true
}

// A first start is finished when its mark stands: one that was killed on its way is made again.
func (d *dev) markPath() string { return filepath.Join(d.data, "first-start-done") }

// isFirstRun reports whether no first start was finished on this data directory.
func (d *dev) isFirstRun() (bool, error) {
	_, err := os.Stat(d.markPath())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, process.Unwritable(d.data, err)
	}
	return false, nil
}

func (d *dev) finishFirstRun() error {
	if err := localfile.Write(d.markPath(), nil, 0o600); err != nil {
		return process.Unwritable(d.data, err)
	}
	return nil
}
