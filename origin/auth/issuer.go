package auth

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// trustedIssuer is an issuer and its keys.
type trustedIssuer struct {
	record.Issuer
	set *keySet
}

// callerOf returns the caller that the claims name: of the issuers of that URL the first by name whose
// every wanted claim the token has.
func callerOf(issuers []trustedIssuer, c *claims) (Caller, error) {
	for _, issuer := range issuers {
		if !issuer.wants(c.root) {
			continue
		}
		caller := Caller{Subject: issuer.SubjectPrefix + c.Subject, Issuer: c.Issuer}
		if issuer.TeamID != "" {
			caller = Caller{
				Subject: issuer.Name + ":" + c.Subject, TeamID: issuer.TeamID, Issuer: c.Issuer,
				Role: roleIn(issuer.Issuer, c.root), Roles: issuer.Environments,
			}
		}
		if !ValidSubject(caller.Subject) {
			return Caller{}, fmt.Errorf("%w: the subject is too long", ErrUnauthorized)
		}
		return caller, nil
	}
	return Caller{}, fmt.Errorf("%w: %w", ErrUnauthorized, errClaims)
}

func (t trustedIssuer) wants(claims *jsontree.Node) bool {
	for name, value := range t.Claims {
		if !slices.Contains(values(claims, name), value) {
			return false
		}
	}
	return true
}

// roleIn returns the highest role that the claims name; empty means none.
func roleIn(issuer record.Issuer, claims *jsontree.Node) record.Role {
	var highest record.Role
	for _, value := range values(claims, issuer.RoleClaim) {
		role := record.Role(value)
		if len(issuer.Roles) > 0 {
			role = issuer.Roles[value]
		}
		if role.Allows(record.Viewer) && !highest.Allows(role) {
			highest = role
		}
	}
	return highest
}

// values returns the values of a claim as text: its own, or those in its list. The claims of OAuth scopes are lists in
// one string (RFC 8693 section 4.2; some issuers write scp).
func values(claims *jsontree.Node, name string) []string {
	n := claims.Find(name)
	if n.IsString() && (name == "scope" || name == "scp") {
		return strings.Fields(n.Text)
	}
	items := []*jsontree.Node{n}
	if n != nil && n.Kind == jsontree.Array {
		items = n.Items()
	}
	var all []string
	for _, item := range items {
		if text, ok := scalar(item); ok {
			all = append(all, text)
		}
	}
	return all
}

// scalar returns a string, a number or a truth value as text.
func scalar(n *jsontree.Node) (text string, ok bool) {
	switch {
	case n == nil:
		return "", false
	case n.Kind == jsontree.Bool:
		return strconv.FormatBool(n.True), true
	}
	return n.Text, n.Kind == jsontree.String || n.Kind == jsontree.Number
}

// trust groups the issuers by URL, and takes over the key sets of the same source.
func (k *Keys) trust(all []record.Issuer, old map[string][]trustedIssuer) map[string][]trustedIssuer {
	sets := map[string]*keySet{}
	for _, list := range old {
		for _, issuer := range list {
			sets[issuer.URL+"\x00"+issuer.KeySet] = issuer.set
		}
	}
	byURL := map[string][]trustedIssuer{}
	for _, issuer := range all {
		key := issuer.URL + "\x00" + issuer.KeySet
		if sets[key] == nil {
			sets[key] = &keySet{source: issuer.KeySet, now: k.config.Now, fetcher: k.fetcher, log: k.config.Logger, onRead: k.config.Read}
		}
		byURL[issuer.URL] = append(byURL[issuer.URL], trustedIssuer{issuer, sets[key]})
	}
	return byURL
}

// headerFault says what is wrong with the header of an issuer's token, or "". Parameters that are
// merely unknown are ignored (RFC 7515 section 4), but "crit" forbids that, "b64" changes what is
// signed, and those that bring or name a key have no place here.
func headerFault(header map[string]any) string {
	for _, name := range []string{"crit", "b64", "jwk", "jku", "x5u"} {
		if _, there := header[name]; there {
			return name + " is not understood"
		}
	}
	typ, there := header["typ"]
	text, _ := typ.(string)
	text = strings.TrimPrefix(strings.ToLower(text), "application/") // RFC 7515 section 4.1.9
	if there && text != "jwt" && text != "at+jwt" {
		return "typ is not that of an access token"
	}
	return ""
}

// SameIssuer reports whether both are the same in every field.
func SameIssuer(a, b record.Issuer) bool {
	return a.Name == b.Name && a.URL == b.URL && a.KeySet == b.KeySet && a.TeamID == b.TeamID && a.SubjectPrefix == b.SubjectPrefix &&
		a.RoleClaim == b.RoleClaim && maps.Equal(a.Claims, b.Claims) && maps.Equal(a.Roles, b.Roles) && maps.Equal(a.Environments, b.Environments) &&
		sameLogin(a.Login, b.Login)
}

func sameLogin(a, b *record.IssuerLogin) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ClientID == b.ClientID && slices.Equal(a.Scopes, b.Scopes) && maps.Equal(a.Parameters, b.Parameters)
}

// Login is an issuer at which people log in, with what a client needs to log in there.
type Login struct {
	Name       string            `json:"name"`
	Issuer     string            `json:"issuer"` // its address
	ClientID   string            `json:"clientID"`
	Scopes     []string          `json:"scopes"`
	Parameters map[string]string `json:"parameters"`
}

// Logins returns the issuers at which people log in, by their names.
func (k *Keys) Logins() []Login {
	all := []Login{}
	for _, list := range k.trusts.Load().issuers {
		for _, i := range list {
			if l := i.Issuer.Login; l != nil {
				all = append(all, Login{i.Name, i.URL, l.ClientID, l.Scopes, l.Parameters})
			}
		}
	}
	slices.SortFunc(all, func(a, b Login) int { return strings.Compare(a.Name, b.Name) })
	return all
}
