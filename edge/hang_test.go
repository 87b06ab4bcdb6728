package edge_test

import (
	"strings"
	"testing"
	"time"
)

// Who asks for what is not held, behind an upstream that says nothing, is told to come again when the operator's time
// is over, and not when upstream's is; what comes of the question is there for the next.
func TestHangingUpstreamIsNotWaitedFor(t *testing.T) {
	f := publishedFeed(t)
	address := f.variants(1)[0]
	r := run(t, f, waiting(100*time.Millisecond))
	r.settle() // the first poll has the Theme asked for again
	eventually(t, "the first answer", func() bool { return r.get(path("-", "latest", "tokens.css")).status == 200 })
	release := f.held()
	asked := f.count("pairs/")
	for range 3 {
		got := r.get(address)
		if got.status != 503 || got.header.Get("Retry-After") != "1" {
			t.Errorf("what is not held = %d %v, want 503 with Retry-After", got.status, got.header)
		}
	}
	eventually(t, "the question to upstream", func() bool { return f.count("pairs/") > asked }) // clients do not wait for its start
	if n := f.count("pairs/") - asked; n != 1 {
		t.Errorf("upstream was asked %d times, want once: the first question is still under way", n)
	}
	blobs := f.count("blobs/")
	release()
	eventually(t, "the answer to the question that was under way", func() bool { return r.get(address).status == 200 })
	if n := f.count("pairs/") - asked; n != 1 {
		t.Errorf("upstream was asked for the pair %d times, want once: the answer that came late is taken", n)
	}
	if n := f.count("blobs/") - blobs; n != 1 {
		t.Errorf("upstream was asked for %d blobs, want the overlay alone", n)
	}
}

// What is held, in memory or on disk, is served when the time is over.
func TestHangingUpstreamDoesNotHoldUpWhatIsHeld(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	f.edit(thm, func(th *fedTheme) { th.CacheLifetime = 0 })
	latest := path("-", "latest", "tokens.css")
	first := run(t, f, ownRuntime(t), waiting(100*time.Millisecond))
	eventually(t, "the first answer", func() bool { return first.get(latest).status == 200 })
	release := f.held()
	defer release()
	for _, r := range []*running{first, nil} {
		if r == nil {
			first.stop()
			r = run(t, f, ownRuntime(t), at(first.dir), waiting(100*time.Millisecond))
		}
		asked := f.count("themes/") + f.count("pairs/")
		got := r.get(latest)
		want(t, got, 200, "4px")
		if how := got.header.Get("Cache-Status"); !strings.Contains(how, "stale") {
			t.Errorf("Cache-Status = %q, want it stale", how)
		}
		eventually(t, "a question to upstream", func() bool { return f.count("themes/")+f.count("pairs/") > asked })
	}
}

// Of several upstreams, one that says nothing is not waited for to the end: the next is asked beside it.
func TestAnotherUpstreamIsAskedBesideOneThatHangs(t *testing.T) {
	t.Parallel()
	first := publishedFeed(t)
	addresses := first.variants(8)
	second := first.twin()
	r := run(t, first, behind(first.url(), second.url()), waiting(4*time.Second))
	r.settle()
	eventually(t, "the first answer", func() bool { return r.get(path("-", "latest", "tokens.css")).status == 200 })
	release := first.held()
	defer release()
	asked := first.count("pairs/")
	for _, address := range addresses {
		want(t, r.get(address), 200, "px") // the first would be waited for longer than that
	}
	if n := first.count("pairs/") - asked; n < 1 || n >= len(addresses) {
		t.Errorf("the first was asked for %d of %d pairs, want some, as it may answer again, and not all", n, len(addresses))
	}
}
