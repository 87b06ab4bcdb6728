package records

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/upstream"
	"example.com/livery/feedproto"
	"example.com/livery/storage/record"
)

const (
	testEnv   = "env_0123456789abcdefghijklmnop"
	testTheme = "thm_0123456789abcdefghijklmnop"
)

// newStore returns a Store whose upstream cannot be reached.
func newStore(t *testing.T) *Store {
	return storeOf(t, time.Now, "http://127.0.0.1:1")
}

// storeOf returns a Store with one upstream, whose refreshes are not started.
func storeOf(t *testing.T, now func() time.Time, url string) *Store {
	disk, err := diskcache.Open(t.TempDir(), diskcache.Budget{Bytes: 1 << 20, IndexBytes: 1 << 20}, func(func(string, *atomic.Uint32)) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := upstream.New(upstream.Config{URLs: []string{url}, Wait: time.Second}, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	var working sync.WaitGroup
	s := New(Config{
		ThemeBytes: 1 << 20, PairBytes: 1 << 20, Context: t.Context(),
		Go:       func(f func()) bool { working.Go(f); return true },
		Draining: func() bool { return false },
		Now:      now, Logger: slog.New(slog.DiscardHandler), LogDiskError: func(error) {},
		Upstream: pool, Disk: disk, WriteBehind: diskcache.NewWriteBehind(disk, func(error) {}),
		Content: noContent{}, Observer: noObserver{},
	})
	t.Cleanup(working.Wait)
	return s
}

// noContent has every input, and makes no file.
type noContent struct{}

func (noContent) HasInputs(*content.Inputs) bool { return true }
func (noContent) TakeInputs(feedproto.Pair, map[record.Hash][]byte) (release func(), err error) {
	return func() {}, nil
}
func (noContent) PersistInputs(feedproto.Pair) bool        { return false }
func (noContent) MakeFiles(*ThemeState, *Pair, *PairState) {}
func (noContent) Replace(_, _ *content.Inputs)             {}
func (noContent) Persist(*content.Inputs) (int, error)     { return 0, nil }
func (noContent) Forget(*content.Inputs)                   {}

type noObserver struct{}

func (noObserver) Asked(string, error) {}
func (noObserver) Shed()               {}
func (noObserver) Refreshed()          {}

func keyed(key string) *Pair { return newPair(key) }

// A flood of unknown addresses stays within the memory budget, and what is asked for often outlives
// it (decisions 7.8).
func TestFloodStaysWithinTheBudget(t *testing.T) {
	const budget = 16 << 20
	c := New(Config{ThemeBytes: budget / 3, PairBytes: budget / 3 * 2, Content: noContent{}})
	hot := []byte(testEnv + "/" + testTheme)
	evicted := -1 // the first look-up finds nothing
	for i := range 50_000 {
		key := fmt.Sprintf("%s/thm_%026d", testEnv, i)
		c.ThemeEntry(key)
		c.PairEntry(key + "/-/latest")
		if c.theme(hot) == nil {
			evicted++
			c.ThemeEntry(string(hot))
		}
	}
	if evicted > 0 {
		t.Errorf("a Theme that is asked for all the time was evicted %d times", evicted)
	}
	if held := c.Bytes(); held > budget {
		t.Errorf("%d bytes are held, the budget is %d", held, budget)
	}
}

// What is refreshed after a change is no more than what is held: a Theme forgets pairs that were
// evicted.
func TestEvictedPairIsForgotten(t *testing.T) {
	c := New(Config{ThemeBytes: 1 << 19, PairBytes: 3 << 15, Content: noContent{}}) // room for some 190 pairs
	th := c.ThemeEntry(testEnv + "/" + testTheme)
	for i := range maxPairs {
		th.remember(c.PairEntry(fmt.Sprintf("%s/-/%d", th.Key, i+1)))
	}
	held := 0
	for range c.pairs.All() {
		held++
	}
	if remembered := len(th.all()); remembered != held || held > maxPairs/2 {
		t.Errorf("%d pairs are remembered, %d held", remembered, held)
	}
}

// A Theme that was evicted and comes back cannot take pairs of before for current: it may have
// missed a change in between.
func TestEvictedThemeInvalidatesItsPairs(t *testing.T) {
	c := New(Config{ThemeBytes: 1 << 20, PairBytes: 1 << 20, Content: noContent{}})
	key := testEnv + "/" + testTheme
	before := c.ThemeEntry(key).change.Load()
	c.themes.Delete(key)
	if after := c.ThemeEntry(key).change.Load(); after == before {
		t.Errorf("change number %d was given out twice", after)
	}
}

// What is confirmed is what is not invalidated: a change and the confirmation after it never mix.
func TestInvalidatedIsNotConfirmed(t *testing.T) {
	e := newStore(t)
	th := e.ThemeEntry(testEnv + "/" + testTheme)
	asked := time.Unix(1000, 0)
	number := th.change.Load()
	e.Heard(feedproto.Changes{}, time.Unix(2000, 0))
	q, l := Lookup{Now: time.Unix(2001, 0)}, Freshness{Change: number, At: asked, Confirmed: true}
	if at, current := e.Known(th, l, &q); !current || !at.Equal(time.Unix(2000, 0)) {
		t.Errorf("known = %v, %t, want the confirmation", at, current)
	}
	e.invalidate(th, e.Now())
	if at, current := e.Known(th, l, &q); current || !at.Equal(asked) {
		t.Errorf("invalidated: known = %v, %t, want when it was asked for", at, current)
	}
}

// A pair that is being asked for the first time is refreshed ahead too, and not forgotten because
// its request has not been counted yet.
func TestPairOnItsWayIsHot(t *testing.T) {
	now := time.Unix(10_000, 0)
	th := &Theme{}
	onItsWay, cold, warm := keyed("a"), keyed("b"), keyed("c")
	cold.requestedAt.Store(now.Add(-time.Hour).Unix())
	warm.requestedAt.Store(now.Unix())
	for _, p := range []*Pair{onItsWay, cold, warm} {
		th.remember(p)
	}
	for range 2 {
		hot := map[string]bool{}
		for _, p := range th.hot(now.Add(-hotFor)) {
			hot[p.Key] = true
		}
		if !hot["a"] || hot["b"] || !hot["c"] {
			t.Errorf("hot = %v, want a and c", hot)
		}
	}
}

// The line of a pair is that of all its versions in the same modes, and whether it is pinned the version says, whatever
// the modes are called.
func TestLineNamesAllVersions(t *testing.T) {
	const files = testEnv + "/" + testTheme + "/-"
	for key, want := range map[string]struct {
		modes  string
		pinned bool
	}{
		files + "/latest":          {"", false},
		files + "/12":              {"", true},
		files + "/latest/dark.12":  {"dark.12", false},
		files + "/12/latest":       {"latest", true},
		files + "/12/scheme,touch": {"scheme,touch", true},
	} {
		p := keyed(key)
		if p.Line() != (content.Line{Files: files, Modes: want.modes}) || p.Pinned != want.pinned || p.HasModes() != (want.modes != "") {
			t.Errorf("%s: line = %+v, pinned %t", key, p.Line(), p.Pinned)
		}
	}
}
