package serve

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"slices"

	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
)

// tlsFlags are the flags of a certificate that is shown to others.
type tlsFlags struct{ prefix, cert, key string }

// Add gives a command --PREFIXtls-cert and --PREFIXtls-key; what names the listener that shows the certificate.
func (t *tlsFlags) Add(cmd *cobra.Command, prefix, what string) {
	t.prefix = prefix
	cmd.Flags().StringVar(&t.cert, prefix+"tls-cert", "", "PEM `FILE` of the certificate chain of "+what+"; read again when it changes (default: no TLS)")
	cmd.Flags().StringVar(&t.key, prefix+"tls-key", "", "PEM `FILE` of that certificate's private key; a reader of it can pose as this server")
	cmd.MarkFlagsRequiredTogether(prefix+"tls-cert", prefix+"tls-key")
}

// On reports whether a certificate is given.
func (t *tlsFlags) On() bool { return t.cert != "" }

// certificate returns the reloader of the certificate that the flags name.
func (t *tlsFlags) certificate(log *slog.Logger) (*reloader[*tls.Certificate], error) {
	f := newReloader("certificate", log, []string{t.cert, t.key}, func() (*tls.Certificate, error) { return readPair(t.cert, t.key) })
	if err := f.load(); err != nil {
		return nil, term.Fail("Give a certificate chain and its key as PEM files with --"+t.prefix+"tls-cert and --"+t.prefix+"tls-key.", "the certificate cannot be used: %v", err)
	}
	return f, nil
}

// strong are the cipher suites of TLS 1.2 that HTTP/2 does not prohibit; TLS 1.3 has no others.
var strong = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// Server returns the settings of a listener, or nil if no certificate was given. One value serves
// every connection, and is never replaced by a copy: its session tickets, whose keys crypto/tls changes
// by itself, outlive a change of the certificate.
func (t *tlsFlags) Server(log *slog.Logger) (*tls.Config, error) {
	if !t.On() {
		return nil, nil
	}
	certificate, err := t.certificate(log)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		CipherSuites:   slices.Clone(strong),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate.now(), nil },
		NextProtos:     []string{"http/1.1"},
	}, nil
}

// Over returns the listener that speaks TLS over l, or l if no certificate was given. name is how
// the log calls it, and level how loud the log is about those who cannot shake hands.
func (t *tlsFlags) Over(l net.Listener, name string, level slog.Level, log *slog.Logger) (net.Listener, error) {
	config, err := t.Server(log)
	if config == nil {
		return l, err
	}
	return secured(l, config, &refusals{name: name, level: level, log: log}), nil
}

// feedTLSFlags are the flags of a feed's listener, whose clients are edges.
type feedTLSFlags struct {
	tlsFlags
	clientCA string
}

// Add gives a command the flags.
func (t *feedTLSFlags) Add(cmd *cobra.Command) {
	t.tlsFlags.Add(cmd, "feed-", "the feed")
	cmd.Flags().StringVar(&t.clientCA, "feed-client-ca", "", "PEM `FILE` of the CAs one of which must have signed an edge's certificate, in addition to the token; read again when it changes (default: the token alone)")
}

// Over returns the feed's listener under TLS 1.3, or l if no certificate was given. With a CA no client
// gets to HTTP without a certificate that it has signed for clients.
func (t *feedTLSFlags) Over(l net.Listener, log *slog.Logger) (net.Listener, error) {
	if t.clientCA != "" && !t.On() {
		return nil, term.UsageError("Give the feed's own certificate with --feed-tls-cert and --feed-tls-key.", "--feed-client-ca needs a feed that speaks TLS")
	}
	config, err := t.Server(log)
	if err != nil {
		return nil, err
	}
	if config == nil {
		warnOpenFeed(l, log)
		return l, nil
	}
	config.MinVersion = tls.VersionTLS13
	if t.clientCA != "" {
		pool, err := newPoolReloader("feed-client-ca", t.clientCA, log)
		if err != nil {
			return nil, err
		}
		config.ClientAuth, config.VerifyConnection = tls.RequireAnyClientCert, signedBy(pool)
	}
	return secured(l, config, &refusals{name: "feed", level: slog.LevelWarn, log: log}), nil
}

// warnOpenFeed says so if a feed that others may reach speaks no TLS.
func warnOpenFeed(l net.Listener, log *slog.Logger) {
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		log.Warn("the feed does not use TLS: everyone on the network path can read documents, signing secrets and its token",
			"address", at.String(), "next", "give it a certificate with --feed-tls-cert and --feed-tls-key, or keep it on a private network")
	}
}

// signedBy checks a client's certificate against the CAs of the moment. crypto/tls asks it for every
// connection, resumed ones too, so that a CA that was taken away admits no client with an old ticket.
func signedBy(pool *reloader[*x509.CertPool]) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		options := x509.VerifyOptions{Roots: pool.now(), Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
		for _, between := range s.PeerCertificates[1:] {
			options.Intermediates.AddCert(between)
		}
		_, err := s.PeerCertificates[0].Verify(options)
		return err
	}
}
