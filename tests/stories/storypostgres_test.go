package stories

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/internal/test/postgrestest"
)

// fleet is several real origins on one PostgreSQL of three nodes, and an edge that follows all of them.
type fleet struct {
	t       *testing.T
	dir     string
	cluster *postgrestest.Cluster
	edgeURL string
}

// process is a server of a fleet.
type process struct {
	cmd  *exec.Cmd
	said map[string]string // what it announced
	at   string            // address of an origin for its callers
	log  *bytes.Buffer
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	if why := postgrestest.Why(); why != "" {
		t.Skip(why)
	}
	f := &fleet{t: t, dir: t.TempDir(), edgeURL: "http://" + freeAddress(t)}
	var err error
	if f.cluster, err = postgrestest.StartCluster(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.cluster.Close)
	f.write("feed-token", strings.Repeat("feed", 12))
	f.write("master", strings.Repeat("master", 8))
	return f
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func (f *fleet) write(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// begin starts a server and does not wait for it.
func (f *fleet) begin(kind, name string, flags ...string) *process {
	f.t.Helper()
	p := &process{log: &bytes.Buffer{}}
	p.cmd = exec.Command("livery", append([]string{kind, "--data", filepath.Join(f.dir, name), "--ops-listen", "127.0.0.1:0"}, flags...)...)
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// await returns when a server has announced itself.
func (f *fleet) await(p *process, kind, name string) {
	f.t.Helper()
	f.poll(name+" answers", func() error {
		text, err := os.ReadFile(filepath.Join(f.dir, name, kind+".json"))
		if err != nil {
			return errors.New(p.log.String())
		}
		return json.Unmarshal(text, &p.said)
	})
}

func (f *fleet) poll(what string, try func() error) {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("%s: %v", what, err)
		}
	}
}

func (f *fleet) origin(name string) *process {
	at := freeAddress(f.t)
	p := f.begin("origin", name, "--listen", at, "--feed-listen", "127.0.0.1:0", "--store", f.cluster.URL(), "--log-level", "warn",
		"--public-url", "http://livery.example", "--cdn-url", f.edgeURL, "--feed-token-file", filepath.Join(f.dir, "feed-token"), "--master-key-file", filepath.Join(f.dir, "master"), "--webhook-network", "127.0.0.0/8")
	p.at = at
	return p
}

// livery runs a command and returns what it prints.
func (f *fleet) livery(environment []string, args ...string) (string, error) {
	cmd := exec.Command("livery", args...)
	cmd.Env = append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("livery %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), err
}

func (f *fleet) must(environment []string, args ...string) string {
	f.t.Helper()
	out, err := f.livery(environment, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// through is what a user's command needs to work through an origin, with a token that another one made.
func (f *fleet) through(p *process, tokenOf string) []string {
	f.t.Helper()
	token := f.must(nil, "token", "--data", filepath.Join(f.dir, tokenOf), "--subject", "owner")
	return []string{"LIVERY_URL=http://" + p.at, "LIVERY_TOKEN=" + token}
}

// delivered waits until a webhook was sent so many different messages.
func (f *fleet) delivered(sent *sync.Map, want int) {
	f.t.Helper()
	f.poll("the webhook is sent", func() error {
		n := 0
		sent.Range(func(any, any) bool { n++; return true })
		if n != want {
			return fmt.Errorf("%d messages, want %d", n, want)
		}
		return nil
	})
}

func (f *fleet) served(url, want string) {
	f.t.Helper()
	f.poll(want+" is served", func() error {
		res, err := http.Get(url)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err == nil && !bytes.Contains(body, []byte(want)) {
			err = fmt.Errorf("%s: %s", res.Status, body)
		}
		return err
	})
}

const fleetTeams = `teams:
  - slug: acme
    plan: pro
    members: [owner]
    environments:
      - slug: production
        displayName: Production
        kind: production
        cacheLifetime: 0
        description: null
        metadata: {}
        grants: {owner: admin}
`

// Origins on one PostgreSQL are one origin: they start at the same moment, take each other's tokens, and
// write and are followed in one order; an edge goes on when one of them is gone, and writers when the
// primary is.
func TestSeveralOriginsOnOnePostgresAreOne(t *testing.T) {
	f := newFleet(t)
	a, b := f.origin("a"), f.origin("b") // on an empty database, at once
	f.await(a, "origin", "a")
	f.await(b, "origin", "b")
	f.await(f.begin("edge", "edge", "--listen", strings.TrimPrefix(f.edgeURL, "http://"), "--upstream", a.said["feedURL"], "--upstream", b.said["feedURL"],
		"--upstream-token-file", filepath.Join(f.dir, "feed-token"), "--log-level", "error"), "edge", "edge")
	f.must(nil, "teams", "apply", f.write("teams.yaml", fleetTeams), "--data", filepath.Join(f.dir, "a"))
	f.must(f.through(b, "a"), "theme", "create", "web", "--env", "production", "--integration", "react/plainCSS")
	push := func(through []string, color string) {
		t.Helper()
		file := f.write("tokens.json", `{"color": {"brand": {"$type": "color", "$value": "`+color+`"}}}`)
		f.must(through, "push", file, "--env", "production", "--theme", "web", "--publish")
	}
	push(f.through(a, "b"), "#010101")
	url := f.must(f.through(b, "b"), "open", "--env", "production", "--theme", "web", "--print")
	f.served(url, "#010101")
	push(f.through(b, "a"), "#020202")
	f.served(url, "#020202")

	// A key that one origin makes counts for the other.
	f.must(nil, "token", "rotate-keys", "--data", filepath.Join(f.dir, "a"), "--drop-old")
	f.poll("the other origin takes a token of the new key", func() error {
		_, err := f.livery(f.through(b, "a"), "env", "list")
		return err
	})

	// One of the origins sends to webhooks; if it is gone the other does.
	var sent sync.Map // by webhook-id
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent.Store(r.Header.Get("webhook-id"), true) }))
	t.Cleanup(receiver.Close)
	f.must(f.through(b, "a"), "webhook", "add", receiver.URL, "theme.published", "--env", "production")
	push(f.through(a, "b"), "#020203")
	f.delivered(&sent, 1)

	// One origin is gone: the edge follows the other.
	a.kill()
	push(f.through(b, "b"), "#030303")
	f.served(url, "#030303")
	f.delivered(&sent, 2)

	// The primary is gone: a client that writes sees no error.
	if _, err := f.cluster.FailOver(); err != nil {
		t.Fatal(err)
	}
	push(f.through(b, "b"), "#040404")
	f.served(url, "#040404")
	if said := f.must(nil, "status", "--data", filepath.Join(f.dir, "b"), "--json"); !strings.Contains(said, `"shared"`) || strings.Contains(said, "lost") {
		t.Errorf("livery status says %s", said)
	}
	f.must(nil, "store", "check", filepath.Join(f.dir, "b"))
	f.must(nil, "store", "collect", filepath.Join(f.dir, "b"))
	if out, err := f.livery(nil, "store", "backup", filepath.Join(f.dir, "b"), "--to", filepath.Join(f.dir, "backups")); err == nil || !strings.Contains(out, "store migrate") {
		t.Errorf("livery store backup of a PostgreSQL = %v %s", err, out)
	}
	b.kill()
	f.migrates()
}

// migrates moves the store into a data directory and starts an origin there, which holds the same.
func (f *fleet) migrates() {
	f.t.Helper()
	copied := filepath.Join(f.dir, "copy")
	f.must(nil, "store", "migrate", "--from", f.cluster.URL(), "--to", copied)
	if out, err := f.livery(nil, "store", "migrate", "--from", f.cluster.URL(), "--to", copied); err == nil || !strings.Contains(out, "holds records already") {
		f.t.Errorf("livery store migrate into a store that holds something = %v %s", err, out)
	}
	f.must(nil, "store", "check", copied)
	p := f.begin("origin", "copy", "--listen", "127.0.0.1:0", "--feed-listen", "127.0.0.1:0", "--log-level", "warn", "--master-key-file", filepath.Join(f.dir, "master"))
	f.await(p, "origin", "copy")
	token := f.must(nil, "token", "--data", copied, "--subject", "owner")
	if out := f.must([]string{"LIVERY_URL=" + p.said["originURL"], "LIVERY_TOKEN=" + token}, "theme", "list", "--env", "production"); !strings.Contains(out, "web") {
		f.t.Errorf("livery theme list of the copy says %s", out)
	}
}
