package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/livery/client"
)

// defaultData is where livery dev keeps its data.
const defaultData = ".livery"

// devFile is what a running livery dev says of itself, in dev.json of its data directory.
type devFile struct {
	OriginURL      string            `json:"originURL"`
	APIURL         string            `json:"apiURL"`
	EdgeURL        string            `json:"edgeURL"`
	OpsURL         string            `json:"opsURL"`
	Token          string            `json:"token"`
	OperatorSocket string            `json:"operatorSocket"`
	Environments   map[string]string `json:"environments"` // slug to id
}

func devFilePath(dir string) string { return filepath.Join(dir, "dev.json") }

// readDevFile returns what the dev that keeps its data in dir says, or fs.ErrNotExist.
func readDevFile(dir string) (devFile, error) {
	var f devFile
	data, err := os.ReadFile(devFilePath(dir))
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fail("Start livery dev again: it writes the file anew.", "%s is not what livery dev writes: %v", devFilePath(dir), err)
	}
	return f, nil
}

// apiFlags gives a command of the public API its flags.
func (a *app) apiFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&a.url, "url", "", "`ADDRESS` of the origin (default: that of the running livery dev)")
	f.StringVar(&a.token, "token", "", "access `TOKEN` (default: that of the running livery dev)")
	f.StringVar(&a.dataDir, "data", defaultData, "`DIR`ectory of the running livery dev")
}

// These are the sentence and the next step where an origin is named and no token.
const (
	noTokenSentence = "there is no access token for %s"
	noTokenNext     = "Give one with --token or LIVERY_TOKEN, or log in with livery login; the operator makes them with livery token."
)

// api returns the client that the flags ask for: of --url and --token, of the running dev, or of the
// origin that somebody logged in to.
func (a *app) api(ctx context.Context) (*client.Client, error) {
	if err := a.checkURL(); err != nil {
		return nil, err
	}
	if a.url != "" && a.token != "" {
		return a.clientOf(a.url, a.token), nil
	}
	kept, err := readCredentials()
	if err != nil {
		return nil, err
	}
	dev, err := readDevFile(a.dataDir)
	switch {
	case err == nil && (a.url == "" || client.New(a.url, "").BaseURL() == dev.OriginURL):
		if a.token != "" {
			dev.Token = a.token
		}
		return a.clientOf(dev.OriginURL, dev.Token), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return a.loggedIn(ctx, kept)
}

// checkURL refuses a --url that is none.
func (a *app) checkURL() error {
	if u, err := url.Parse(a.url); a.url == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	return wrongUsage("Write https://livery.example.com, for example.", "--url %q is no address of an origin", a.url)
}

// loggedIn returns the client of an origin that no running dev is.
func (a *app) loggedIn(ctx context.Context, kept credentials) (*client.Client, error) {
	address, token := a.url, a.token
	if address == "" {
		address = kept.Origin
	}
	if address == "" {
		return nil, fail("Start livery dev, name an origin with --url and --token, or log in with livery login.", "no livery dev is running on %s", a.dataDir)
	}
	if token == "" {
		var err error
		if token, err = a.freshToken(ctx, kept, client.New(address, "").BaseURL()); err != nil {
			return nil, err
		}
	}
	if token == "" {
		return nil, wrongUsage(noTokenNext, noTokenSentence, address)
	}
	return a.clientOf(address, token), nil
}

// clientOf is newClient for a command, which then knows what it sends.
func (a *app) clientOf(address, token string) *client.Client {
	a.sent = sentToken{client.New(address, "").BaseURL(), token}
	return newClient(address, token)
}

func newClient(url, token string) *client.Client {
	c := client.New(url, token)
	c.UserAgent = "livery"
	return c
}
