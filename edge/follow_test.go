package edge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/livery/storage/record"
)

const biggerTheme = `{"space":{"$type":"dimension","small":{"$value":"5px"},"inner":{"$value":"{space.small}"}}}`

// within fails if ok does not come about in the time that the contract gives.
func within(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	started := time.Now()
	eventually(t, what, ok)
	if took := time.Since(started); took > limit {
		t.Errorf("%s took %v, want %v at most", what, took, limit)
	}
}

// seen bounds the contract's "within a second" with room for a busy machine. It is less than the minute for which latest may
// be kept: what comes within it came by the feed.
const seen = 30 * time.Second

// With the feed connected a publish, a deletion, an integration or a serving change is seen within a
// second (decisions 7.9, S99, S127, S128, S208, A92), although latest may be kept for a minute.
func TestChangesAreSeen(t *testing.T) {
	f := publishedFeed(t)
	f.override(thm, brand, 1, `{"space.small":"9px"}`, true)
	r := run(t, f)
	latest, pinned, branded := path("-", "latest", "tokens.css"), path("-", "1", "tokens.css"), path(brand, "1", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	want(t, r.get(pinned), 200, "4px")
	want(t, r.get(branded), 200, "9px")
	want(t, r.get(path("-", "2", "tokens.css")), 404, "notFound")

	f.publish(thm, biggerTheme)
	within(t, seen, "the publish at latest", func() bool { return strings.Contains(r.get(latest).body, "5px") })
	within(t, seen, "the publish at its number", func() bool { return r.get(path("-", "2", "tokens.css")).status == 200 })
	want(t, r.get(pinned), 200, "4px")

	f.edit(thm, func(th *fedTheme) { th.Files = []string{"tokens.json"} })
	within(t, seen, "the removed integration, latest", func() bool { return r.get(latest).status == 404 })
	within(t, seen, "the removed integration, pinned", func() bool { return r.get(pinned).status == 404 })
	f.edit(thm, func(th *fedTheme) { th.Files = allFiles })
	within(t, seen, "the added integration", func() bool { return r.get(pinned).status == 200 })

	f.serving(thm, record.Serving{Mode: "signed"})
	within(t, seen, "signed mode", func() bool { return r.get(pinned).status == 403 })
	f.serving(thm, record.Serving{Mode: "public"})
	within(t, seen, "public mode", func() bool { return r.get(pinned).status == 200 })

	f.removeVariant(thm, brand)
	within(t, seen, "the deleted Variant", func() bool { return r.get(branded).status == 404 })
	want(t, r.get(pinned), 200, "4px")
	f.removeTheme(thm)
	within(t, seen, "the deleted Theme", func() bool { return r.get(pinned).status == 404 && r.get(latest).status == 404 })
}

// What was asked for lately is ready again before somebody asks.
func TestHotFilesAreMadeAhead(t *testing.T) {
	f := newFeed(t)
	f.publish(thm, bigTheme())
	r := run(t, f)
	r.settle()
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest, "Accept-Encoding: br"), 200, "")
	want(t, r.get(latest), 200, "199px")
	f.publish(thm, strings.Replace(bigTheme(), "199px", "777px", 1))
	eventually(t, "the refresh", func() bool { return r.counted("livery_edge_refreshes_total") == 1 })
	for _, enc := range []string{"identity", "br"} {
		got := r.get(latest, "Accept-Encoding: "+enc)
		if got.header.Get("Cache-Status") != "livery; hit" || enc == "identity" && !strings.Contains(got.body, "777px") {
			t.Errorf("the first to ask for %s after the publish: %v", enc, got.header)
		}
	}
}

// A change of an Environment concerns every Theme in it (its cacheLifetime, say).
func TestEnvironmentChangeIsSeen(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	f.mu.Lock()
	f.themes[env+"/"+thm].CacheLifetime = 7
	f.logChange("")
	f.mu.Unlock()
	within(t, seen, "the lifetime", func() bool { return strings.Contains(r.get(latest).header.Get("Cache-Control"), "max-age=7,") })
}

