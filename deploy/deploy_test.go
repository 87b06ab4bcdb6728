// Package deploy_test holds what this folder ships to what the program does: the configuration of
// nginx runs before a real origin and edge, every metric that a dashboard or rule names is one that
// they expose, and every flag and variable in a unit, manifest or compose file is one that they take.
package deploy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/livery/cli"
)

// site is the origin and the edge that all tests of this package share.
var site struct {
	dir                                  string
	OriginURL, FeedURL, OpsURL           string // of the origin, as origin.json names them
	EdgeURL                              string
	originOps, edgeOps, token            string
	public, signed, listed, ranged, keys string // paths of pinned files; the file of the signing key
}

// servers runs the tests between the start and the end of the site.
type servers struct{ *testing.M }

// Run starts an origin and an edge, runs the tests, and ends both.
func (s servers) Run() int {
	end, err := startSite()
	defer end()
	if err != nil {
		fmt.Fprintln(os.Stderr, "deploy:", err)
		return 1
	}
	return s.M.Run()
}

// TestMain lets the test binary be the program under the name livery.
func TestMain(m *testing.M) {
	testscript.Main(servers{m}, map[string]func(){
		"livery": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func startSite() (end func(), err error) {
	var running []*exec.Cmd
	end = func() {
		for i := len(running) - 1; i >= 0; i-- {
			_ = running[i].Process.Signal(os.Interrupt)
			_ = running[i].Wait()
		}
		_ = os.RemoveAll(site.dir)
	}
	if site.dir, err = os.MkdirTemp("", "livery-"); err != nil { // short: it holds a socket
		return end, err
	}
	begin := func(into any, kind string, args ...string) error {
		data := filepath.Join(site.dir, kind)
		cmd := exec.Command("livery", append([]string{kind, "--data", data, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, args...)...)
		log, err := os.Create(data + ".log")
		if err != nil {
			return err
		}
		defer log.Close()
		cmd.Stderr = log
		if err := cmd.Start(); err != nil {
			return err
		}
		running = append(running, cmd)
		return announced(filepath.Join(data, kind+".json"), into)
	}
	masterKey := filepath.Join(site.dir, "master-key")
	if err := os.WriteFile(masterKey, []byte("the master key of these tests that nobody is to guess\n"), 0o600); err != nil {
		return end, err
	}
	if err := begin(&site, "origin", "--feed-listen", "127.0.0.1:0", "--master-key-file", masterKey); err != nil {
		return end, err
	}
	site.originOps = site.OpsURL
	err = begin(&site, "edge", "--upstream", site.FeedURL, "--upstream-token-file", filepath.Join(site.dir, "origin", "feed-token"),
		"--trusted-proxy", "127.0.0.0/8", "--compiled", compiledDir())
	site.edgeOps = site.OpsURL
	if err != nil {
		return end, err
	}
	return end, fill()
}

// compiledDir keeps the machine code of the renderer between runs.
func compiledDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = site.dir
	}
	return filepath.Join(dir, "livery-test-compiled")
}

// announced waits for the file in which a server says where it answers.
func announced(path string, into any) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(text, into)
	}
	return fmt.Errorf("%s does not appear", path)
}

const teams = `teams:
  - slug: acme
    plan: pro
    members: [owner]
    environments:
      - {slug: production, displayName: Production, kind: production, cacheLifetime: 300, description: null, metadata: {}, grants: {owner: admin}}
`

// tokens is a document whose files are long enough to be encoded.
func tokens() []byte {
	text := `{"color": {"brand": {"$type": "color", "$value": "#0055ff"}`
	for i := range 100 {
		text += fmt.Sprintf(`, "shade-%d": {"$type": "color", "$value": "#0055%02x"}`, i, i)
	}
	return []byte(text + "}}")
}

// modes is the list of each Theme, whose Variants override tokens.
const modes = `{"modes": [
  {"dimension": "scheme", "mode": "dark", "variant": "dark", "when": "(prefers-color-scheme: dark)"},
  {"dimension": "contrast", "mode": "more", "variant": "more", "when": "(prefers-contrast: more)"}]}`

