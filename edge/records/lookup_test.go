package records

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/livery/edge/address"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"github.com/go-json-experiment/json"
)

// feed is an upstream that has one Theme with one version.
type feed struct {
	mu    sync.Mutex // guards all below
	now   time.Time
	down  bool
	asked int
}

func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	var answer any
	switch {
	case f.down:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.URL.Path == feedproto.ThemesPath+testEnv+"/"+testTheme:
		answer = feedproto.Theme{EnvironmentID: testEnv, ThemeID: testTheme, LatestVersion: 1, CacheLifetime: 5}
	case strings.HasPrefix(r.URL.Path, feedproto.PairsPath):
		answer = feedproto.Pair{Version: 1, Plan: hashOf("plan", 1), Module: hashOf("module", 1)}
	default:
		w.WriteHeader(http.StatusNotFound)
		answer = feedproto.NotFound{Missing: feedproto.MissingTheme}
	}
	text, _ := json.Marshal(answer)
	_, _ = w.Write(text)
}

func (f *feed) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// The states of an entry, as the package comment draws them, and how often upstream is asked on the way.
func TestEntriesGoThroughTheirStates(t *testing.T) {
	f := &feed{now: time.Unix(1_000_000, 0)}
	server := httptest.NewServer(f)
	defer server.Close()
	s := storeOf(t, f.clock, server.URL)
	pass := func(d time.Duration) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.now = f.now.Add(d)
	}
	theme, missing := testEnv+"/"+testTheme, testEnv+"/thm_99999999999999999999999999"
	steps := []struct {
		name   string
		before func()
		key    string
		exact  bool
		want   Outcome
		asks   int
	}{
		{"absent", nil, theme, false, Miss, 1},
		{"fresh", func() { pass(existenceLifetime) }, theme, false, Hit, 0},
		{"its lifetime is over", func() { pass(time.Second) }, theme, false, Revalidated, 1},
		{"confirmed by the feed", func() { pass(time.Hour); s.Heard(feedproto.Changes{}, f.clock()) }, theme, false, Hit, 0},
		{"invalidated, and not hot", func() { s.Heard(changeOf(testEnv, testTheme), time.Time{}) }, theme, false, Revalidated, 1},
		{"stale while refreshing", func() {
			s.makeHot(t, theme)
			s.Heard(feedproto.Changes{}, f.clock())
			s.Heard(changeOf(testEnv, ""), time.Time{})
		}, theme, false, Hit, 1},
		{"stale while refreshing is not for an edge that asks", nil, theme, true, Revalidated, 1},
		{"the refresh takes too long", func() { s.Heard(feedproto.Changes{Reset: true}, time.Time{}); pass(maxStale) }, theme, false, Revalidated, 1},
		{"upstream is down", func() { f.setDown(true); pass(time.Minute) }, theme, false, Stale, 1},
		{"backing off", nil, theme, false, Stale, 0},
		{"upstream is back, which a question in the background finds", func() { f.setDown(false); pass(time.Minute) }, theme, false, Stale, 1},
		{"fresh again", func() { s.awaitFresh(t, theme) }, theme, false, Hit, 0},
		{"there is no such Theme", nil, missing, false, Miss, 1},
		{"that is remembered", func() { pass(NegativeLifetime) }, missing, false, Hit, 0},
		{"for a second", func() { pass(time.Millisecond) }, missing, false, Revalidated, 1},
	}
	for _, step := range steps {
		before := f.count()
		if step.before != nil {
			step.before()
		}
		_, state, got, err := s.Theme([]byte(step.key), &Lookup{Now: f.clock(), Exact: step.exact, MaxWait: time.Minute})
		if err != nil || got != step.want || (state.Missing != "") != (step.key == missing) {
			t.Fatalf("%s: %+v, outcome %d, %v, want outcome %d", step.name, state, got, err, step.want)
		}
		for deadline := time.Now().Add(time.Minute); f.count() != before+step.asks; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: upstream was asked %d times, want %d", step.name, f.count()-before, step.asks)
			}
		}
	}
}

func (f *feed) setDown(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *feed) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// makeHot requests a pair of a Theme.
func (s *Store) makeHot(t *testing.T, theme string) {
	l := Lookup{Now: s.Now(), MaxWait: time.Second}
	th := s.ThemeEntry(theme)
	p, _, _, err := s.Pair(th, th.State(), address.Pair{Key: []byte(theme + "/-/latest"), Own: true}, &l)
	if err != nil {
		t.Fatal(err)
	}
	p.Requested(l.Now)
}

// awaitFresh waits until a Theme is fresh.
func (s *Store) awaitFresh(t *testing.T, theme string) {
	l := Lookup{Now: s.Now()}
	th := s.ThemeEntry(theme)
	for deadline := time.Now().Add(time.Minute); !s.themeFresh(th, th.State(), &l); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the Theme is not asked for in the background")
		}
	}
}

// While requests wait for an upstream to come back, what is held is served, and only so many wait.
func TestHeldIsServedWhileOthersWait(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	held := s.ThemeEntry(testEnv + "/" + testTheme)
	s.HoldTheme(held, Freshness{Change: held.Change(), At: time.Now().Add(time.Hour)}, feedproto.Theme{})
	l := Lookup{Now: s.Now(), MaxWait: time.Second, deadline: time.Now().Add(time.Minute)}
	answered := make(chan error)
	go func() {
		_, _, _, err := s.Theme([]byte(testEnv+"/thm_99999999999999999999999999"), &Lookup{Now: s.Now(), MaxWait: 3 * time.Second})
		answered <- err
	}()
	for deadline := time.Now().Add(time.Minute); s.waiting.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no request waits for an upstream that went away a moment ago")
		}
	}
	if _, _, got, err := s.Theme([]byte(held.Key), &Lookup{Now: s.Now(), MaxWait: time.Second}); got != Hit || err != nil {
		t.Errorf("what is held: outcome %d, %v", got, err)
	}
	s.waiting.Add(maxWaiting)
	if s.waitForUpstream(s.Upstream.Recovered(), &l, upstream.ErrUnreachable) {
		t.Errorf("more than %d wait", maxWaiting)
	}
	s.waiting.Add(-maxWaiting)
	if err := <-answered; !errors.Is(err, upstream.ErrUnreachable) {
		t.Errorf("what is not held = %v in the end", err)
	}
	if n := s.waiting.Load(); n != 0 {
		t.Errorf("%d wait in the end", n)
	}
	late := Lookup{Now: s.Now().Add(-time.Second), MaxWait: time.Second, deadline: time.Now().Add(time.Minute)}
	if s.waitForUpstream(s.Upstream.Recovered(), &late, upstream.ErrUnreachable) {
		t.Error("a request waits for longer than MaxWait")
	}
}

// changeOf is what the feed says of a change.
func changeOf(environmentID, themeID string) feedproto.Changes {
	return feedproto.Changes{Changes: []feedproto.Change{{EnvironmentID: environmentID, ThemeID: themeID}}}
}
