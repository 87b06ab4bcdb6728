package edge_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/edge"
)

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// count returns how many lines tell of a feed that cannot be followed, for that reason.
func (l *logged) count(reason string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "the feed cannot be followed") && strings.Contains(line, reason) {
			n++
		}
	}
	return n
}

// An edge that is cut off says why, from its start on, and says so again when the reason changes, but not
// with every try.
func TestEveryReasonForBeingCutOffIsTold(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	var log logged
	set := func(dumb bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.dumb = dumb
	}
	set(true)
	r := run(t, f, func(c *edge.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	eventually(t, "the first reason", func() bool { return log.count("status 500") == 1 })
	r.clock.add(time.Hour)
	f.stop()
	eventually(t, "the second reason", func() bool { return log.count("connection refused") == 1 })
	r.clock.add(time.Hour)
	f.restart()
	r.clock.add(time.Hour)
	eventually(t, "the first reason again", func() bool { return log.count("status 500") == 2 })
	set(false)
	r.clock.add(time.Hour)
	r.settle()
	eventually(t, "the feed", func() bool { return r.counted("livery_edge_feed_connected") == 1 })
	set(true)
	eventually(t, "the reason after it was followed", func() bool { return log.count("status 500") == 3 })
	if n := log.count("connection refused"); n != 1 {
		t.Errorf("the second reason was told %d times", n)
	}
}

// What is measured of an edge's memory, renderers and place in the feed is there, and moves.
func TestMetricsTellWhatIsHeld(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f, diskFiles(anyFileBytes))
	r.settle()
	want(t, r.get(path("-", "latest", "tokens.css")), 200, "4px")
	for _, name := range []string{
		"cache_bytes", "cache_budget_bytes", "memory_budget_bytes", "disk_bytes", "disk_budget_bytes", "compiled_bytes", "guest_memory_bytes", "guest_instances",
		"guest_modules", "feed_sequence", "sent_bytes_total", "connections", "disk_file_budget_bytes",
	} {
		if r.counted("livery_edge_"+name) <= 0 {
			t.Errorf("livery_edge_%s is not above 0", name)
		}
	}
	if n := r.counted("livery_edge_renders_active"); n != 0 {
		t.Errorf("%v renders are under way", n)
	}
	before, sent := r.counted("livery_edge_feed_sequence"), r.counted("livery_edge_sent_bytes_total")
	f.publish(thm, biggerTheme)
	eventually(t, "the change is applied", func() bool { return r.counted("livery_edge_feed_sequence") > before })
	body := r.get(path("-", "1", "tokens.json")).body
	if got := r.counted("livery_edge_sent_bytes_total") - sent; got != float64(len(body)) {
		t.Errorf("%v bytes are counted as sent, %d were", got, len(body))
	}
	again := r.get(path("-", "1", "tokens.json")) // by the fast path, if there is one
	if got := r.counted("livery_edge_sent_bytes_total") - sent; got != float64(len(body)+len(again.body)) {
		t.Errorf("%v bytes are counted as sent, %d were", got, len(body)+len(again.body))
	}
	r.do("HEAD", path("-", "1", "tokens.json"))
	if got := r.counted("livery_edge_sent_bytes_total") - sent; got != float64(2*len(body)) {
		t.Errorf("%v bytes are counted as sent after a HEAD, %d were", got, 2*len(body))
	}
}
