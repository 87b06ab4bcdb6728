package edge_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The record of a sealed pair that made place in memory is not written to disk again for an hour, as it says the same;
// what may change is.
func TestSealedRecordsAreWrittenOnce(t *testing.T) {
	f := publishedFeed(t)
	dir := t.TempDir()
	written := func(version string) string { // it says when it was known to be current
		t.Helper()
		content, err := os.ReadFile(filepath.Join(dir, "pairs", env, thm, "-", version))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	ask := func(ahead time.Duration) {
		t.Helper()
		r := run(t, f, ownRuntime(t), at(dir)) // with nothing in memory
		r.clock.add(ahead)
		want(t, r.get(path("-", "1", "tokens.css")), 200, "4px")
		want(t, r.get(path("-", "latest", "tokens.css")), 200, "4px")
		r.stop()
	}
	ask(0)
	sealed, latest := written("1"), written("latest")
	ask(time.Minute)
	if written("1") != sealed {
		t.Error("a record that says the same was written again after a minute")
	}
	if written("latest") == latest {
		t.Error("the record of what may change was not written again")
	}
	ask(2 * time.Hour)
	if written("1") == sealed {
		t.Error("a record was not written again after two hours")
	}
}