// A cursor of another history puts everything in doubt: the feed cannot say what changed.
func TestResetAsksForEverythingAgain(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	_, name := f.compile(biggerTheme, "")
	f.mu.Lock()
	f.themes[env+"/"+thm].versions[0].Plan = name // as a restored backup might differ
	f.mu.Unlock()
	f.forget()
	within(t, seen, "the other history", func() bool { return strings.Contains(r.get(latest).body, "5px") })
}

// An edge that was away hears of what it missed when it comes back, however much that is.
func TestMissedChangesAreCaughtUp(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	want(t, r.get(latest), 200, "4px")
	f.stop()
	for range 2500 { // more than one page of the feed
		f.edit("thm_00000000000000000000000002", func(*fedTheme) {})
	}
	f.publish(thm, biggerTheme)
	want(t, r.get(latest), 200, "4px")
	f.restart()
	eventually(t, "catching up", func() bool { return strings.Contains(r.get(latest).body, "5px") })
}

// Age counts from when the answer was last known to be current, and an answer known for longer than
// the lifetime is asked for again: edge and browser together never exceed it (S39, decisions 7.2).
func TestAgeNeverExceedsTheLifetime(t *testing.T) {
	f := publishedFeed(t)
	f.edit(thm, func(th *fedTheme) { th.CacheLifetime = 0 })
	r := run(t, f)
	r.settle()
	latest := path("-", "latest", "tokens.css")
	for i := 1; i <= 5; i++ {
		got := r.get(latest)
		if asked := f.count("/-/latest"); asked != i || got.header.Get("Age") != "0" {
			t.Errorf("request %d: asked %d times, Age %q: with a lifetime of 0 every answer is asked for", i, asked, got.header.Get("Age"))
		}
	}
	f.edit(thm, func(th *fedTheme) { th.CacheLifetime = 30 })
	eventually(t, "the lifetime", func() bool { return strings.Contains(r.get(latest).header.Get("Cache-Control"), "max-age=30,") })
	before := f.count("/-/latest")
	r.clock.add(20 * time.Second)
	if got := r.get(latest); got.header.Get("Age") == "0" && f.count("/-/latest") == before {
		t.Errorf("20 seconds later: Age %q without having asked", got.header.Get("Age"))
	}
}

// While the feed is followed its heartbeat confirms what is held, so that nothing is asked for.
func TestHeartbeatConfirms(t *testing.T) {
	t.Parallel()
	f := publishedFeed(t)
	f.edit(thm, func(th *fedTheme) { th.CacheLifetime = 4 })
	r := run(t, f)
	latest := path("-", "latest", "tokens.css")
	r.settle()
	want(t, r.get(latest), 200, "4px")
	polls := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.waits)
	}
	asked := f.count("")
	for inTime := 0; inTime < 7; { // for longer in all than a record counts
		began, before := time.Now(), polls()
		eventually(t, "a heartbeat", func() bool {
			want(t, r.get(latest), 200, "4px")
			return polls() > before
		})
		inTime++
		if time.Since(began) > 2*time.Second { // one that was late may have had something asked for
			inTime, asked = 0, f.count("")
		}
	}
	if again := f.count(""); again > asked {
		t.Errorf("asked %d times while heartbeats came", again-asked)
	}
}

// The address that a publish returns answers at once, before the feed brought the news.
func TestPublishedAddressAnswersAtOnce(t *testing.T) {
	f := publishedFeed(t)
	r := run(t, f)
	r.settle()
	want(t, r.get(path("-", "latest", "tokens.css")), 200, "4px")
	for i := range 40 {
		number := f.publish(thm, fmt.Sprintf(`{"size":{"$type":"dimension","small":{"$value":"%dpx"}}}`, 100+i))
		want(t, r.get(path("-", fmt.Sprint(number), "tokens.css")), 200, fmt.Sprintf("%dpx", 100+i))
	}
}
