package operator_test

import (
	"context"
	"reflect"
	"testing"

	"example.com/livery/origin/operator"
)

// How people log in at an issuer is shown as it was given, changes nothing when it is applied again, and is
// changed and taken away by the next file.
func TestTheLoginOfAnIssuerIsMadeTrue(t *testing.T) {
	store := open(t)
	entry := operator.IssuerEntry{Name: "people", Issuer: "https://sso.example", JWKS: "/etc/livery/sso.json"}
	for _, c := range []struct {
		login   *operator.LoginEntry
		changes int
	}{
		{&operator.LoginEntry{ClientID: "cli", Scopes: []string{"openid"}, Parameters: map[string]string{"audience": "x"}}, 1},
		{&operator.LoginEntry{ClientID: "cli", Scopes: []string{"openid"}, Parameters: map[string]string{"audience": "x"}}, 0},
		{&operator.LoginEntry{ClientID: "cli", Scopes: []string{"openid", "email"}, Parameters: map[string]string{"audience": "x"}}, 1},
		{&operator.LoginEntry{ClientID: "cli", Scopes: []string{"openid", "email"}, Parameters: map[string]string{"audience": "y"}}, 1},
		{nil, 1},
		{nil, 0},
	} {
		entry.Login = c.login
		file := operator.TeamsFile{Issuers: []operator.IssuerEntry{entry}}
		if got := apply(t, store, file, false); len(got) != c.changes {
			t.Errorf("Apply() with %+v = %q, want %d changes", c.login, got, c.changes)
		}
		shown, err := operator.Teams(context.Background(), store)
		if err != nil || len(shown.Issuers) != 1 || !reflect.DeepEqual(shown.Issuers[0].Login, c.login) {
			t.Errorf("Teams() = %+v, %v, want the login %+v", shown.Issuers, err, c.login)
		}
	}
}