// overrides are those of the Variants.
var overrides = map[string]string{"dark": `{"color.brand": "#000011"}`, "more": `{"color.shade-1": "#ffffff"}`}

// fill makes one Theme for each way of serving, and a webhook.
func fill() (err error) {
	data := filepath.Join(site.dir, "origin")
	teamsFile, tokensFile := filepath.Join(site.dir, "teams.yaml"), filepath.Join(site.dir, "tokens.json")
	modesFile := filepath.Join(site.dir, "modes.json")
	if err := errors.Join(os.WriteFile(teamsFile, []byte(teams), 0o600), os.WriteFile(tokensFile, tokens(), 0o600), os.WriteFile(modesFile, []byte(modes), 0o600)); err != nil {
		return err
	}
	if _, err := livery("teams", "apply", teamsFile, "--data", data); err != nil {
		return err
	}
	if site.token, err = livery("token", "--data", data, "--subject", "owner"); err != nil {
		return err
	}
	for _, theme := range []struct {
		slug  string
		path  *string
		rules []string
	}{
		{"public", &site.public, nil},
		{"signed", &site.signed, []string{"--mode", "signed"}},
		{"listed", &site.listed, []string{"--allowed-origin", "https://shop.example", "--allowed-origin", "https://blog.example"}},
		{"ranged", &site.ranged, []string{"--allowed-ip", "192.0.2.0/24"}},
	} {
		if *theme.path, err = makeTheme(data, tokensFile, modesFile, theme.slug, theme.rules); err != nil {
			return err
		}
	}
	// Its metrics are there once it is.
	_, err = livery("webhook", "add", "https://hook.invalid/", "theme.deleted", "--env", "production")
	return err
}

// makeTheme publishes a Theme with modes and returns the path of its pinned tokens.css.
func makeTheme(data, tokensFile, modesFile, slug string, rules []string) (string, error) {
	commands := [][]string{
		{"theme", "create", slug, "--env", "production", "--integration", "react/plainCSS"},
		{"push", tokensFile, "--env", "production", "--theme", slug},
	}
	for variant, values := range overrides {
		file := filepath.Join(site.dir, variant+".json")
		if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
			return "", err
		}
		commands = append(commands, []string{"variant", "create", variant, "--env", "production", "--theme", slug},
			[]string{"push", file, "--env", "production", "--theme", slug, "--variant", variant})
	}
	commands = append(commands, []string{"theme", "modes", slug, modesFile, "--env", "production"},
		[]string{"publish", "--env", "production", "--theme", slug, "--variants"})
	for _, args := range commands {
		if _, err := livery(args...); err != nil {
			return "", err
		}
	}
	address, err := livery("open", "--env", "production", "--theme", slug, "--pinned", "--print")
	if err != nil {
		return "", err
	}
	path := address[strings.Index(address, "/env_"):]
	id := strings.Split(path, "/")[2]
	if rules == nil {
		return path, nil
	}
	if slug == "signed" {
		if err := addKey(data, id); err != nil {
			return "", err
		}
	}
	_, err = livery(append([]string{"serving", "set", id, "--data", data}, rules...)...)
	return path, err
}

// addKey makes a signing key; site.keys names the file with its secret and its id as what follows the dot.
func addKey(data, theme string) error {
	text, err := livery("keys", "add", theme, "--data", data, "--json")
	if err != nil {
		return err
	}
	var key struct{ KeyID, Secret string }
	if err := json.Unmarshal([]byte(text), &key); err != nil {
		return err
	}
	site.keys = filepath.Join(site.dir, "key."+key.KeyID)
	return os.WriteFile(site.keys, []byte(key.Secret), 0o600)
}

// livery runs one command and returns what it prints.
func livery(args ...string) (string, error) {
	cmd := exec.Command("livery", args...)
	cmd.Env = append(os.Environ(), "LIVERY_URL="+site.OriginURL, "LIVERY_TOKEN="+site.token)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("livery %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// body returns what a GET of the address answers.
func body(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %d %s", address, response.StatusCode, text)
	}
	return string(text)
}

// read returns the text of a file of this folder.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tool returns the path of a program, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("SKIPPED: there is no %s on this machine, so nothing here says that its configuration is right", name)
	}
	return path
}
