package client

import (
	"context"
	"net/http"
)

// Login is an OpenID Connect issuer at which people log in with the device authorization grant (RFC 8628).
type Login struct {
	Name       string            `json:"name"`
	Issuer     string            `json:"issuer"`
	ClientID   string            `json:"clientID"`
	Scopes     []string          `json:"scopes"`
	Parameters map[string]string `json:"parameters"` // to be sent beside, as they are
}

// Logins returns the issuers at which people log in, by name. It needs no token; often there is nothing.
func (c *Client) Logins(ctx context.Context) ([]Login, error) {
	var said struct {
		Issuers []Login `json:"issuers"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: []string{"login"}}, &said)
	return said.Issuers, err
}
