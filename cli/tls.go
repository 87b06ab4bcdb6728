package cli

import (
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// tlsFlags are the flags of a server that may speak TLS.
type tlsFlags struct{ cert, key string }

func (t *tlsFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.cert, "tls-cert", "", "PEM `FILE` of the certificate chain; read again when it changes (default: no TLS)")
	cmd.Flags().StringVar(&t.key, "tls-key", "", "PEM `FILE` of the certificate's private key")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
}

func (t *tlsFlags) on() bool { return t.cert != "" }

// over returns the listener that speaks TLS over l, or l where no certificate was given.
func (t *tlsFlags) over(l net.Listener, log *slog.Logger) (net.Listener, error) {
	if !t.on() {
		return l, nil
	}
	c := &certificate{files: *t, log: log, recheckAfter: time.Second}
	if err := c.load(); err != nil {
		return nil, fail("Give a certificate chain and its key as PEM files.", "the certificate cannot be used: %v", err)
	}
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"http/1.1"}}), nil
}

// certificate is a certificate that follows its files. It may be used concurrently.
type certificate struct {
	files        tlsFlags
	log          *slog.Logger
	recheckAfter time.Duration // how long it is used before its files are looked at again

	mu      sync.Mutex // guards all below
	loaded  *tls.Certificate
	stamp   [2]time.Time
	checked time.Time
}

func (c *certificate) load() error {
	stamp := c.stamps()
	pair, err := tls.LoadX509KeyPair(c.files.cert, c.files.key)
	if err != nil {
		return err
	}
	c.loaded, c.stamp, c.checked = &pair, stamp, time.Now()
	return nil
}

func (c *certificate) stamps() (stamp [2]time.Time) {
	for i, path := range []string{c.files.cert, c.files.key} {
		if info, err := os.Stat(path); err == nil {
			stamp[i] = info.ModTime()
		}
	}
	return stamp
}

// get returns the newest certificate. Where new files cannot be used, which they cannot between the
// writes of the two, the old one goes on serving.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < c.recheckAfter {
		return c.loaded, nil
	}
	c.checked = time.Now()
	if c.stamps() != c.stamp {
		if err := c.load(); err != nil {
			c.log.Warn("the new certificate cannot be used yet", "error", err)
		}
	}
	return c.loaded, nil
}
