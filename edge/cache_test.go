package edge_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"example.com/livery/edge"
)

// wasMade reports whether an answer had to be made.
func wasMade(r response) bool { return strings.Contains(r.header.Get("Cache-Status"), "fwd=") }

// At a cache that is full of other things a publish costs no hot address its place.
func TestPublishAtAFullCacheKeepsWhatIsHot(t *testing.T) {
	t.Parallel()
	const hot, publishes = 10, 30
	f := newFeed(t)
	latest := func(i int) string { return "/" + env + "/" + themeNumber(i) + "/-/latest/tokens.css" }
	for i := range hot {
		f.publish(themeNumber(i), numbered(i))
	}
	f.publish(thm, bigTheme())
	once := f.variants(90)
	r := run(t, f, func(c *edge.Config) { c.CacheBytes = 512 << 10 })
	r.settle()
	for range 2 {
		for i := range hot {
			want(t, r.get(latest(i)), 200, strconv.Itoa(1_000_000+i))
		}
	}
	for n := range publishes {
		for _, address := range once[n*len(once)/publishes : (n+1)*len(once)/publishes] {
			want(t, r.get(address), 200, "px")
		}
		f.publish(themeNumber(n%hot), numbered(100+n))
		eventually(t, "the publish", func() bool { return strings.Contains(r.get(latest(n%hot)).body, strconv.Itoa(1_000_100+n)) })
		for range 2 {
			for i := range hot {
				if wasMade(r.get(latest(i))) {
					t.Errorf("after publish %d hot address %d misses", n+1, i)
				}
			}
		}
	}
	if evicted := r.counted("livery_edge_cache_evictions_total"); evicted == 0 {
		t.Error("nothing was evicted: the cache was not full")
	}
}

func themeNumber(i int) string { return fmt.Sprintf("thm_%026d", 100+i) }

// When a Theme is deleted, everything of it leaves the memory at once, and nothing else does.
func TestDeletedThemeLeavesTheMemory(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	other := themeNumber(1)
	f.publish(other, bigTheme())
	r := run(t, f)
	r.settle()
	want(t, r.get("/"+env+"/"+other+"/-/latest/tokens.css"), 200, "px")
	before := r.counted("livery_edge_cache_bytes")
	for _, address := range append(f.variants(50), path("-", "1", "tokens.css"), path("-", "latest", "tokens.json")) {
		want(t, r.get(address), 200, "px")
	}
	held := r.counted("livery_edge_cache_bytes")
	f.removeTheme(thm)
	const entry = 1 << 10 // that the Theme does not exist
	eventually(t, "the memory is given back", func() bool { return r.counted("livery_edge_cache_bytes") <= before+entry })
	if held < before+50*entry {
		t.Errorf("%v bytes were held of the Theme", held-before)
	}
	if got := r.get(path("-", "1", "tokens.css")); got.status != 404 {
		t.Errorf("a deleted Theme = %d", got.status)
	}
	if wasMade(r.get("/" + env + "/" + other + "/-/latest/tokens.css")) {
		t.Error("another Theme left the memory")
	}
}
