package client_test

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"example.com/livery/client"
	"example.com/livery/origin"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/operator"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// testOrigin is a real origin on a free port with a store in memory, Team acme and its Environment.
type testOrigin struct {
	url         string
	token       string // of subject owner, admin
	environment string // id
	keys        *auth.Keys
	close       func()
}

// startOrigin starts an origin. It panics if it cannot: examples have no test to fail.
func startOrigin() *testOrigin {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	must(err)
	_, err = operator.Apply(ctx, store, operator.TeamsFile{Teams: []operator.TeamEntry{{
		Slug: "acme", Plan: record.Free, Members: []string{"owner", "reader"},
		Environments: []operator.EnvironmentEntry{{
			Slug: "sandbox", DisplayName: "Sandbox", Kind: "sandbox",
			Grants: map[string]record.Role{"owner": record.Admin, "reader": record.Viewer},
		}},
	}}, Issuers: []operator.IssuerEntry{{
		Name: "people", Issuer: "https://login.example", JWKS: "/etc/keys.json", Login: &operator.LoginEntry{ClientID: "cli", Scopes: []string{"openid"}},
	}}}, false, time.Now())
	must(err)
	guest, err := wasm.Guest()
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	url := "http://" + listener.Addr().String()
	o, err := origin.New(ctx, origin.Config{
		Store: store, PublicURL: url, CDNURL: "https://cdn.example", Guest: guest,
		Logger: slog.New(slog.DiscardHandler), Master: "a master key of the tests that is long enough",
	})
	must(err)
	served := make(chan error, 1)
	go func() { served <- o.ServePublic(listener) }()
	r := &testOrigin{url: url, keys: o.Keys(), close: func() {
		must(o.Shutdown(ctx))
		must(<-served)
		must(store.Close())
	}}
	r.token = r.tokenOf("owner")
	page, err := client.New(url, r.token).Environments(ctx, client.ListOptions{})
	must(err)
	r.environment = page.Items[0].ID
	return r
}

func (r *testOrigin) tokenOf(subject string) string {
	token, _, err := r.keys.Issue(auth.Order{Subject: subject, TTL: time.Hour})
	if err != nil {
		panic(err)
	}
	return token
}

// startFor starts an origin that ends with the test, and returns a client of it.
func startFor(t *testing.T) (*testOrigin, *client.Client) {
	t.Helper()
	r := startOrigin()
	t.Cleanup(r.close)
	return r, client.New(r.url, r.token)
}
