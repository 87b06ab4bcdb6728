//go:build linux

package road

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"example.com/livery/bench/internal/world"
	"example.com/livery/client"
	"golang.org/x/sync/errgroup"
)

// Sizes of what is missed.
const (
	missTokens    = 2000
	missVariants  = 100
	missOverrides = 50
	warming       = 4 // misses of a coding before those that are measured
)

var missCodings = []string{"identity", "gzip", "zstd", "br"}

// asking is how many clients ask at one time where misses are measured beside each other.
const asking = 8

// TestMiss measures what edges of two binaries use for a file that they do not hold, and for a publish that reaches 505
// addresses that gzip was asked for a moment ago: LIVERY_BEFORE is one, bin/livery the other. A miss asks upstream for the
// pair and its overlay, as the first request for any address does. One client's misses, one after the other, cost an
// edge being woken each time; several clients' misses do not. LIVERY_PROFILE names a directory for CPU profiles of
// bin/livery.
func TestMiss(t *testing.T) {
	before, after := os.Getenv("LIVERY_BEFORE"), "../../bin/livery"
	if before == "" {
		t.Skip("LIVERY_BEFORE names no binary to compare with")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	dir := t.TempDir()
	o, err := world.StartOrigin(ctx, after, dir, world.AnyCore)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Kill() })
	themes := fillMisses(ctx, t, o)
	var edges [2]*missed
	for i, binary := range []string{before, after} {
		edges[i] = startMissed(ctx, t, o, binary, filepath.Join(dir, strconv.Itoa(i)))
		edges[i].get(t, o.Path(themes[0], 0, 0, world.Files[0]), "identity") // has the module compiled
		edges[i].quiet(t)
	}
	for i, coding := range missCodings {
		profiled := edges[1].profile(t, coding)
		missAll(t, o, themes[i], edges, coding)
		profiled()
	}
	for i, coding := range missCodings[:2] { // those that make others of them behind the answers would go on for minutes
		for j := range edges {
			crowdMisses(t, o, themes[len(missCodings)+i], edges[(i+j)%2], coding, [2]string{"before", "after"}[(i+j)%2])
		}
	}
	for _, e := range edges {
		for n := range themes[0].Pairs {
			for _, file := range world.Files {
				e.get(t, o.Path(themes[0], n, 0, file), "gzip")
			}
		}
		e.quiet(t)
	}
	defer edges[1].profile(t, "publish")()
	for range 3 {
		publishMissed(ctx, t, o, themes[0], edges)
	}
}

// missAll has every file of a Theme missed. What asks for the pair and its overlay is counted apart from what is made of
// them alone.
func missAll(t *testing.T, o *world.Origin, theme *world.Theme, edges [2]*missed, coding string) {
	var asked, made [2]used
	for n := range theme.Pairs {
		for f := range world.Files {
			for j := range edges { // the one that begins changes
				e := (j + n) % 2
				took, size := edges[e].miss(t, o.Path(theme, n, 1, world.Files[f]), coding)
				switch {
				case n < warming:
				case f == 0:
					asked[e].add(took, size)
				default:
					made[e].add(took, size)
				}
			}
		}
	}
	t.Logf("%-8s before and after, the first file of an address: %v", coding, asked)
	t.Logf("%-8s before and after, each of its other files:      %v", coding, made)
}

// crowdMisses has several clients ask for every file of a Theme at one time: first for one file of each address, then for the
// others, then for these again, which are hits. What is written to disk behind the answers counts.
func crowdMisses(t *testing.T, o *world.Origin, theme *world.Theme, e *missed, coding, name string) {
	for f := range world.Files { // what is made once for all Variants
		for n := range warming {
			e.get(t, o.Path(theme, n, 1, world.Files[f]), coding)
		}
	}
	parts := []struct {
		what  string
		files []string
	}{{"the first file of an address", world.Files[:1]}, {"each of its other files", world.Files[1:]}, {"a hit of these", world.Files[1:]}}
	if coding != "identity" {
		parts = parts[:2]
	}
	for _, part := range parts {
		began, misses := e.quiet(t), 0
		var group errgroup.Group
		group.SetLimit(asking)
		for n := range len(theme.Pairs) - warming {
			for _, file := range part.files {
				misses++
				group.Go(func() error { e.get(t, o.Path(theme, n+warming, 1, file), coding); return nil })
			}
		}
		_ = group.Wait()
		t.Logf("%-8s %-6s by %d clients, %s: %d µs of CPU", coding, name, asking, part.what, (e.quiet(t)-began).Microseconds()/int64(misses))
	}
}

// used is what misses used together.
type used struct {
	cpu    time.Duration
	bytes  int
	misses int
}

func (u *used) add(cpu time.Duration, bytes int) {
	u.cpu += cpu
	u.bytes += bytes
	u.misses++
}

func (u used) String() string {
	return fmt.Sprintf("%d µs of CPU, %d bytes", u.cpu.Microseconds()/int64(u.misses), u.bytes/u.misses)
}

