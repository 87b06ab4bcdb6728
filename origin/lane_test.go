package origin

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Work that nobody waits for lets everybody else go first, also who came later.
func TestWorkInTheBackgroundGoesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := make(lane, 1)
		var order []string // guarded by the one place of the lane
		work := func(who string, enter func() (func(), error)) {
			leave, err := enter()
			if err != nil {
				t.Errorf("%s: %v", who, err)
				return
			}
			order = append(order, who)
			time.Sleep(time.Second)
			leave()
		}
		last := func() (func(), error) { return l.enterLast(t.Context()) }
		heavy := func() (func(), error) { return l.enter(t.Context(), true) }
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
	full := make(lane, 1)
	full <- struct{}{}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := full.enterLast(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("enterLast() of a full lane = %v, want context.Canceled", err)
	}
}
