package serve

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
)

// authority signs certificates of a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert, a.key = a.sign(template, nil)
	return a
}

func (a *authority) sign(template, parent *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	signer := a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// file writes the authority's own certificate, into another file each time.
func (a *authority) file() string {
	path := filepath.Join(a.t.TempDir(), "ca.pem")
	a.write(path, "CERTIFICATE", a.cert.Raw)
	return path
}

func (a *authority) write(path, kind string, der []byte) {
	a.t.Helper()
	if err := localfile.Write(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// issue writes a certificate for 127.0.0.1 with a serial number, and its key, into the files of flags.
func (a *authority) issue(files tlsFlags, serial int64, uses ...x509.ExtKeyUsage) {
	a.t.Helper()
	if uses == nil {
		uses = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	}
	cert, key := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: uses,
	}, a.cert)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(files.key, "PRIVATE KEY", private)
	a.write(files.cert, "CERTIFICATE", cert.Raw)
}

func filesIn(t *testing.T) tlsFlags {
	dir := t.TempDir()
	return tlsFlags{"", filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
}

// later moves the time of files ahead: the clock of a file system may be too coarse to tell two writes
// apart.
func later(t *testing.T, ahead time.Duration, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(ahead)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestACertificateFollowsItsFiles: a renewed certificate is shown without a restart, and a broken one
// leaves the old in place.
func TestACertificateFollowsItsFiles(t *testing.T) {
	a, files := newAuthority(t), filesIn(t)
	a.issue(files, 1)
	c, err := files.certificate(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c.recheckAfter = 0
	check := func(state string, want int64) {
		t.Helper()
		if got := c.now().Leaf.SerialNumber.Int64(); got != want {
			t.Errorf("%s: the certificate is %d, want %d", state, got, want)
		}
	}
	check("at first", 1)
	if err := os.WriteFile(files.cert, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("with a broken file", 1)
	if err := os.Remove(files.cert); err != nil {
		t.Fatal(err)
	}
	check("without the file", 1)
	a.issue(files, 2)
	later(t, time.Minute, files.cert)
	check("renewed", 2)
	c.recheckAfter = time.Hour
	a.issue(files, 3)
	later(t, 2*time.Minute, files.cert)
	check("within the pause", 2)
}

// hello answers every client of a listener with one byte, until the test ends.
func hello(t *testing.T, l net.Listener) {
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				if _, err := c.Read(make([]byte, 1)); err == nil {
					_, _ = io.WriteString(c, "x")
				}
			}()
		}
	}()
}

func listening(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// greet sends a byte, waits for one and returns what the handshake came to.
func greet(address string, config *tls.Config) (tls.ConnectionState, error) {
	c, err := tls.Dial("tcp", address, config)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, "x"); err != nil {
		return tls.ConnectionState{}, err
	}
	_, err = io.ReadFull(c, make([]byte, 1))
	return c.ConnectionState(), err
}

func mustServe(t *testing.T, files *tlsFlags) *tls.Config {
	t.Helper()
	config, err := files.Server(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// TestSessionsOutliveTheCertificate: a client resumes its session, also after the certificate was
// renewed, and who begins a new one sees the new certificate.
func TestSessionsOutliveTheCertificate(t *testing.T) {
	a, files := newAuthority(t), filesIn(t)
	a.issue(files, 1)
	c, err := files.certificate(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c.recheckAfter = 0
	config := mustServe(t, &files)
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now(), nil }
	l := listening(t)
	hello(t, secured(l, config, &refusals{name: "test", log: slog.New(slog.DiscardHandler)}))
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		client := &tls.Config{RootCAs: pool, MaxVersion: version, ClientSessionCache: tls.NewLRUClientSessionCache(1)}
		for n := range 4 {
			if n == 2 {
				a.issue(files, int64(version))
				later(t, time.Duration(version)*time.Minute, files.cert)
			}
			s, err := greet(l.Addr().String(), client)
			if err != nil || s.DidResume != (n > 0) || s.Version != version {
				t.Errorf("connection %d: resumed %t, version %x, %v", n, s.DidResume, s.Version, err)
			}
		}
		s, err := greet(l.Addr().String(), &tls.Config{RootCAs: pool})
		if err != nil || s.PeerCertificates[0].SerialNumber.Int64() != int64(version) || s.Version != tls.VersionTLS13 {
			t.Errorf("a new session: %x, %v, %v", s.Version, s.PeerCertificates, err)
		}
	}
	if _, err := greet(l.Addr().String(), &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11}); err == nil { //nolint:gosec // to be refused
		t.Error("TLS 1.1 is spoken")
	}
}

func TestWithoutACertificateThereIsNoTLS(t *testing.T) {
	l := listening(t)
	defer l.Close()
	if got, err := (&tlsFlags{}).Over(l, "test", slog.LevelWarn, nil); got != l || err != nil {
		t.Errorf("over() = %v, %v, want the listener itself", got, err)
	}
	missing := tlsFlags{"feed-", "none", "none"}
	if _, err := missing.Over(l, "test", slog.LevelWarn, nil); err == nil || !strings.Contains(term.Explain(err).Next, "--feed-tls-cert") {
		t.Errorf("a certificate that is not there: %v", err)
	}
}

// TestAFeedThatOthersReachWarns: without TLS only the loopback is private.
func TestAFeedThatOthersReachWarns(t *testing.T) {
	for address, warns := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, "0.0.0.0:0": true} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Log(err)
			continue // a machine without IPv6
		}
		var said bytes.Buffer
		if got, err := new(feedTLSFlags).Over(l, slog.New(slog.NewTextHandler(&said, nil))); got != l || err != nil {
			t.Errorf("over() = %v, %v, want the listener itself", got, err)
		}
		_ = l.Close()
		if strings.Contains(said.String(), "--feed-tls-cert") != warns {
			t.Errorf("%s: %q, want a warning: %t", address, said.String(), warns)
		}
	}
}
