package feed

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/livery/feedproto"
	"example.com/livery/heaptest"
)

func length(s string) int { return len(s) }

// What many ask for at once is made once, and is there for a while.
func TestAShelfMakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(100, time.Second, length)
		var made atomic.Int32
		take := func(notBefore time.Time) {
			value, begun, err := s.take("key", notBefore, func() (string, error) {
				time.Sleep(time.Millisecond)
				made.Add(1)
				return "value", nil
			})
			if value != "value" || begun.After(time.Now()) || err != nil {
				t.Errorf("take = %q, %v, %v", value, begun, err)
			}
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { take(time.Time{}) })
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
			take(notBefore)
			if got := made.Load(); got != step.want {
				t.Errorf("%s: made %d times, want %d", step.name, got, step.want)
			}
		}
		time.Sleep(2 * time.Second)
		if held, bytes := s.weighed(); held != 0 || bytes != 0 {
			t.Errorf("%d things of %d bytes are held for longer than their time", held, bytes)
		}
	})
}

// weighed returns how much is held.
func (s *shelf[V]) weighed() (things, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held), s.bytes
}

// A shelf holds no more bytes than it may, keys and all, and no failures.
func TestAShelfIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(10, time.Second, length)
		failed := errors.New("failed")
		made := map[string]int{}
		take := func(key, value string, err error) {
			got, _, gotErr := s.take(key, time.Time{}, func() (string, error) {
				made[key]++
				return value, err
			})
			if got != value || !errors.Is(gotErr, err) {
				t.Errorf("take(%q) = %q, %v, want %q, %v", key, got, gotErr, value, err)
			}
		}
		for range 2 {
			take("a", "12345", nil)
			take("b", "1234", nil)
			take("c", "", failed)
		}
		_, bytes := s.weighed()
		if made["a"] != 1 || made["b"] != 2 || made["c"] != 2 || bytes != 6 {
			t.Errorf("made %v with %d bytes held, want what fits once", made, bytes)
		}
		func() {
			defer func() { _ = recover() }()
			_, _, _ = s.take("d", time.Time{}, func() (string, error) { panic("a bug") })
		}()
		take("d", "1", nil)
		time.Sleep(2 * time.Second)
	})
}

// The budget of a shelf is one of memory: what is counted is what is taken, and what was replaced is gone at once.
func TestWhatIsCountedIsWhatIsTaken(t *testing.T) {
	for _, size := range []int{20, 700, 20_000} {
		heaptest.Agree(t, 0.8, 1.25, func() (counted, taken int64) {
			s := newShelf(1<<40, time.Hour, weight)
			taken = heaptest.Taken(func() {
				for i := range 2 * (4 << 20 / (size + 500)) {
					key := fmt.Sprintf("/feed/v1/refresh/env_1/thm_1?since=%d", i/2)
					_, _, _ = s.take(key, time.Now(), func() ([]byte, error) { return make([]byte, size), nil })
				}
			})
			_, bytes := s.weighed()
			return int64(bytes), taken
		})
	}
}

// What a poll keeps is what it is answered with, spelled.
func TestPollsAreWeighed(t *testing.T) {
	l := newLog(t)
	for i := range 2000 {
		l.add(fmt.Sprintf("env_%026d", i))
	}
	heaptest.Agree(t, 0.8, 1.25, func() (counted, taken int64) {
		c := newChanges(l.store)
		c.polls.maxBytes, c.polls.keepFor = 1<<40, time.Hour
		taken = heaptest.Taken(func() {
			for i := range 20 {
				if _, err := c.fed(t.Context(), poll{after: l.cursors[i], limit: feedproto.MaxLimit}); err != nil {
					t.Fatal(err)
				}
			}
		})
		_, bytes := c.polls.weighed()
		return int64(bytes), taken
	})
}
