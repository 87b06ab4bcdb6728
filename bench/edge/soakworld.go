//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"example.com/livery/client"
)

// world is what a soak asks for: Themes with Variants at an origin, and an edge of its own process.
type world struct {
	binary, dir string
	origin      *exec.Cmd
	edge        *exec.Cmd
	feedURL     string
	edgeURL     string
	opsURL      string
	api         *client.Client
	environment string
	themes      []*worldTheme
}

// worldTheme is one Theme of a world.
type worldTheme struct {
	id     string
	pairs  []string // "-" and the Variants' ids
	latest atomic.Uint32
}

// The size of a world: 6 Themes with 21 pairs of four files each, of which every publish of a Theme
// makes 84 more.
const (
	worldThemes   = 6
	worldVariants = 20
	worldBytes    = 20 << 10 // of a stylesheet
)

var worldFiles = []string{"tokens.css", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}

const worldTeams = `teams:
  - slug: soak
    plan: pro
    members: [soak]
    environments:
      - {slug: sandbox, displayName: Sandbox, kind: sandbox, cacheLifetime: 60, description: null, metadata: {}, grants: {soak: admin}}
`

// openWorld starts an origin and an edge with so much memory for files, and publishes every Theme.
func openWorld(ctx context.Context, binary, dir string, cacheBytes int64) (*world, error) {
	w := &world{binary: binary, dir: dir}
	if err := w.startOrigin(ctx); err != nil {
		return w, err
	}
	for i := range worldThemes {
		t, err := w.makeTheme(ctx, i)
		if err != nil {
			return w, fmt.Errorf("theme %d: %w", i, err)
		}
		w.themes = append(w.themes, t)
	}
	return w, w.startEdge(cacheBytes)
}

// close ends both servers; the edge must end in order.
func (w *world) close() (err error) {
	for _, server := range []*exec.Cmd{w.edge, w.origin} {
		if server == nil || server.Process == nil {
			continue
		}
		_ = server.Process.Signal(os.Interrupt) // in vain where it has ended
		err = errors.Join(err, server.Wait())
	}
	return err
}

