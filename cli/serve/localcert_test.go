package serve

import (
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// TestTheLocalCertificateStays: a client that trusts it goes on to after a restart, for each name of the machine, until
// the month before it ends; and it makes no client trust another server.
func TestTheLocalCertificateStays(t *testing.T) {
	dir := t.TempDir()
	make := func() (*x509.Certificate, string) {
		t.Helper()
		c, path, err := localTLS(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		shown, err := c.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return shown.Leaf, path
	}
	first, path := make()
	if again, _ := make(); !again.Equal(first) {
		t.Error("a second start makes another certificate")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(text)
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		if _, err := first.Verify(x509.VerifyOptions{Roots: trusted, DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if first.IsCA {
		t.Error("the certificate may sign others")
	}
	for _, name := range []string{"localhost.pem", "localhost.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if next, _ := make(); next.Equal(first) {
		t.Error("what cannot be read is not made again")
	}
}
