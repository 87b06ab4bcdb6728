package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/livery/client"
)

const loginText = `Keeps the access token of an origin, so that later commands need neither --url nor --token. The token
is read from --token, from the standard input, or typed where nobody sees it; it is tried out first.

It is kept in a file that only you may read (credentials.json in your folder for configuration, or
where LIVERY_CREDENTIALS says). A flag or variable wins over it, and so does a running livery dev.`

func (a *app) loginCommand() *cobra.Command {
	return a.printing(&cobra.Command{
		Use:     "login",
		Short:   "Keep the access token of an origin for later commands",
		Long:    loginText,
		Example: "  livery login --url https://livery.example.com\n  livery token --subject me | livery login --url http://127.0.0.1:8080",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.login(cmd) },
	})
}

func (a *app) login(cmd *cobra.Command) error {
	if a.url == "" {
		return wrongUsage("See livery login --help.", "livery login needs --url")
	}
	token, err := a.typedToken()
	if err != nil {
		return err
	}
	c := newClient(a.url, token)
	list := []client.Environment{}
	for e, err := range c.EveryEnvironment(cmd.Context()) {
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	kept, err := readCredentials()
	if err != nil { // a file that nobody can read is written anew
		kept = credentials{Tokens: map[string]string{}}
	}
	kept.Origin = c.BaseURL()
	kept.Tokens[c.BaseURL()] = token
	path, err := kept.write()
	if err != nil {
		return err
	}
	return a.show(list, func() {
		a.say("Logged in to %s: %s to work on.", c.BaseURL(), plural(len(list), "Environment"))
		a.say("The token is kept in %s.", path)
	})
}

// typedToken returns the token to log in with.
func (a *app) typedToken() (string, error) {
	token := a.token
	f, isFile := a.in.(*os.File)
	switch {
	case token != "":
	case isFile && term.IsTerminal(int(f.Fd())):
		fmt.Fprint(a.err, "Access token: ")
		typed, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.err)
		if err != nil {
			return "", err
		}
		token = string(typed)
	default:
		token, _ = bufio.NewReader(a.in).ReadString('\n') // what ends without a line's end counts too
	}
	token = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(token), "Bearer "))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", wrongUsage("The operator makes one with livery token.", "that is no access token")
	}
	return token, nil
}

func (a *app) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "logout",
		Short:   "Forget the access token of an origin",
		Long:    "Forgets the token that livery login kept: of --url, or of the origin that counts without it.",
		Example: "  livery logout",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return a.logout() },
	}
}

func (a *app) logout() error {
	kept, err := readCredentials()
	if err != nil {
		return err
	}
	origin := kept.Origin
	if a.url != "" {
		origin = client.New(a.url, "").BaseURL()
	}
	if _, ok := kept.Tokens[origin]; !ok {
		a.say("Nobody was logged in.")
		return nil
	}
	delete(kept.Tokens, origin)
	if kept.Origin == origin {
		kept.Origin = ""
	}
	if _, err := kept.write(); err != nil {
		return err
	}
	a.say("The token of %s is forgotten.", origin)
	return nil
}