// start starts a server in a folder of its own and waits until it answers.
func (w *world) start(name string, arguments ...string) (*exec.Cmd, map[string]string, error) {
	data := filepath.Join(w.dir, name)
	cmd := exec.Command(w.binary, append([]string{name, "--data", data, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--log-level", "error"}, arguments...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start %s (make build makes it): %w", w.binary, err)
	}
	said := map[string]any{}
	err := readWhenThere(filepath.Join(data, name+".json"), &said)
	addresses := map[string]string{}
	for member, value := range said {
		if text, ok := value.(string); ok {
			addresses[member] = text
		}
	}
	return cmd, addresses, err
}

func (w *world) startOrigin(ctx context.Context) error {
	server, said, err := w.start("origin", "--feed-listen", "127.0.0.1:0", "--cdn-url", "http://cdn.example")
	w.origin, w.feedURL = server, said["feedURL"]
	if err != nil {
		return err
	}
	teams := filepath.Join(w.dir, "teams.yaml")
	if err := os.WriteFile(teams, []byte(worldTeams), 0o644); err != nil {
		return err
	}
	if _, err := w.run("teams", "apply", teams); err != nil {
		return err
	}
	token, err := w.run("token", "--subject", "soak", "--ttl", "12h")
	if err != nil {
		return err
	}
	w.api = client.New(said["originURL"], string(bytes.TrimSpace(token)))
	page, err := w.api.Environments(ctx, client.ListOptions{})
	if err != nil || len(page.Items) != 1 {
		return fmt.Errorf("the Team has %d Environments, want 1: %w", len(page.Items), err)
	}
	w.environment = page.Items[0].ID
	return nil
}

func (w *world) startEdge(cacheBytes int64) error {
	server, said, err := w.start("edge", "--upstream", w.feedURL, "--upstream-token-file", filepath.Join(w.dir, "origin", "feed-token"),
		"--cache-bytes", strconv.FormatInt(cacheBytes, 10), "--disk-bytes", strconv.FormatInt(1<<30, 10))
	w.edge, w.edgeURL, w.opsURL = server, said["edgeURL"], said["opsURL"]
	return err
}

// run runs a command of the program on the origin's data, and returns what it prints.
func (w *world) run(arguments ...string) ([]byte, error) {
	out, err := exec.Command(w.binary, append(arguments, "--data", filepath.Join(w.dir, "origin"))...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return out, err
}

// makeTheme creates a Theme with its Variants and publishes all of it.
func (w *world) makeTheme(ctx context.Context, i int) (*worldTheme, error) {
	slug := "theme-" + strconv.Itoa(i)
	created, err := w.api.CreateTheme(ctx, w.environment, client.NewTheme{Slug: slug, DisplayName: slug})
	if err != nil {
		return nil, err
	}
	t := &worldTheme{id: created.ID, pairs: []string{"-"}}
	pairs := []client.Integration{{Framework: "react", Library: "plainCSS"}, {Framework: "react", Library: "buildTimeTokens"}}
	if _, err := w.api.SetIntegrations(ctx, w.environment, t.id, pairs); err != nil {
		return nil, err
	}
	var groups map[string]json.RawMessage
	if err := json.Unmarshal(document(worldBytes), &groups); err != nil {
		return nil, err
	}
	batch := []client.Operation{{Operation: "add", Path: "/published", Value: published(i)}}
	for name, group := range groups {
		batch = append(batch, client.Operation{Operation: "add", Path: "/" + name, Value: group})
	}
	if _, err := w.api.EditThemeTokens(ctx, w.environment, t.id, client.EditOptions{}, batch); err != nil {
		return nil, err
	}
	if err := w.publishDraft(ctx, t); err != nil {
		return nil, err
	}
	return t, w.makeVariants(ctx, t)
}

func (w *world) makeVariants(ctx context.Context, t *worldTheme) error {
	for i := range worldVariants {
		slug := "variant-" + strconv.Itoa(i)
		v, err := w.api.CreateVariant(ctx, w.environment, t.id, client.NewVariant{Slug: slug, DisplayName: slug})
		if err != nil {
			return err
		}
		batch := []client.VariantOperation{{Operation: "set", Path: "published", Value: json.RawMessage(strconv.Itoa(-i - 1))}}
		if _, err := w.api.EditVariantTokens(ctx, w.environment, t.id, v.ID, client.EditOptions{}, batch); err != nil {
			return err
		}
		if _, err := w.api.PublishVariant(ctx, w.environment, t.id, v.ID, client.PublishOptions{}); err != nil {
			return err
		}
		t.pairs = append(t.pairs, v.ID)
	}
	return nil
}

// published is the token that every publish changes.
func published(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"$type":"number","$value":%d}`, n))
}

// publish changes one colour of a Theme for everybody, and publishes it.
func (w *world) publish(ctx context.Context, n int) error {
	t := w.themes[n%len(w.themes)]
	batch := []client.Operation{{Operation: "replace", Path: "/published", Value: published(n)}}
	if _, err := w.api.EditThemeTokens(ctx, w.environment, t.id, client.EditOptions{}, batch); err != nil {
		return err
	}
	return w.publishDraft(ctx, t)
}

func (w *world) publishDraft(ctx context.Context, t *worldTheme) error {
	if _, err := w.api.PublishTheme(ctx, w.environment, t.id, client.PublishOptions{}); err != nil {
		return err
	}
	t.latest.Add(1)
	return nil
}

// popularity draws addresses by Zipf's law. Not for concurrent use.
type popularity struct {
	world *world
	zipf  *rand.Zipf
	files uint64 // of one version of every Theme
}

func (w *world) popularity(seed uint64) *popularity {
	files := uint64(len(w.themes) * (1 + worldVariants) * len(worldFiles))
	return &popularity{w, rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 8, 40*files), files}
}

// next returns a URL and the codings that are accepted: the most popular files are those of latest,
// and the further a version lies back the rarer it is asked for.
func (p *popularity) next() (url, codings string) {
	rank := p.zipf.Uint64()
	at := rank * 7919 % p.files // 7919 is prime: neighbours in popularity are of different Themes
	t := p.world.themes[at%uint64(len(p.world.themes))]
	at /= uint64(len(p.world.themes))
	version := "latest"
	if back := rank / p.files; back > 0 {
		latest := uint64(t.latest.Load())
		version = strconv.FormatUint(latest-(back-1)%latest, 10)
	}
	codings = [...]string{"gzip, deflate, br, zstd", "gzip, deflate, br, zstd", "gzip", "zstd", "identity"}[rank%5]
	pair, file := t.pairs[at%uint64(len(t.pairs))], worldFiles[at/uint64(len(t.pairs))]
	return p.world.edgeURL + "/" + p.world.environment + "/" + t.id + "/" + pair + "/" + version + "/" + file, codings
}

// usage returns what the edge takes now.
func (w *world) usage(ctx context.Context) (u usage, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.edge.Process.Pid))
	if err != nil {
		return u, err
	}
	metrics, err := w.metrics(ctx)
	if err != nil {
		return u, err
	}
	for _, one := range []struct {
		into *float64
		text []byte
		word string
	}{
		{&u.resident, status, "VmRSS:"},
		{&u.heap, metrics, "go_memstats_sys_bytes "},
		{&u.guests, metrics, "livery_edge_guest_memory_bytes "},
		{&u.held, metrics, "livery_edge_cache_bytes "},
	} {
		if *one.into, err = numberAfter(one.text, one.word); err != nil {
			return u, err
		}
	}
	released, err := numberAfter(metrics, "go_memstats_heap_released_bytes ")
	u.heap -= released // only the addresses are kept
	u.resident *= 1024 // it is told in KiB
	return u, err
}

// metrics returns the edge's metrics, as it exposes them.
func (w *world) metrics(ctx context.Context) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.opsURL+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// numberAfter returns the number at the end of the line that begins with a word.
func numberAfter(text []byte, word string) (float64, error) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), word); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				return strconv.ParseFloat(fields[0], 64)
			}
		}
	}
	return 0, fmt.Errorf("there is no %q", word)
}
