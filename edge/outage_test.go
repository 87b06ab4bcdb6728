package edge_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/storage/record"
)

// While upstream is out of reach the edge serves what it holds and says so (decisions 7.9).
func TestOutageServesWhatIsHeld(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	f.stop()
	r.clock.add(2 * time.Hour)
	for range 3 {
		got := r.get(latest)
		want(t, got, 200, "4px")
		if got.header.Get("Cache-Status") != "livery; hit; detail=stale" || len(got.header.Get("Age")) < 4 {
			t.Errorf("held for two hours: %v", got.header)
		}
	}
	unknown := r.get(path(brand, "latest", "tokens.css"))
	if unknown.status != 503 || !strings.Contains(unknown.body, `"cause":"internal"`) || unknown.header.Get("Retry-After") == "" {
		t.Errorf("what is not held: %d %q", unknown.status, unknown.body)
	}
	f.publish(thm, biggerTheme)
	f.restart()
	eventually(t, "catching up", func() bool { return strings.Contains(r.get(latest).body, "5px") })
}

func TestServerErrorsAreAnOutage(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 502, 503, 401, 404} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			f := publishedFeed(t)
			f.edit(thm, func(th *fedTheme) { th.CacheLifetime = 0 })
			r := run(t, f)
			latest := path("-", "latest", "tokens.css")
			want(t, r.get(latest), 200, "4px")
			f.fail(status) // a 404 that does not say what is missing proves nothing
			got := r.get(latest)
			want(t, got, 200, "4px")
			if got.header.Get("Cache-Status") != "livery; hit; detail=stale" {
				t.Errorf("Cache-Status = %q", got.header.Get("Cache-Status"))
			}
			f.fail(0)
			eventually(t, "a fresh answer", func() bool { return !strings.Contains(r.get(latest).header.Get("Cache-Status"), "detail=stale") })
		})
	}
}

// A version is served when its inputs are here, not before: upstream may be gone when they are needed.
func TestNewVersionWaitsForItsInputs(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	_, lost := f.compile(biggerTheme, "")
	f.mu.Lock()
	kept := f.blobs[lost]
	f.mu.Unlock()
	f.publish(thm, biggerTheme)
	f.mu.Lock()
	delete(f.blobs, lost)
	f.mu.Unlock()
	eventually(t, "asking for the plan", func() bool { return f.count("blobs/"+string(lost)) > 0 })
	want(t, r.get(latest), 200, "4px")
	f.putBlob(kept)
	eventually(t, "the new version", func() bool { return strings.Contains(r.get(latest).body, "5px") })
}

// A restart without upstream serves from disk, files that were never asked for included.
func TestRestartWithoutUpstreamServesOn(t *testing.T) {
	f := publishedFeed(t)
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	first := run(t, f, ownRuntime(t))
	want(t, first.get(path("-", "latest", "tokens.css")), 200, "4px")
	want(t, first.get(path(brand, "1", "tokens.css")), 200, "9px")
	first.stop()
	f.stop()

	second := run(t, f, ownRuntime(t), at(first.dir))
	eventually(t, "being ready with what the disk holds", func() bool { return second.edge.Ready() == nil })
	got := second.get(path("-", "latest", "tokens.json"))
	want(t, got, 200, "4px")
	if got.header.Get("Cache-Status") != "livery; hit; detail=stale" {
		t.Errorf("Cache-Status = %q", got.header.Get("Cache-Status"))
	}
	pinned := second.get(path(brand, "1", "tokens.css"))
	want(t, pinned, 200, "9px")
	if pinned.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control = %q", pinned.header.Get("Cache-Control"))
	}
	f.restart()
	f.publish(thm, biggerTheme)
	eventually(t, "catching up", func() bool { return strings.Contains(second.get(path("-", "latest", "tokens.css")).body, "5px") })
}

// What is on disk is checked against its hash before it is believed.
func TestDamagedDiskIsNotServed(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	first := run(t, f, ownRuntime(t))
	want(t, first.get(path("-", "1", "tokens.css")), 200, "4px")
	first.stop()
	if changed := changeOnDisk(t, first.dir, "4px", "6px"); changed == 0 {
		t.Fatal("nothing to change was found")
	}
	second := run(t, f, ownRuntime(t), at(first.dir))
	want(t, second.get(path("-", "1", "tokens.css")), 200, "4px")
	second.stop()

	if changed := changeOnDisk(t, first.dir, `"sealed":true`, `"sealed":fals`); changed == 0 {
		t.Fatal("the record to change is missing")
	}
	f.stop()
	third := run(t, f, ownRuntime(t), at(first.dir))
	if got := third.get(path("-", "1", "tokens.css")); got.status != 503 {
		t.Errorf("a record that was tampered with is served: %d %q", got.status, got.body)
	}
}

