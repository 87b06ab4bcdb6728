package edge_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/livery/edge"
)

// diskOf bounds the disk cache.
func diskOf(bytes int64) option { return func(c *edge.Config) { c.DiskBytes = bytes } }

// A disk that is full of what was asked for once has what is asked for now after a restart without the origin, as it
// was last published, however the edge ended.
func TestFullDiskKeepsWhatIsAskedForNow(t *testing.T) {
	const hot, once, room = 88, 500, 128 << 10
	f := publishedFeed(t)
	module := int64(len(f.blobs[f.module]))
	budget := (module + room) * 13 / 10 // the rest is what was given up and lies on disk yet
	addresses := f.variants(hot + once)
	r := run(t, f, ownRuntime(t), full, diskOf(budget))
	asked := []string{path("-", "latest", "tokens.css")}
	asked = append(asked, addresses[:hot-1]...)
	for i := range 20 { // some at latest, of which every publish makes another version
		asked[i+1] = strings.Replace(asked[i+1], "/1/", "/latest/", 1)
	}
	ask := func(list []string) {
		t.Helper()
		for _, address := range list {
			if got := r.get(address); got.status != 200 {
				t.Fatalf("%s = %d", address, got.status)
			}
		}
		r.clock.add(time.Second)
	}
	rest := addresses[hot:]
	for round := range 5 { // what is asked for once comes first, in between and last
		ask(rest[round*once/5 : (round+1)*once/5])
		ask(asked)
		ask(asked)
		f.publish(thm, fmt.Sprintf(`{"space":{"$type":"dimension","small":{"$value":"%dpx"}}}`, round+100))
		eventually(t, "the publish", func() bool { return strings.Contains(r.get(asked[0]).body, fmt.Sprintf("%dpx", round+100)) })
		ask(asked)
	}
	ask(rest[:50])
	eventually(t, "the disk is full", func() bool { return r.counted("livery_edge_disk_bytes") > float64(module+room/2) })
	if held := r.counted("livery_edge_disk_bytes"); held > float64(budget) {
		t.Fatalf("%v bytes are held on disk", held)
	}
	served := 0
	for deadline := time.Now().Add(time.Minute); served < hot && time.Now().Before(deadline); {
		served = f.servedFrom(t, r.dir, asked) // what a kill leaves: what was published last is written within a second
	}
	if served < hot {
		t.Errorf("killed: %d of %d files are served without the origin", served, hot)
	}
	if served := f.servedFrom(t, r.dir, rest[50:58]); served == 8 {
		t.Error("there is room for what was asked for once, too")
	}
	f.stop()
	r.stop()
	if served := f.servedFrom(t, r.dir, asked); served < hot {
		t.Errorf("ended: %d of %d files are served without the origin", served, hot)
	}
}

// servedFrom counts the files that an edge serves from a copy of a disk cache, without an upstream; of latest those
// of the newest version.
func (f *feed) servedFrom(t *testing.T, dir string, asked []string) (served int) {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return 0 // a file went while it was copied
	}
	r := run(t, f, ownRuntime(t), full, at(copied), waiting(50*time.Millisecond), func(c *edge.Config) { c.Upstreams = []string{"http://127.0.0.1:1"} })
	defer r.stop()
	for _, address := range asked {
		got := r.get(address)
		if got.status == 200 && (!strings.Contains(address, "latest") || strings.Contains(got.body, "104px") || strings.Contains(address, "var_")) {
			served++
		}
	}
	return served
}
