package serve

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"sync"

	"github.com/spf13/cobra"
)

// upstreamTLSFlags are the flags of an edge whose upstreams speak TLS.
type upstreamTLSFlags struct {
	tlsFlags
	ca string
}

// Add gives a command the flags.
func (t *upstreamTLSFlags) Add(cmd *cobra.Command) {
	t.tlsFlags.Add(cmd, "upstream-", "this edge, if a feed asks for one")
	cmd.Flags().StringVar(&t.ca, "upstream-ca", "", "PEM `FILE` of the CAs trusted to sign an upstream's certificate; read again when it changes (default: the system's)")
}

// Settings returns what new connections to an upstream are made with at any time.
func (t *upstreamTLSFlags) Settings(log *slog.Logger) (func() *tls.Config, error) {
	c := &clientTLS{}
	var err error
	if t.ca != "" {
		if c.pool, err = newPoolReloader("upstream-ca", t.ca, log); err != nil {
			return nil, err
		}
	}
	if t.On() {
		if c.certificate, err = t.certificate(log); err != nil {
			return nil, err
		}
	}
	return c.now, nil
}

// clientTLS is the client's side of TLS. It may be used concurrently.
type clientTLS struct {
	pool        *reloader[*x509.CertPool]   // nil: the system's
	certificate *reloader[*tls.Certificate] // nil: none

	mu     sync.Mutex // guards all below
	config *tls.Config
	roots  *x509.CertPool
	own    *tls.Certificate
}

// now returns the settings of the moment. New files make new settings, with no sessions: a session goes
// on with the certificate that it began with, which the other side may take no more.
func (c *clientTLS) now() *tls.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	var roots *x509.CertPool
	var own *tls.Certificate
	if c.pool != nil {
		roots = c.pool.now()
	}
	if c.certificate != nil {
		own = c.certificate.now()
	}
	if c.config != nil && roots == c.roots && own == c.own {
		return c.config
	}
	c.roots, c.own = roots, own
	c.config = &tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	if own != nil {
		// Not Certificates: it would be left out if the feed names other CAs, and the operator would not learn why.
		c.config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return own, nil }
	}
	return c.config
}