// Secrets stay in memory (A112): after a restart without upstream nothing can be verified, and the
// edge says that this is its own trouble, not the caller's.
func TestSecretsAreNotOnDisk(t *testing.T) {
	f := publishedFeed(t)
	f.serving(thm, record.Serving{Mode: "signed", SigningKeys: []record.SigningKey{{ID: "key_1", Secret: []byte("canary-secret-canary")}}})
	first := run(t, f, ownRuntime(t))
	if got := first.get(path("-", "1", "tokens.css")); got.status != 403 {
		t.Fatalf("unsigned = %d", got.status)
	}
	first.stop()
	f.stop()
	err := filepath.WalkDir(first.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range []string{"canary-secret", "Y2FuYXJ5LXNlY3JldC1jYW5hcnk"} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds the secret", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	second := run(t, f, ownRuntime(t), at(first.dir))
	if got := second.get(path("-", "1", "tokens.css")); got.status != 503 {
		t.Errorf("without secrets = %d, want 503", got.status)
	}
}

// All clients that miss at once share one question of each kind.
func TestMissesShareOneQuestion(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f, ownRuntime(t))
	r.settle() // the first word of the feed puts in doubt what was asked for before it
	eventually(t, "the module loaded ahead", func() bool { return f.count("blobs/"+string(f.module)) == 1 })
	release := f.held()
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			res, err := http.Get(r.url + path("-", "latest", "tokens.css"))
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			if res.StatusCode != 200 {
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}
	eventually(t, "the first question", func() bool { return f.count("themes/") > 0 })
	release()
	wg.Wait()
	http.DefaultClient.CloseIdleConnections()
	for kind, most := range map[string]int{"themes/": 1, "pairs/": 1, "blobs/": 2} {
		if asked := f.count(kind); asked > most {
			t.Errorf("%s was asked for %d times, want %d", kind, asked, most)
		}
	}
}

// Unknown addresses reach upstream once a second each, at most (decisions 7.8).
func TestUnknownAddressesAreRemembered(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	for _, unknown := range []string{
		strings.Replace(path("-", "1", "tokens.css"), thm, "thm_99999999999999999999999999", 1),
		path("var_99999999999999999999999999", "1", "tokens.css"),
		path("-", "77", "tokens.css"),
	} {
		asked := func() int { return f.count("themes/") + f.count("pairs/") } // not the module, which is loaded ahead
		before, started := asked(), time.Now()
		for range 50 {
			if got := r.get(unknown); got.status != 404 {
				t.Fatalf("%s = %d", unknown, got.status)
			}
		}
		most := 2 * (1 + int(time.Since(started)/time.Second)) // a Theme and a pair for each second
		if asked := asked() - before; asked > most {
			t.Errorf("%s: upstream was asked %d times, want %d at most", unknown, asked, most)
		}
	}
}

// latest of a Theme that has no version is 404, and is there once it has one (S69, S70, A87).
func TestUnpublishedLatestAppears(t *testing.T) {
	f := newFeed(t)
	f.edit(thm, func(*fedTheme) {})
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	if got := r.get(latest); got.status != 404 || got.header.Get("Cache-Control") != "no-cache" {
		t.Errorf("before the first publish: %d %v", got.status, got.header)
	}
	f.publish(thm, smallTheme)
	within(t, seen, "the first publish", func() bool { return r.get(latest).status == 200 })
}

// Each version is rendered by the module that it names: several are used side by side, and each is
// fetched once.
func TestVersionsKeepTheirModules(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	f.mu.Lock()
	another := append(bytes.Clone(f.blobs[f.module]), 0, 6, 4, 'm', 'i', 'n', 'e', 0) // a section that says nothing
	f.mu.Unlock()
	module := f.putBlob(another)
	f.publish(thm, biggerTheme)
	f.edit(thm, func(th *fedTheme) { th.versions[1].Module = module })
	r := run(t, f, ownRuntime(t))
	for range 2 {
		want(t, r.get(path("-", "1", "tokens.css")), 200, "4px")
		want(t, r.get(path("-", "2", "tokens.css")), 200, "5px")
	}
	for _, name := range []record.Hash{f.module, module} {
		if asked := f.count("blobs/" + string(name)); asked != 1 {
			t.Errorf("module %s was asked for %d times, want once", name, asked)
		}
	}
	r.stop()
	f.stop()
	again := run(t, f, ownRuntime(t), at(r.dir))
	want(t, again.get(path("-", "1", "tokens.json")), 200, "4px")
	want(t, again.get(path("-", "2", "tokens.json")), 200, "5px")
}

// A pair that is asked for again after its plan was damaged on disk is served: the plan is fetched anew.
func TestDamagedPlanIsFetchedAgain(t *testing.T) {
	f := publishedFeed(t)
	first := run(t, f, ownRuntime(t))
	want(t, first.get(path("-", "1", "tokens.css")), 200, "4px")
	first.stop()
	_, name := f.compile(smallTheme, "")
	plan := f.blobs[name]
	if changed := changeOnDisk(t, first.dir, string(plan[len(plan)/2:]), string(plan[len(plan)/2])+strings.Repeat("x", len(plan)-len(plan)/2-1)); changed == 0 {
		t.Fatal("the plan to change is missing")
	}
	before := f.count("blobs/" + string(name))
	second := run(t, f, ownRuntime(t), at(first.dir))
	want(t, second.get(path("-", "1", "tokens.css")), 200, "4px")
	if asked := f.count("blobs/"+string(name)) - before; asked != 1 {
		t.Errorf("the plan was asked for %d times, want once", asked)
	}
}

// changeOnDisk changes a text in each file of a disk cache to one of the same length, and returns how many files had it.
func changeOnDisk(t *testing.T, dir, text, other string) (changed int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(content, []byte(text)) {
			return err
		}
		changed++
		return os.WriteFile(path, bytes.ReplaceAll(content, []byte(text), []byte(other)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}
