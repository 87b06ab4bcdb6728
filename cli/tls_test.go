package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeCertificate writes a self-signed certificate with a serial number, and its key.
func writeCertificate(t *testing.T, files tlsFlags, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"livery.example"}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{files.cert: {Type: "CERTIFICATE", Bytes: certificate}, files.key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := writeWhole(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestACertificateFollowsItsFiles: a renewed certificate is shown without a restart, and a broken one
// leaves the old in place.
func TestACertificateFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	files := tlsFlags{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	now := time.Now()
	written := func() { // the clock of a file system may be too coarse to tell two writes apart
		now = now.Add(time.Minute)
		if err := os.Chtimes(files.cert, now, now); err != nil {
			t.Fatal(err)
		}
	}
	writeCertificate(t, files, 1)
	c := &certificate{files: files, log: slog.New(slog.DiscardHandler)}
	if err := c.load(); err != nil {
		t.Fatal(err)
	}
	check := func(state string, want int64) {
		t.Helper()
		got, err := c.get(nil)
		if err != nil || got.Leaf.SerialNumber.Int64() != want {
			t.Errorf("%s: the certificate is %v, %v, want %d", state, got.Leaf.SerialNumber, err, want)
		}
	}
	check("at first", 1)
	if err := os.WriteFile(files.cert, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	written()
	check("with a broken file", 1)
	writeCertificate(t, files, 2)
	written()
	check("renewed", 2)
	c.recheckAfter = time.Hour
	writeCertificate(t, files, 3)
	written()
	check("within the pause", 2)
}

// TestTLSOverAListener shakes hands with it once.
func TestTLSOverAListener(t *testing.T) {
	dir := t.TempDir()
	files := tlsFlags{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	writeCertificate(t, files, 7)
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	secure, err := files.over(plain, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	shaken := make(chan error, 1)
	go func() {
		c, err := secure.Accept()
		if err == nil {
			err = c.(*tls.Conn).Handshake()
			_ = c.Close()
		}
		shaken <- err
	}()
	c, err := tls.Dial("tcp", plain.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); got != 7 || <-shaken != nil {
		t.Errorf("the certificate shown is %d, want 7", got)
	}
}

func TestWithoutACertificateThereIsNoTLS(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got, err := (&tlsFlags{}).over(l, nil); got != l || err != nil {
		t.Errorf("over() = %v, %v, want the listener itself", got, err)
	}
	if _, err := (&tlsFlags{"none", "none"}).over(l, nil); err == nil {
		t.Error("a certificate that is not there is no error")
	}
}
