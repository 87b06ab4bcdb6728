package world

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/livery/client"
)

const binary = "../../../bin/livery"

// built returns the program, or skips the test.
func built(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("the program is not built (make build)")
	}
	return path
}

// A livery dev serves its sample, goes on after a kill, and one that cannot start says why at once.
func TestDevServesAndSaysWhyItDoesNot(t *testing.T) {
	path, data := built(t), t.TempDir()
	d, err := StartDev(t.Context(), path, data, AnyCore)
	if err != nil {
		t.Fatal(err)
	}
	first := d.Environments["sandbox"]
	page, err := d.API.Themes(t.Context(), first, client.ListOptions{})
	if err != nil || len(page.Items) != 1 || d.Ready() <= 0 {
		t.Fatalf("Themes = %v, %v, ready after %s", page, err, d.Ready())
	}
	sample := "/" + first + "/" + page.Items[0].ID + "/-/latest/" + Files[0]
	if err := d.Kill(); err != nil {
		t.Fatal(err)
	}
	if d, err = StartDev(t.Context(), path, data, AnyCore); err != nil {
		t.Fatal(err)
	}
	if served := get(t.Context(), t, d.EdgeURL()+sample); !strings.Contains(served, "{") {
		t.Errorf("after a kill the sample is\n%s", served)
	}
	began := time.Now()
	if _, err := StartDev(t.Context(), path, data, AnyCore); err == nil || !strings.Contains(err.Error(), "ended") || time.Since(began) > patience/2 {
		t.Errorf("a second one on the same data: %v after %s", err, time.Since(began))
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
}

// A world serves what it publishes, and goes on after its origin was killed.
func TestWorldServesWhatItPublishes(t *testing.T) {
	path := built(t)
	ctx, dir := t.Context(), t.TempDir()
	o, err := StartOrigin(ctx, path, dir, AnyCore)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := o.Stop(); err != nil {
			t.Error(err)
		}
	}()
	themes, err := o.Fill(ctx, "test", 0, 2, Size{Tokens: 25, Variants: 1, Versions: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := StartEdge(ctx, o, dir, "edge", AnyCore, 16<<20, "--disk-bytes", "1000000000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range []struct {
		theme, pair, version int
		want                 string
	}{{0, 0, 1, ": 0;"}, {1, 0, 1, ": 1;"}, {1, 0, 2, ": 1000004;"}, {1, 0, 0, ": 1000004;"}, {1, 1, 2, ": -1001;"}} {
		if got := get(ctx, t, e.URL()+o.Path(themes[tt.theme], tt.pair, tt.version, Files[0])); !strings.Contains(got, tt.want) {
			t.Errorf("%+v is not served:\n%s", tt, got)
		}
	}
	if resident, err := e.Resident(); err != nil || resident < 1<<20 {
		t.Errorf("Resident = %v, %v", resident, err)
	}
	if busy, err := o.Busy(); err != nil || busy <= 0 {
		t.Errorf("Busy = %v, %v", busy, err)
	}
	if state, err := e.Metric(ctx, "livery_edge_cache_bytes"); err != nil || state <= 0 {
		t.Errorf("Metric = %v, %v", state, err)
	}
	if all, err := e.Metrics(ctx, "livery_edge_cache_bytes", "go_goroutines"); err != nil || len(all) != 2 || all[0] <= all[1] || all[1] < 1 {
		t.Errorf("Metrics = %v, %v, want the bytes that are held before the goroutines", all, err)
	}
	if budget, err := e.Metric(ctx, "livery_edge_disk_budget_bytes"); err != nil || budget > 1e9 {
		t.Errorf("the edge may hold %v bytes on disk, %v: the flag for 1e9 has not reached it", budget, err)
	}
	if _, err := e.Metrics(ctx, "go_goroutines", "not_there"); err == nil {
		t.Error("a metric that is not there has a number")
	}
	if err := o.Edit(ctx, themes[0], 7); err != nil {
		t.Fatal(err)
	}
	themes[0].draft = "" // as if the answer had been lost
	if err := o.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if err := o.Publish(ctx, themes[0], 8); err != nil {
		t.Fatal(err)
	}
	// The edge does not ask an origin that was away a moment ago: it answers 503 until it does.
	got := ""
	for end := time.Now().Add(30 * time.Second); !strings.Contains(got, ": 8;"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("what was published after a kill is not served:\n%s", got)
		}
		got = get(ctx, t, e.URL()+o.Path(themes[0], 0, themes[0].Versions, Files[0]))
	}
}

func get(ctx context.Context, t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNumberAfter(t *testing.T) {
	const text = "a_b 1\na 2.5 x\nc{l=\"v\"} 3e2\n"
	for word, want := range map[string]float64{"a ": 2.5, "a_b ": 1, `c{l="v"} `: 300} {
		if got, err := numberAfter([]byte(text), word); err != nil || got != want {
			t.Errorf("numberAfter(%q) = %v, %v, want %v", word, got, err, want)
		}
	}
	if _, err := numberAfter([]byte(text), "d"); err == nil {
		t.Error("what is not there has a number")
	}
}
