package feed

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/internal/test/heaptest"
	"example.com/livery/internal/test/race"
	"example.com/livery/storage"
	"example.com/livery/storage/pebble"
	"example.com/livery/storage/record"
)

func length(s string) int { return len(s) }

// What many ask for at once is made once, and is there for a while.
func TestAShelfMakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newResponseCache(100, time.Second, length)
		var made atomic.Int32
		get := func(notBefore time.Time) {
			value, begun, err := c.get("key", notBefore, func() (string, error) {
				time.Sleep(time.Millisecond)
				made.Add(1)
				return "value", nil
			})
			if value != "value" || begun.After(time.Now()) || err != nil {
				t.Errorf("get = %q, %v, %v", value, begun, err)
			}
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { get(time.Time{}) })
		}
		all.Wait()
		for _, step := range []struct {
			name string
			rest time.Duration
			wait time.Duration // how old it may be at most; 0: as old as it is
			want int32
		}{
			{"all at once", 0, 0, 1},
			{"a moment later", 500 * time.Millisecond, 0, 1},
			{"it must not be so old", 0, 100 * time.Millisecond, 2},
			{"the new one may be", 0, 100 * time.Millisecond, 2},
			{"the old one's time is over, not the new one's", 700 * time.Millisecond, 0, 2},
			{"its time is over", 400 * time.Millisecond, 0, 3},
		} {
			time.Sleep(step.rest)
			notBefore := time.Time{}
			if step.wait > 0 {
				notBefore = time.Now().Add(-step.wait)
			}
			get(notBefore)
			if got := made.Load(); got != step.want {
				t.Errorf("%s: made %d times, want %d", step.name, got, step.want)
			}
		}
		time.Sleep(2 * time.Second)
		if entries, bytes := c.weighed(); entries != 0 || bytes != 0 {
			t.Errorf("%d entries of %d bytes are cached for longer than their time", entries, bytes)
		}
	})
}

// weighed returns how much is cached.
func (c *responseCache[V]) weighed() (entries, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries), c.bytes
}

// A cache has no more bytes than it may, keys and all, and no failures.
func TestAShelfIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newResponseCache(10, time.Second, length)
		failed := errors.New("failed")
		made := map[string]int{}
		get := func(key, value string, err error) {
			got, _, gotErr := c.get(key, time.Time{}, func() (string, error) {
				made[key]++
				return value, err
			})
			if got != value || !errors.Is(gotErr, err) {
				t.Errorf("get(%q) = %q, %v, want %q, %v", key, got, gotErr, value, err)
			}
		}
		for range 2 {
			get("a", "12345", nil)
			get("b", "1234", nil)
			get("c", "", failed)
		}
		_, bytes := c.weighed()
		if made["a"] != 1 || made["b"] != 2 || made["c"] != 2 || bytes != 6 {
			t.Errorf("made %v with %d bytes cached, want what fits once", made, bytes)
		}
		func() {
			defer func() { _ = recover() }()
			_, _, _ = c.get("d", time.Time{}, func() (string, error) { panic("a bug") })
		}()
		get("d", "1", nil)
		time.Sleep(2 * time.Second)
	})
}

// The budget of a cache is one of memory: what is counted is what is taken, and what was replaced is gone at once.
func TestWhatIsCountedIsWhatIsTaken(t *testing.T) {
	race.Skip(t)
	for _, size := range []int{20, 700, 20_000} {
		heaptest.Agree(t, 0.8, 1.25, func() (counted, taken int64) {
			c := newResponseCache(1<<40, time.Hour, weight)
			taken = heaptest.Taken(func() {
				for i := range 2 * (4 << 20 / (size + 500)) {
					key := fmt.Sprintf("/feed/v1/refresh/env_1/thm_1?since=%d", i/2)
					_, _, _ = c.get(key, time.Now(), func() ([]byte, error) { return make([]byte, size), nil })
				}
			})
			_, bytes := c.weighed()
			return int64(bytes), taken
		})
	}
}

// What a poll keeps is what it is answered with, spelled.
func TestPollsAreWeighed(t *testing.T) {
	race.Skip(t)
	store, err := pebble.Open("", pebble.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var cursors []storage.Cursor
	for i := range 2000 {
		at, err := store.Update(t.Context(), storage.Global, func(tx storage.Tx) (record.Change, error) {
			return record.Change{EnvironmentID: fmt.Sprintf("env_%026d", i)}, tx.Set([]byte("Xa"), []byte("b"))
		})
		if err != nil {
			t.Fatal(err)
		}
		cursors = append(cursors, at)
	}
	heaptest.Agree(t, 0.8, 1.25, func() (counted, taken int64) {
		c := newChanges(store)
		c.cache.maxBytes, c.cache.ttl = 1<<40, time.Hour
		taken = heaptest.Taken(func() {
			for i := range 20 {
				if _, err := c.answer(t.Context(), poll{after: cursors[i], limit: feedproto.MaxLimit}); err != nil {
					t.Fatal(err)
				}
			}
		})
		_, bytes := c.cache.weighed()
		return int64(bytes), taken
	})
}
