package heavywork

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"
)

// Background work lets all other work go first, also if that came later.
func TestWorkInTheBackgroundGoesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := Semaphore{semaphore.NewWeighted(1)}
		var order []string // guarded by the one place
		work := func(who string, acquire func() (func(), error)) {
			release, err := acquire()
			if err != nil {
				t.Errorf("%s: %v", who, err)
				return
			}
			order = append(order, who)
			time.Sleep(time.Second)
			release()
		}
		last := func() (func(), error) { return w.AcquireBackground(t.Context()) }
		heavy := func() (func(), error) { return w.Acquire(t.Context()) }
		go work("first", heavy)
		synctest.Wait()
		go work("background", last)
		synctest.Wait()
		for _, who := range []string{"second", "third"} {
			go work(who, heavy)
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		synctest.Wait() // all have left, and what they wrote is seen here
		if want := []string{"first", "second", "third", "background"}; !slices.Equal(order, want) {
			t.Errorf("order = %q, want %q", order, want)
		}
	})
}

func TestWorkInTheBackgroundEndsWithItsContext(t *testing.T) {
	full := Semaphore{semaphore.NewWeighted(1)}
	if _, err := full.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := full.AcquireBackground(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("AcquireBackground() beside other work = %v, want context.Canceled", err)
	}
}
