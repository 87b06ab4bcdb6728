package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
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

// api returns the client that the flags ask for: of --url and --token, or of the running dev.
func (a *app) api() (*client.Client, error) {
	if a.url != "" && a.token != "" {
		return newClient(a.url, a.token), nil
	}
	dev, err := readDevFile(a.dataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && a.url != "":
		return nil, wrongUsage("Give one with --token or LIVERY_TOKEN; the operator makes them with livery token.", "there is no access token for %s", a.url)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail("Start livery dev, or name an origin with --url and --token.", "no livery dev is running on %s", a.dataDir)
	case err != nil:
		return nil, err
	}
	if a.url != "" && client.New(a.url, "").BaseURL() != dev.OriginURL {
		return nil, wrongUsage("Give one with --token or LIVERY_TOKEN; the operator makes them with livery token.", "there is no access token for %s", a.url)
	}
	if a.token != "" {
		dev.Token = a.token
	}
	return newClient(dev.OriginURL, dev.Token), nil
}

func newClient(url, token string) *client.Client {
	c := client.New(url, token)
	c.UserAgent = "livery"
	return c
}
