package edge_test

import (
	"testing"

	"example.com/livery/edge"
)

// After a publish what follows latest is made ahead; a pinned file is what it was, so that it is not made
// again, even if it had to make place.
func TestPublishMakesNoPinnedFileAgain(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, largeTheme())
	r := run(t, f, func(c *edge.Config) { c.CacheBytes = 256 << 10 }) // no file of the Theme fits
	r.settle()
	renders := func() float64 { return r.counted("livery_edge_render_seconds") }
	for _, version := range []string{"latest", "1"} {
		want(t, r.get(path("-", version, "tokens.css")), 200, "px")
		eventually(t, "the file made place", func() bool { return r.counted("livery_edge_cache_bytes") < 100<<10 })
	}
	before, refreshed := renders(), r.counted("livery_edge_refreshes_total")
	f.publish(thm, numbered(2))
	eventually(t, "the Theme is made ready", func() bool { return r.counted("livery_edge_refreshes_total") > refreshed })
	if made := renders() - before; made != 1 {
		t.Errorf("%v files were made after the publish, want that of latest alone", made)
	}
}
