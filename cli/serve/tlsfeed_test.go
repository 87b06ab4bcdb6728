package serve

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
)

// lines is a log that a test reads while it is written.
type lines struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) wait(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		l.mu.Lock()
		found := strings.Contains(l.text.String(), want)
		l.mu.Unlock()
		if found {
			return
		}
	}
	t.Errorf("the log does not say %q:\n%s", want, l.text.String())
}

// mutualFeed is a listener of a feed that asks for certificates of an authority.
func mutualFeed(t *testing.T, server, clients *authority) (address, clientCA string, log *lines) {
	t.Helper()
	flags := feedTLSFlags{tlsFlags: filesIn(t), clientCA: clients.file()}
	server.issue(flags.tlsFlags, 1)
	log = &lines{}
	plain := listening(t)
	l, err := flags.Over(plain, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	hello(t, l)
	return plain.Addr().String(), flags.clientCA, log
}

// upstreamOf is an edge's side with a certificate of an authority, or with none.
func upstreamOf(t *testing.T, ca string, signer *authority, uses ...x509.ExtKeyUsage) *upstreamTLSFlags {
	t.Helper()
	flags := &upstreamTLSFlags{ca: ca}
	if signer != nil {
		flags.tlsFlags = filesIn(t)
		signer.issue(flags.tlsFlags, 2, uses...)
	}
	return flags
}

func (t *upstreamTLSFlags) must(test *testing.T) func() *tls.Config {
	test.Helper()
	settings, err := t.Settings(slog.New(slog.DiscardHandler))
	if err != nil {
		test.Fatal(err)
	}
	return func() *tls.Config {
		c := settings().Clone()
		c.ServerName = "127.0.0.1"
		return c
	}
}

// TestMutualTLSLetsInWhomItsCASigned: every other client is refused before the first byte, and the log says
// what to do.
func TestMutualTLSLetsInWhomItsCASigned(t *testing.T) {
	mine, strange := newAuthority(t), newAuthority(t)
	for _, c := range []struct {
		name   string
		edge   *upstreamTLSFlags
		refuse string // the log says so; empty: is let in
	}{
		{"a certificate of the CA", upstreamOf(t, mine.file(), mine), ""},
		{"no certificate", upstreamOf(t, mine.file(), nil), "--upstream-tls-cert"},
		{"a certificate of another CA", upstreamOf(t, mine.file(), strange), "have a CA of --feed-client-ca sign"},
		{"a certificate for servers", upstreamOf(t, mine.file(), mine, x509.ExtKeyUsageServerAuth), "for the use of clients"},
		{"a client that does not trust the feed", upstreamOf(t, strange.file(), mine), "--upstream-ca"},
	} {
		address, _, log := mutualFeed(t, mine, mine)
		s, err := greet(address, c.edge.must(t)())
		if (err != nil) != (c.refuse != "") || err == nil && s.Version != tls.VersionTLS13 {
			t.Errorf("%s: %v, version %x", c.name, err, s.Version)
		}
		if c.refuse != "" {
			log.wait(t, c.refuse)
		}
	}
	address, _, log := mutualFeed(t, mine, mine)
	plain, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plain.Write([]byte("GET / HTTP/1.1\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	log.wait(t, "write https://")
	old := upstreamOf(t, mine.file(), mine).must(t)()
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	if _, err := greet(address, old); err == nil {
		t.Error("the feed speaks TLS 1.2")
	}
}

// TestACAThatWasTakenAwayAdmitsNoClient: not with a session from before, either; who has a certificate of
// the new one is let in without a restart of either side.
func TestACAThatWasTakenAwayAdmitsNoClient(t *testing.T) {
	before, after := newAuthority(t), newAuthority(t)
	address, clientCA, _ := mutualFeed(t, before, before)
	edge := upstreamOf(t, before.file(), before)
	settings := edge.must(t)
	for n := range 2 {
		if s, err := greet(address, settings()); err != nil || s.DidResume != (n == 1) {
			t.Fatalf("before: resumed %t, %v", s.DidResume, err)
		}
	}
	text, err := os.ReadFile(after.file())
	if err != nil {
		t.Fatal(err)
	}
	if err := localfile.Write(clientCA, text, 0o600); err != nil {
		t.Fatal(err)
	}
	later(t, time.Minute, clientCA)
	poll := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	poll("the old certificate is let in", func() bool { _, err := greet(address, settings()); return err != nil })
	after.issue(edge.tlsFlags, 3)
	later(t, time.Minute, edge.cert)
	poll("the new certificate is not let in", func() bool { _, err := greet(address, settings()); return err == nil })
	if s, err := greet(address, settings()); err != nil || !s.DidResume {
		t.Errorf("after: resumed %t, %v", s.DidResume, err)
	}
}

// TestAClientCANeedsTLS: without a certificate of its own the feed could ask for none.
func TestAClientCANeedsTLS(t *testing.T) {
	l := listening(t)
	defer l.Close()
	_, err := (&feedTLSFlags{clientCA: "ca.pem"}).Over(l, slog.New(slog.DiscardHandler))
	if err == nil || !term.Explain(err).Usage {
		t.Errorf("over() = %v, want wrong usage", err)
	}
	broken := upstreamTLSFlags{ca: "none"}
	if _, err := broken.Settings(nil); err == nil || !strings.Contains(term.Explain(err).Next, "--upstream-ca") {
		t.Errorf("settings() = %v", err)
	}
}
