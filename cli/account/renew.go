package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/livery/cli/device"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// renewBefore is how long before its end a token is renewed.
const renewBefore = time.Minute

// freshToken returns the token that is kept of an origin, renewed if it ends soon; empty if there is none.
func (a *Session) freshToken(ctx context.Context, stored credentials, origin string) (string, error) {
	r, token := stored.Renewals[origin], stored.Tokens[origin]
	if token == "" || !r.ends() {
		return token, nil
	}
	renewed, err := a.renewed(ctx, origin)
	switch {
	case err == nil:
		return renewed, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case time.Now().Before(r.Expires):
		return token, nil // it does for this command
	}
	next := "Log in again with livery login --url " + origin + "."
	f := term.Fail(next, "the login at %s ended, and cannot be renewed: %s", origin, term.Explain(err).Sentence)
	if errors.Is(err, device.ErrEnded) {
		f = term.Fail(next, "the login at %s has ended", origin)
	}
	f.Code = term.ExitNotAllowed
	return "", f
}

// ends reports whether a token is to be renewed, and can be.
func (r renewal) ends() bool {
	return r.Refresh != "" && !r.Expires.IsZero() && time.Until(r.Expires) < renewBefore
}

// renewed renews the token of an origin, unless another process just did.
func (a *Session) renewed(ctx context.Context, origin string) (string, error) {
	lock, err := lockCredentials(ctx)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	stored, err := readCredentials()
	r := stored.Renewals[origin]
	if err != nil || !r.ends() {
		return stored.Tokens[origin], err
	}
	issuer := device.Issuer{URL: r.Issuer, ClientID: r.ClientID}
	provider, err := device.Discover(ctx, issuer)
	if err != nil {
		return "", err
	}
	tokens, err := provider.Refresh(ctx, r.Refresh)
	if err == nil {
		err = checkAudience(tokens.Access, origin)
	}
	if err != nil {
		return "", err
	}
	stored.store(origin, tokens, issuer)
	if _, err := stored.write(); err != nil {
		a.Warn("Note: %s", term.Sentence(term.Explain(err).Sentence))
	}
	return tokens.Access, nil
}

// lockCredentials keeps other processes from renewing at the same time: a refresh token is often good for once.
func lockCredentials(ctx context.Context) (io.Closer, error) {
	path, err := credentialsPath()
	if err != nil {
		return nil, err
	}
	for {
		lock, err := localfile.Lock(filepath.Join(filepath.Dir(path), ".credentials.lock"))
		if !errors.Is(err, localfile.ErrInUse) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// apiAudience is what the tokens of an origin are for.
func apiAudience(origin string) string { return origin + "/public/v1" }

// checkAudience refuses the token of an issuer that is not for the origin: an origin must get none that is good
// at another.
func checkAudience(token, origin string) error {
	claims, err := device.Read(token)
	ask := "Ask the operator: the issuer must give tokens (JSON Web Tokens) for the audience " + apiAudience(origin) + "."
	switch {
	case err != nil:
		return term.Fail(ask, "the issuer gave a token without an audience")
	case !slices.Contains(claims.Audience, apiAudience(origin)):
		if other := originOf(claims.Audience); other != "" {
			ask = "If it is the same origin, name it so: livery login --url " + other + "."
		}
		return term.Fail(ask, "the issuer gave a token for %s, and not for %s", term.ShortList(claims.Audience), apiAudience(origin))
	}
	return nil
}

// originOf returns the first origin that tokens are for, or empty.
func originOf(audience []string) string {
	for _, address := range audience {
		if origin, ok := strings.CutSuffix(address, apiAudience("")); ok {
			return escape.Line(origin)
		}
	}
	return ""
}

// sentToken is a token and the origin that it is sent to.
type sentToken struct{ origin, token string }

// explainToken says why a token is not taken, if it says so itself.
func (a *Session) explainToken(f *term.Failure) *term.Failure {
	claims, err := device.Read(a.sent.token)
	if err != nil || !errors.Is(f.Cause, client.ErrUnauthorized) {
		return f
	}
	said := *f
	said.Next = "Log in again with livery login --url " + a.sent.origin + ", or have the operator make a new one with livery token."
	switch {
	case !claims.Expires.IsZero() && time.Now().After(claims.Expires):
		said.Sentence = "the access token expired at " + term.Moment(&claims.Expires) + " UTC"
	case !slices.Contains(claims.Audience, apiAudience(a.sent.origin)):
		said.Sentence = fmt.Sprintf("the access token is for %s, and not for %s", escape.Line(term.ShortList(claims.Audience)), apiAudience(a.sent.origin))
	default:
		return f
	}
	return &said
}
