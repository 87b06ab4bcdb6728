package account

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/device"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

const loginText = `Stores an access token of an origin, so that later commands need neither --url nor --token. On a terminal you log in at
the issuer of the origin, if it names one; otherwise the token is read from --token or the standard input. It is stored
in a file that only you can read: LIVERY_CREDENTIALS, or credentials.json in your folder for configuration files.`

// loginFlags are the flags of login.
type loginFlags struct {
	issuer string // name of one of those that the origin names; empty: the only one
}

func (a *Session) loginCommand() *cobra.Command {
	var l loginFlags
	cmd := &cobra.Command{
		Use:     "login",
		Short:   "Log in to an origin, or store its access token, for later commands",
		Long:    loginText,
		Example: "  livery login --url https://livery.example.com\n  livery token --subject me | livery login --url http://127.0.0.1:8080",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.login(cmd.Context(), l) },
	}
	cmd.Flags().StringVar(&l.issuer, "issuer", "", "`NAME` of the issuer to log in at (default: the only one that the origin names, if the command runs on a terminal)")
	return a.JSONFlag(cmd)
}

func (a *Session) login(ctx context.Context, l loginFlags) error {
	stored, err := readCredentials()
	if err != nil { // a file that cannot be read is written anew
		stored = credentials{Tokens: map[string]string{}}
	}
	a.url = cmp.Or(a.url, stored.Origin)
	if a.url == "" {
		return term.UsageError("See livery login --help.", "livery login needs --url")
	}
	if err := a.checkURL(); err != nil {
		return err
	}
	origin := client.New(a.url, "").BaseURL()
	tokens, issuer, err := a.obtain(ctx, origin, l)
	if err != nil {
		return err
	}
	list := []client.Environment{}
	for e, err := range a.clientOf(origin, tokens.Access).EveryEnvironment(ctx) {
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	stored.Origin = origin
	stored.store(origin, tokens, issuer)
	path, err := stored.write()
	if err != nil {
		return err
	}
	return a.Show(list, func() {
		a.Say("Logged in to %s: %s to work on.", origin, term.Plural(len(list), "Environment"))
		a.Say("The token is stored in %s%s.", path, lasting(tokens))
	})
}

// lasting says how long a token will do.
func lasting(t device.Tokens) string {
	switch {
	case t.Refresh != "":
		return ", and is renewed automatically"
	case t.Expires.IsZero():
		return ""
	}
	return "; it expires at " + term.Moment(&t.Expires) + " UTC"
}

// obtain returns the tokens to keep, and the issuer that they are of; the zero Issuer if a token was given.
func (a *Session) obtain(ctx context.Context, origin string, l loginFlags) (device.Tokens, device.Issuer, error) {
	required := l.issuer != ""
	if a.token == "" && (required || term.IsTerminal(a.In)) {
		tokens, issuer, err := a.loginAt(ctx, origin, l)
		if err == nil || required || !errors.Is(err, errNoIssuer) && !errors.Is(err, device.ErrUnsupported) {
			return tokens, issuer, err
		}
	}
	token, err := a.typedToken()
	tokens := device.Tokens{Access: token}
	if claims, err := device.Read(token); err == nil {
		tokens.Expires = claims.Expires
	}
	return tokens, device.Issuer{}, err
}

// typedToken returns the token to log in with.
func (a *Session) typedToken() (string, error) {
	token := a.token
	switch {
	case token != "":
	case term.IsTerminal(a.In):
		var err error
		if token, err = a.ReadSecret("Access token: "); err != nil {
			return "", err
		}
	default:
		token, _ = bufio.NewReader(a.In).ReadString('\n') // what ends without a line's end counts too
	}
	token = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(token), "Bearer "))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", term.UsageError("The operator makes one with livery token.", "what was given is not a valid access token: it is empty or has a space in it")
	}
	return token, nil
}

func (a *Session) logoutCommand() *cobra.Command {
	return a.JSONFlag(&cobra.Command{
		Use:     "logout",
		Short:   "Remove the stored access token of an origin",
		Long:    "Removes the access token that livery login stored: that of --url, or without --url that of the last login.",
		Example: "  livery logout",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return a.logout() },
	})
}

func (a *Session) logout() error {
	stored, err := readCredentials()
	if err != nil {
		return err
	}
	origin := stored.Origin
	if a.url != "" {
		origin = client.New(a.url, "").BaseURL()
	}
	_, known := stored.Tokens[origin]
	if known {
		stored.remove(origin)
		if _, err := stored.write(); err != nil {
			return err
		}
	}
	done := struct {
		Origin    string `json:"origin"`
		Forgotten bool   `json:"forgotten"` // false if no login was stored
	}{origin, known}
	return a.Show(done, func() {
		if known {
			a.Say("The stored token of %s is removed.", origin)
		} else {
			a.Say("There was no stored token to remove.")
		}
	})
}
