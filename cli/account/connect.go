// Package account logs in to origins, keeps the credentials, and makes the client of the public API.
package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// Session is the client side of the public API: if commands find the origin and their access token.
type Session struct {
	*term.App
	url     string             // of the origin; empty: of the running dev
	token   string             // access token; empty: of the running dev
	dataDir string             // of the running dev
	granted client.Environment // the last that was looked up; its role explains a refusal
	sent    sentToken          // the last; what it says of itself explains a refusal
}

// New returns a Session that prints on t. Failures that t reports name the role and the token that they met.
func New(t *term.App) *Session {
	s := &Session{App: t}
	t.OnFailure(s.explainRole)
	t.OnFailure(s.explainToken)
	return s
}

// Flags gives a command of the public API its flags.
func (a *Session) Flags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&a.url, "url", "", "`ADDRESS` of the origin (default: that of the running livery dev, or of the last login)")
	f.StringVar(&a.token, "token", "", "access `TOKEN` for the origin of --url or of the last login (default: that of the running livery dev, or of the login)")
	f.StringVar(&a.dataDir, "data", cmdline.DefaultData, "data directory `DIR` of the running livery dev")
}

// Client returns a client of the origin that the user named or logged in to, or of the livery dev that runs on this machine.
//
// A token goes only where its user sent it: a token from --token or LIVERY_TOKEN to the origin of --url or of the last login, a
// stored token to the origin that it was stored for, and the token of a livery dev to that livery dev.
func (a *Session) Client(ctx context.Context) (*client.Client, error) {
	if err := a.checkURL(); err != nil {
		return nil, err
	}
	if a.url != "" && a.token != "" {
		return a.clientOf(a.url, a.token), nil
	}
	stored, err := readCredentials()
	if err != nil {
		return nil, err
	}
	if a.token != "" {
		if stored.Origin == "" {
			return nil, term.UsageError("Name it with --url or LIVERY_URL, or log in with livery login.", "it is not known which origin the access token is for")
		}
		return a.clientOf(stored.Origin, a.token), nil
	}
	dev, err := ReadDev(a.dataDir)
	switch {
	case err == nil && (a.url == "" || client.New(a.url, "").BaseURL() == dev.OriginURL):
		if a.url == "" && stored.Origin != "" && stored.Origin != dev.OriginURL {
			a.Warn("Note: using the livery dev at %s, which runs on %s; name %s with --url to use it.", dev.OriginURL, a.dataDir, stored.Origin)
		}
		return a.clientOf(dev.OriginURL, dev.Token), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return a.loggedIn(ctx, stored)
}

// checkURL refuses a --url that is none.
func (a *Session) checkURL() error {
	if u, err := url.Parse(a.url); a.url == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	return term.UsageError("Write https://livery.example.com, for example.", "--url %q is not a valid address of an origin", a.url)
}

// loggedIn returns a client of the origin of --url, or else of the last login, with the token that is stored for it.
func (a *Session) loggedIn(ctx context.Context, stored credentials) (*client.Client, error) {
	address := cmp.Or(a.url, stored.Origin)
	if address == "" {
		return nil, term.Fail("Start livery dev, name an origin with --url and --token, or log in with livery login.", "no livery dev is running on %s", a.dataDir)
	}
	token, err := a.freshToken(ctx, stored, client.New(address, "").BaseURL())
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, term.UsageError("Give one with --token or LIVERY_TOKEN, or log in with livery login; the operator makes them with livery token.", "no access token for %s", address)
	}
	return a.clientOf(address, token), nil
}

// clientOf is newClient for a command, which then knows what it sends.
func (a *Session) clientOf(address, token string) *client.Client {
	a.sent = sentToken{client.New(address, "").BaseURL(), token}
	return NewClient(address, token)
}

// NewClient returns a client that names itself livery.
func NewClient(url, token string) *client.Client {
	c := client.New(url, token)
	c.UserAgent = "livery"
	return c
}

// NoteGrant remembers the Environment that a command works on: its role explains a refusal.
func (a *Session) NoteGrant(env client.Environment) { a.granted = env }

// explainRole says which role a refusal met, if the command had looked up its Environment.
func (a *Session) explainRole(f *term.Failure) *term.Failure {
	if !errors.Is(f.Cause, client.ErrForbidden) || a.granted.Slug == "" {
		return f
	}
	said := *f
	said.Sentence = fmt.Sprintf("the role %s on Environment %s does not allow this", a.granted.Role, a.granted.Slug)
	return &said
}

// Resolve looks p up with the client that the flags ask for.
func (a *Session) Resolve(cmd *cobra.Command, p target.Target) (*client.Client, target.Resolved, error) {
	return a.ResolveIn(cmd.Context(), p)
}

// ResolveIn is Resolve for a caller without a command.
func (a *Session) ResolveIn(ctx context.Context, p target.Target) (*client.Client, target.Resolved, error) {
	c, err := a.Client(ctx)
	if err != nil {
		return nil, target.Resolved{}, err
	}
	f, err := target.Lookup(ctx, c, p)
	a.NoteGrant(f.Env)
	return c, f, err
}

// Commands returns the commands of this package.
func Commands(a *Session) []*cobra.Command {
	return []*cobra.Command{
		a.loginCommand(),
		a.logoutCommand(),
	}
}
