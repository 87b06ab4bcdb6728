package edge_test

import (
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge/diskcache"
	"example.com/livery/feedproto"
)

// The record of a sealed pair that made place in memory is not written to disk again for an hour, as it says the same;
// what may change is.
func TestSealedRecordsAreWrittenOnce(t *testing.T) {
	f := publishedFeed(t)
	dir := t.TempDir()
	written := func(version string) time.Time { // when it was known to be current
		t.Helper()
		d, err := diskcache.Open(dir, diskcache.Budget{Bytes: 1 << 30, IndexBytes: 1 << 20}, func(func(string, *atomic.Uint32)) {}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		pair, ok := d.Pair(env + "/" + thm + "/-/" + version)
		if !ok {
			t.Fatalf("version %s is not on disk", version)
		}
		return pair.KnownAt
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
	if !written("1").Equal(sealed) {
		t.Error("a record that says the same was written again after a minute")
	}
	if written("latest").Equal(latest) {
		t.Error("the record of what may change was not written again")
	}
	ask(2 * time.Hour)
	if written("1").Equal(sealed) {
		t.Error("a record was not written again after two hours")
	}
}

// A pair comes with its plan and its overlay in one answer, and further pairs of its Theme with their overlays alone. Bytes
// that are not those of the name are asked for by themselves.
func TestPairsComeWithTheirInputs(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	addresses := f.variants(3)
	var came []feedproto.PairInputs
	f.inputs = func(p *feedproto.PairInputs) {
		if came = append(came, *p); len(came) == 3 && len(p.OverlayBytes) > 0 {
			p.OverlayBytes = []byte("something else")
		}
	}
	r := run(t, f)
	r.settle()
	for _, address := range addresses {
		want(t, r.get(address), 200, "px")
	}
	if got := r.kinds(); got["pair"] != 3 || got["blob"] != 2 { // the module, and the overlay that was another
		t.Errorf("upstream was asked %v, want 3 for pairs and 2 for blobs", got)
	}
	for i, p := range came {
		if (p.PlanBytes != nil) != (i == 0) || p.OverlayBytes == nil {
			t.Errorf("pair %d came with %d bytes of its plan and %d of its overlay", i, len(p.PlanBytes), len(p.OverlayBytes))
		}
	}
	r.stop()
	r = run(t, f, at(r.dir), away)
	r.lose()
	for _, address := range addresses {
		want(t, r.get(address), 200, "px")
	}
}