// fillMisses makes a Theme for each coding, with its Variants.
func fillMisses(ctx context.Context, t *testing.T, o *world.Origin) []*world.Theme {
	themes, err := o.Fill(ctx, "missed", 1, 2*len(missCodings), world.Size{Tokens: missTokens, Versions: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	group.SetLimit(8)
	for _, theme := range themes {
		theme.Pairs = append(theme.Pairs, make([]string, missVariants)...)
		for i := range missVariants {
			group.Go(func() (err error) {
				theme.Pairs[i+1], err = addMissed(ctx, o, theme, i)
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return themes
}

// addMissed adds a Variant and returns its id.
func addMissed(ctx context.Context, o *world.Origin, theme *world.Theme, i int) (string, error) {
	slug := "missed-" + strconv.Itoa(i)
	v, err := o.API.CreateVariant(ctx, o.Environment, theme.ID, client.NewVariant{Slug: slug, DisplayName: slug})
	if err != nil {
		return "", err
	}
	var batch []client.VariantOperation
	for n := range missOverrides {
		path := fmt.Sprintf("group-%d.token-%d", (n*2+i)%(missTokens/20-1), (n*7+i)%20)
		batch = append(batch, client.VariantOperation{Operation: "set", Path: path, Value: json.RawMessage(fmt.Sprintf(`"#%06x"`, (i*997+n*7919)%(1<<24)))})
	}
	if _, err := o.API.EditVariantTokens(ctx, o.Environment, theme.ID, v.ID, client.EditOptions{}, batch); err != nil {
		return "", err
	}
	_, err = o.API.PublishVariant(ctx, o.Environment, theme.ID, v.ID, client.PublishOptions{})
	return v.ID, err
}

// missed is an edge and its client.
type missed struct {
	*world.Edge
	client http.Client
	dir    string
}

func startMissed(ctx context.Context, t *testing.T, o *world.Origin, binary, dir string) *missed {
	own := *o
	own.Binary = binary
	e, err := world.StartEdge(ctx, &own, dir, "edge", world.AnyCore, 256<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	return &missed{Edge: e, client: http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: asking}}, dir: dir}
}

// profile has the edge write a profile of a few seconds, if one is wanted, and returns what waits for it.
func (e *missed) profile(t *testing.T, name string) (wait func()) {
	dir := os.Getenv("LIVERY_PROFILE")
	if dir == "" {
		return func() {}
	}
	text, err := os.ReadFile(filepath.Join(e.dir, "edge", "edge.json"))
	var at struct{ OpsURL string }
	if err != nil || json.Unmarshal(text, &at) != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		response, err := http.Get(at.OpsURL + "/debug/pprof/profile?seconds=3")
		if err != nil {
			done <- err
			return
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		done <- errors.Join(err, os.WriteFile(filepath.Join(dir, name+".pprof"), text, 0o600))
	}()
	return func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func (e *missed) get(t *testing.T, path, coding string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", coding)
	response, err := e.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, response.StatusCode, err)
	}
	return body
}

func (e *missed) busy(t *testing.T) time.Duration {
	t.Helper()
	busy, err := e.Busy()
	if err != nil {
		t.Fatal(err)
	}
	return busy
}

// miss returns what one request used, and the bytes that came.
func (e *missed) miss(t *testing.T, path, coding string) (time.Duration, int) {
	t.Helper()
	began := e.busy(t)
	size := len(e.get(t, path, coding))
	return e.busy(t) - began, size
}

// quiet waits until the edge does nothing but listen, and returns what it has used.
func (e *missed) quiet(t *testing.T) time.Duration {
	t.Helper()
	last := e.busy(t)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		time.Sleep(250 * time.Millisecond)
		now := e.busy(t)
		if now-last < 3*time.Millisecond {
			return now
		}
		last = now
	}
	t.Fatal("the edge is not quiet")
	return 0
}

// publishMissed publishes the Theme and waits until both edges have made every file.
func publishMissed(ctx context.Context, t *testing.T, o *world.Origin, theme *world.Theme, edges [2]*missed) {
	var began [2]time.Duration
	for i, e := range edges {
		began[i] = e.quiet(t)
	}
	if err := o.Publish(ctx, theme, int(time.Now().UnixMilli()%1e6)); err != nil {
		t.Fatal(err)
	}
	var used [2]time.Duration
	for i, e := range edges {
		used[i] = e.quiet(t) - began[i]
	}
	t.Logf("publish of %d hot gzip addresses: CPU before %v, after %v, ratio %.3f", len(theme.Pairs)*len(world.Files), used[0], used[1], used[1].Seconds()/used[0].Seconds())
	for _, file := range world.Files {
		path := o.Path(theme, len(theme.Pairs)-1, 0, file)
		if a, b := edges[0].get(t, path, "identity"), edges[1].get(t, path, "identity"); string(a) != string(b) {
			t.Errorf("%s differs between the edges", path)
		}
	}
}
