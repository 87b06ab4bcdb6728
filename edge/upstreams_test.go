package edge_test

import (
	"net"
	"strings"
	"testing"
	"time"
)

// twin is a second upstream with the same log, as two origins over one store are.
func (f *feed) twin() *feed {
	other := &feed{
		t: f.t, themes: f.themes, blobs: f.blobs, history: f.history, moved: make(chan struct{}), asked: map[string]int{}, module: f.module, log: f.log, mu: f.mu,
	}
	other.start("127.0.0.1:0")
	f.t.Cleanup(other.stop)
	return other
}

// Of several upstreams the first that answers is followed; one that comes back is preferred again.
func TestUpstreamsFailOver(t *testing.T) {
	t.Parallel()
	first := publishedFeed(t)
	second := first.twin()
	r := run(t, first, behind(first.url(), second.url()))
	r.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	if asked := second.count("themes/") + second.count("pairs/"); asked != 0 {
		t.Errorf("the second upstream was asked %d times while the first answers", asked)
	}
	first.stop()
	second.publish(thm, biggerTheme) // into records that both share: the first hears of it when it is back
	within(t, seen, "the publish at the second upstream", func() bool { return strings.Contains(r.get(latest).body, "5px") })
	if r.counted("livery_edge_feed_connected") != 1 {
		t.Error("no feed is followed")
	}
	first.mu.Lock()
	first.log = second.log
	first.mu.Unlock()
	first.restart()
	asked := first.count("")
	eventually(t, "the first followed again", func() bool {
		first.publishQuietly()
		r.get(path("-", "1", "tokens.json"))
		return first.count("") > asked
	})
}

// publishQuietly logs a change that concerns the first Theme.
func (f *feed) publishQuietly() { f.edit(thm, func(*fedTheme) {}) }

// An upstream that takes connections and says nothing holds nobody up for long.
func TestSilentUpstreamIsPassedOver(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := publishedFeed(t)
	r := run(t, f, behind("http://"+l.Addr().String(), f.url()))
	latest := path("-", "latest", "tokens.css")
	within(t, seen, "an answer", func() bool { return r.get(latest).status == 200 })
	f.publish(thm, biggerTheme)
	eventually(t, "a publish", func() bool { return strings.Contains(r.get(latest).body, "5px") })
}

// Where the feed is lost latest is asked for again by its lifetime, of any upstream that answers.
func TestLatestIsAskedForWithoutAFeed(t *testing.T) { // decisions 7.2, 7.9
	first := publishedFeed(t)
	second := first.twin()
	r := run(t, first, behind(first.url(), second.url()))
	r.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	second.mu.Lock()
	second.dumb = true
	second.mu.Unlock()
	first.stop()
	eventually(t, "the feed lost", func() bool { return r.counted("livery_edge_feed_connected") == 0 })
	second.publish(thm, biggerTheme)
	r.clock.add(61 * time.Second)
	eventually(t, "asking by the lifetime", func() bool { return strings.Contains(r.get(latest).body, "5px") })
}
