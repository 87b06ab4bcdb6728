package upstream

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

// dialTLS returns how connections to an https upstream are made, with the settings of the moment.
func dialTLS(dialer *net.Dialer, settings func() *tls.Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		config := settings().Clone()
		host, _, _ := net.SplitHostPort(address)
		config.ServerName = cmp.Or(config.ServerName, host)
		c := tls.Client(raw, config)
		ctx, cancel := context.WithTimeout(ctx, recordTimeout)
		defer cancel()
		if err := c.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, err
		}
		return c, nil
	}
}

// Advice says what to do about an error of TLS, or nothing.
func Advice(err error) string {
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "name the CA that signed the upstream's certificate with --upstream-ca"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "name the upstream in --upstream by a name or an address that its certificate holds"
	}
	if _, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return "renew the upstream's certificate"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the upstream speaks no TLS: write http:// in --upstream, or give it a certificate"
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" && strings.Contains(e.Error(), "certificate") {
		return "give this edge a certificate that the upstream's --feed-client-ca has signed, with --upstream-tls-cert and --upstream-tls-key"
	}
	return ""
}
