package operator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/storage/record"
)

// LoginEntry says how people log in at an issuer with "livery login": by the device authorization grant
// (RFC 8628), as a public client of the issuer. The origin shows all of it without a token.
type LoginEntry struct {
	ClientID   string            `json:"clientID"`             // of a client without a secret
	Scopes     []string          `json:"scopes,omitempty"`     // that the tool requests, such as openid and offline_access
	Parameters map[string]string `json:"parameters,omitempty"` // sent beside, such as the audience of the token
}

// The bounds of a login.
const (
	maxScopes     = 20
	maxParameters = 20
)

// ownParameters are those that the grant itself sends.
var ownParameters = []string{"client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "grant_type", "device_code", "refresh_token"}

// faults lists everything in which the login breaks a rule.
func (l *LoginEntry) faults(at string) []string {
	var faults []string
	if l.ClientID == "" || !plainText(l.ClientID, maxClaimText) {
		faults = append(faults, fmt.Sprintf("%s.clientID: must have 1 to %d characters, none a control character", at, maxClaimText))
	}
	if len(l.Scopes) > maxScopes {
		faults = append(faults, fmt.Sprintf("%s.scopes: must have at most %d entries", at, maxScopes))
	}
	for i, scope := range l.Scopes {
		if scope == "" || !plainText(scope, maxClaimText) || strings.ContainsAny(scope, ` "\\`) {
			faults = append(faults, fmt.Sprintf("%s.scopes[%d]: must be one scope, without spaces", at, i))
		}
	}
	if len(l.Parameters) > maxParameters {
		faults = append(faults, fmt.Sprintf("%s.parameters: must have at most %d entries", at, maxParameters))
	}
	for _, name := range slices.Sorted(maps.Keys(l.Parameters)) {
		switch {
		case slices.Contains(ownParameters, name):
			faults = append(faults, fmt.Sprintf("%s.parameters: %q is the grant's own", at, name))
		case name == "" || !plainText(name, maxClaimText) || !plainText(l.Parameters[name], maxClaimText):
			faults = append(faults, fmt.Sprintf("%s.parameters: %q must have a name and a value of at most %d characters", at, name, maxClaimText))
		}
	}
	return faults
}

func (l *LoginEntry) record() *record.IssuerLogin {
	if l == nil {
		return nil
	}
	return &record.IssuerLogin{ClientID: l.ClientID, Scopes: l.Scopes, Parameters: l.Parameters}
}

func newLoginEntry(l *record.IssuerLogin) *LoginEntry {
	if l == nil {
		return nil
	}
	return &LoginEntry{l.ClientID, l.Scopes, l.Parameters}
}
