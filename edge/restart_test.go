package edge_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// variants gives the first Theme so many Variants, and returns the addresses of their files.
func (f *feed) variants(count int) (addresses []string) {
	for i := range count {
		id := fmt.Sprintf("var_%026d", i+1)
		f.override(thm, id, 1, fmt.Sprintf(`{"space.small":"%dpx"}`, i+10), true)
		addresses = append(addresses, path(id, "1", "tokens.css"))
	}
	return addresses
}

// lose waits until the edge knows that no feed can be followed.
func (r *running) lose() {
	r.t.Helper()
	eventually(r.t, "the loss", func() bool { return r.counted("livery_edge_feed_connected") == 0 })
}

// What is asked for while upstream restarts, and is not held, is answered when upstream is back.
func TestQuestionsWaitForARestart(t *testing.T) {
	const during, after = 40, 10
	f := publishedFeed(t)
	addresses := f.variants(during + after)
	r := run(t, f)
	want(t, r.get(path("-", "1", "tokens.css")), 200, "4px")
	f.stop()
	r.lose()
	asked := r.counted("livery_edge_upstream_requests_total")
	var working sync.WaitGroup
	for _, address := range addresses[:during] {
		working.Go(func() {
			if got := r.get(address); got.status != 200 {
				t.Errorf("asked during the restart: %d", got.status)
			}
		})
	}
	eventually(t, "a question in vain", func() bool { return r.counted("livery_edge_upstream_requests_total") > asked })
	f.restart()
	for _, address := range addresses[during:] {
		want(t, r.get(address), 200, "px")
	}
	working.Wait()
}

// After a long absence, too, the first question that comes when upstream is back is answered.
func TestFirstQuestionAfterALongOutageIsAnswered(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	addresses := f.variants(2)
	r := run(t, f)
	want(t, r.get(path("-", "1", "tokens.css")), 200, "4px")
	f.stop()
	r.lose()
	r.clock.add(time.Hour)
	if got := r.get(addresses[0]); got.status != 503 || got.header.Get("Retry-After") != "1" {
		t.Errorf("what is not held after an hour: %d %v", got.status, got.header)
	}
	f.restart()
	want(t, r.get(addresses[0]), 200, "10px") // asked for in vain a moment ago
	want(t, r.get(addresses[1]), 200, "11px")
	eventually(t, "following", func() bool { return r.counted("livery_edge_feed_connected") == 1 })
}

// A feed that is back says at once that nothing changed: what is held need not be asked for.
func TestFeedThatIsBackConfirmsAtOnce(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	f.mu.Lock()
	f.waits = nil
	f.mu.Unlock()
	f.stop()
	r.lose()
	f.restart()
	eventually(t, "following", func() bool { return r.counted("livery_edge_feed_connected") == 1 })
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.waits) == 0 || f.waits[0] != "0" {
		t.Errorf("the feed that is back is asked to wait %v seconds, want 0 first", f.waits)
	}
}

// Many who ask for what is not held while upstream is away do not reach it, one after the other, for
// each of their questions.
func TestQuestionsDoNotHammerALostUpstream(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	addresses := f.variants(200)
	r := run(t, f)
	want(t, r.get(path("-", "1", "tokens.css")), 200, "4px")
	f.stop()
	var asked atomic.Int64
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	starting := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !strings.HasPrefix(q.URL.Path, "/feed/v1/changes") {
			asked.Add(1)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})}
	go starting.Serve(l)
	defer starting.Close()
	r.lose()
	began := time.Now()
	var working sync.WaitGroup
	for _, address := range addresses {
		working.Go(func() {
			if got := r.get(address); got.status != 503 {
				t.Errorf("what is not held = %d", got.status)
			}
		})
	}
	working.Wait()
	if most := 40 + int64(time.Since(began)/(250*time.Millisecond)); asked.Load() == 0 || asked.Load() > most {
		t.Errorf("upstream was asked %d times for %d files, want 1 to %d times", asked.Load(), len(addresses), most)
	}
}
