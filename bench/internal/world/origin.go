package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/livery/client"
)

// Origin is a running livery origin with one Team and one Environment. It is for one goroutine; its
// API may be called concurrently.
type Origin struct {
	*server
	API         *client.Client
	Environment string // id
	Binary      string // of its other commands, and of edges that are started for it

	core int
}

const teams = `teams:
  - slug: bench
    plan: pro
    members: [bench]
    environments:
      - {slug: sandbox, displayName: Sandbox, kind: sandbox, cacheLifetime: 60, description: null, metadata: {}, grants: {bench: admin}}
`

// StartOrigin starts an origin with its data below dir, on a core or on AnyCore, and founds its Team.
// The caller must stop it.
func StartOrigin(ctx context.Context, binary, dir string, core int) (*Origin, error) {
	o := &Origin{Binary: binary, core: core}
	data := filepath.Join(dir, "origin")
	var err error
	if o.server, err = start(ctx, binary, core, "origin", data, originArguments("127.0.0.1:0", "127.0.0.1:0")...); err != nil {
		return nil, err
	}
	if err := o.makeTeam(ctx, dir); err != nil {
		return nil, errors.Join(err, o.Stop())
	}
	return o, nil
}

func originArguments(listen, feed string) []string {
	return []string{"--listen", listen, "--feed-listen", feed, "--ops-listen", "127.0.0.1:0", "--cdn-url", "http://cdn.example"}
}

// makeTeam makes the Team and the client.
func (o *Origin) makeTeam(ctx context.Context, dir string) error {
	file := filepath.Join(dir, "teams.yaml")
	if err := os.WriteFile(file, []byte(teams), 0o600); err != nil {
		return err
	}
	if _, err := o.run(ctx, "teams", "apply", file, "--data", o.data); err != nil {
		return err
	}
	token, err := o.run(ctx, "token", "--subject", "bench", "--ttl", "12h", "--data", o.data)
	if err != nil {
		return err
	}
	o.API = client.New(o.addresses["originURL"], string(bytes.TrimSpace(token)))
	page, err := o.API.Environments(ctx, client.ListOptions{})
	if err != nil || len(page.Items) != 1 {
		return fmt.Errorf("the Team has %d Environments, want 1: %w", len(page.Items), err)
	}
	o.Environment = page.Items[0].ID
	return nil
}

// run runs another command of the binary and returns what it prints.
func (o *Origin) run(ctx context.Context, arguments ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, o.Binary, arguments...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("livery %s: %w: %s", arguments[0], err, failed.Stderr)
	}
	return out, err
}

// FeedURL is the address of the feed.
func (o *Origin) FeedURL() string { return o.addresses["feedURL"] }

// URL is the address of the API.
func (o *Origin) URL() string { return o.addresses["originURL"] }

// TokenFile holds the token that edges carry.
func (o *Origin) TokenFile() string { return filepath.Join(o.data, "feed-token") }

// Data is the folder of the store.
func (o *Origin) Data() string { return o.data }

// Stop ends the origin in order.
func (o *Origin) Stop() error { return o.stop() }

// Kill ends the origin as a failure of the machine's power would end its process.
func (o *Origin) Kill() error { return o.kill() }

// Restart starts an origin that was stopped or killed again, at the same addresses, and returns how
// long it took until it answered.
func (o *Origin) Restart(ctx context.Context) (time.Duration, error) {
	listen, err := hostOf(o.URL())
	if err != nil {
		return 0, err
	}
	feed, err := hostOf(o.FeedURL())
	if err != nil {
		return 0, err
	}
	s, err := start(ctx, o.Binary, o.core, "origin", o.data, originArguments(listen, feed)...)
	if err != nil {
		return 0, err
	}
	o.server = s
	return s.ready, nil
}

func hostOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Host, nil
}

// Edge is a running livery edge.
type Edge struct{ *server }

// StartEdge starts an edge of an origin with its data below dir under a name, on a core or on AnyCore,
// with so much memory for what it holds and whatever other flags. Edges of one dir share their compiled
// modules.
func StartEdge(ctx context.Context, o *Origin, dir, name string, core int, cacheBytes int64, flags ...string) (*Edge, error) {
	s, err := start(ctx, o.Binary, core, "edge", filepath.Join(dir, name), append([]string{
		"--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--upstream", o.FeedURL(), "--upstream-token-file", o.TokenFile(),
		"--cache-bytes", fmt.Sprint(cacheBytes), "--compiled", filepath.Join(dir, "compiled"),
	}, flags...)...)
	if err != nil {
		return nil, err
	}
	return &Edge{s}, nil
}

// URL is the address of the files.
func (e *Edge) URL() string { return e.addresses["edgeURL"] }

// Host is the host and port of URL.
func (e *Edge) Host() string { return mustHost(e.URL()) }

// mustHost returns the host and port of an address that a server has written.
func mustHost(address string) string {
	host, err := hostOf(address)
	if err != nil {
		panic("world: an edge writes an address that is not valid: " + err.Error())
	}
	return host
}

// Stop ends the edge in order.
func (e *Edge) Stop() error { return e.stop() }

// Certify writes a certificate for 127.0.0.1 that signs itself to a folder.
func Certify(ctx context.Context, dir string) error {
	out, err := exec.CommandContext(ctx, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2",
		"-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", filepath.Join(dir, "tls.key"), "-out", filepath.Join(dir, "tls.pem")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("openssl: %w: %s", err, out)
	}
	return nil
}

// Secure are the flags of an edge that serves with the certificate of a folder.
func Secure(dir string) []string {
	return []string{"--tls-cert", filepath.Join(dir, "tls.pem"), "--tls-key", filepath.Join(dir, "tls.key")}
}
