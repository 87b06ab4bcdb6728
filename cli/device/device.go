// Package device logs a person in at an OpenID Connect issuer with the OAuth 2.0 device authorization grant
// (RFC 8628), as a public client, and renews the token that it got. It asks the addresses that the issuer's
// own discovery document names and no others, over https, and follows no redirect. It keeps nothing.
package device

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// The errors that callers branch on.
var (
	ErrUnsupported = errors.New("the issuer has no device authorization grant")
	ErrDenied      = errors.New("the login was denied")
	ErrExpired     = errors.New("the code has expired")
	ErrEnded       = errors.New("the login has ended")
)

// Issuer is the issuer at which a person logs in, and the client to do that as.
type Issuer struct {
	URL        string
	ClientID   string
	Scopes     []string          // asked for; empty asks for none
	Parameters map[string]string // sent beside, such as the audience of the token
}

// Tokens are what a login gives.
type Tokens struct {
	Access  string
	Refresh string    // empty if the issuer gives none: then Access cannot be renewed
	Expires time.Time // of Access; zero if unknown
}

// Provider is an issuer whose discovery document was read. Its methods may be called concurrently.
type Provider struct {
	issuer        Issuer
	authorization string // address of the device authorization endpoint; empty if there is none
	token         string // address of the token endpoint

	now   func() time.Time
	pause func(context.Context, time.Duration) error
}

// Discover reads the discovery document of an issuer (OpenID Connect Discovery 1.0 section 4). The
// document must name that very issuer, and addresses that are as safe as its own.
func Discover(ctx context.Context, issuer Issuer) (*Provider, error) {
	if err := checkAddress(issuer.URL, issuer.URL); err != nil {
		return nil, err
	}
	var document struct {
		Issuer        string `json:"issuer"`
		Authorization string `json:"device_authorization_endpoint"`
		Token         string `json:"token_endpoint"`
	}
	if err := get(ctx, strings.TrimSuffix(issuer.URL, "/")+"/.well-known/openid-configuration", &document); err != nil {
		return nil, err
	}
	if document.Issuer != issuer.URL {
		return nil, fmt.Errorf("device: the discovery document of %s is that of %q", issuer.URL, document.Issuer)
	}
	for _, address := range []string{document.Authorization, document.Token} {
		if address == "" {
			continue
		}
		if err := checkAddress(address, issuer.URL); err != nil {
			return nil, err
		}
	}
	if document.Token == "" {
		return nil, fmt.Errorf("device: the discovery document of %s names no token endpoint", issuer.URL)
	}
	return &Provider{issuer, document.Authorization, document.Token, time.Now, sleep}, nil
}

// checkAddress refuses an address that is not https. On this machine alone, and for an issuer that is
// there too, http will do.
func checkAddress(address, issuer string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("device: %q is not a valid address to log in at", address)
	}
	if u.Scheme == "https" || isLocal(u) && strings.HasPrefix(issuer, "http://") {
		return nil
	}
	return fmt.Errorf("device: %q is not https", address)
}

// isLocal reports whether an address is one of http on this machine.
func isLocal(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
