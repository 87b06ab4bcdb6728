package account

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"example.com/livery/cli/device"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
)

// errNoIssuer says that an origin names no issuer to log in at.
var errNoIssuer = errors.New("no issuer to log in at")

// loginAt lets a person log in at an issuer that the origin names.
func (a *Session) loginAt(ctx context.Context, origin string, l loginFlags) (device.Tokens, device.Issuer, error) {
	issuer, err := issuerOf(ctx, origin, l.issuer)
	if err != nil {
		return device.Tokens{}, issuer, err
	}
	tokens, err := a.confirmed(ctx, issuer)
	if err == nil {
		err = checkAudience(tokens.Access, origin)
	}
	return tokens, issuer, explainLogin(err, issuer)
}

// issuerOf returns the issuer of that name, or the only one.
func issuerOf(ctx context.Context, origin, name string) (device.Issuer, error) {
	list, err := NewClient(origin, "").Logins(ctx)
	if err != nil {
		return device.Issuer{}, err
	}
	var names []string
	for _, login := range list {
		if login.Name == name || name == "" && len(list) == 1 {
			return device.Issuer{URL: login.Issuer, ClientID: login.ClientID, Scopes: login.Scopes, Parameters: login.Parameters}, nil
		}
		names = append(names, login.Name)
	}
	switch {
	case len(list) == 0:
		f := term.Fail("Give a token with --token; the operator makes one with livery token, or names an issuer in the teams file.", "%s names no issuer to log in at", origin)
		f.Cause = errNoIssuer
		return device.Issuer{}, f
	case name != "":
		return device.Issuer{}, target.NotFound("issuer", name, " to log in at", names)
	}
	return device.Issuer{}, term.UsageError("Name one with --issuer: "+term.ShortList(names)+".", "there is more than one issuer to log in at")
}

// confirmed shows a person the page and the code, and returns the tokens when they have confirmed it there.
func (a *Session) confirmed(ctx context.Context, issuer device.Issuer) (device.Tokens, error) {
	provider, err := device.Discover(ctx, issuer)
	if err != nil {
		return device.Tokens{}, err
	}
	grant, err := provider.Start(ctx)
	if err != nil {
		return device.Tokens{}, err
	}
	a.Pairs(a.Err, "Open", grant.URL, "Code", a.Styled("1", grant.UserCode))
	a.Warn("Waiting until it is confirmed there, for %s at most. Ctrl-C gives up.", time.Until(grant.Expires).Round(time.Second))
	if a.hasBrowser() {
		_ = term.Browse(cmp.Or(grant.CompleteURL, grant.URL)) // if none starts, the user opens the address
	}
	return provider.Await(ctx, grant)
}

// hasBrowser reports whether the person who reads along sits before this machine, and a browser may start.
func (a *Session) hasBrowser() bool {
	switch {
	case !term.IsTerminal(a.Err) || os.Getenv("SSH_CONNECTION") != "":
		return false
	case runtime.GOOS == "darwin" || runtime.GOOS == "windows":
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// explainLogin says what to do about a login that came to nothing.
func explainLogin(err error, issuer device.Issuer) error {
	said, next := "", "Try again with livery login."
	switch {
	case err == nil:
		return nil
	case errors.Is(err, device.ErrDenied):
		said = "the login was denied at " + issuer.URL
	case errors.Is(err, device.ErrExpired):
		said = "the login at " + issuer.URL + " was not confirmed in time"
	case errors.Is(err, device.ErrUnsupported):
		said, next = issuer.URL+" does not support login by a code (device authorization grant)", "Give a token with --token; the operator makes one with livery token."
	default:
		return err
	}
	f := term.Fail(next, "%s", said)
	f.Cause = err
	if errors.Is(err, device.ErrDenied) {
		f.Code = term.ExitNotAllowed
	}
	return f
}
