//go:build linux && (amd64 || arm64)

package loop

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestWheelEndsNobodyEarlyAndEverybodySoon moves deadlines at random, and holds the wheel to a model.
func TestWheelEndsNobodyEarlyAndEverybodySoon(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Unix(1000, 0)
	var w timingWheel
	w.begin(now, time.Second)
	due := map[*conn]time.Time{}
	for range 200 {
		due[&conn{}] = time.Time{}
	}
	pick := func() *conn {
		for c := range due {
			return c
		}
		return nil
	}
	for range 20_000 {
		c := pick()
		switch random.IntN(10) {
		case 0:
			w.remove(c)
			due[c] = time.Time{}
		default:
			d := time.Duration(random.Int64N(int64(20 * time.Second)))
			w.set(c, w.until(now, d))
			due[c] = now.Add(d)
		}
		now = now.Add(time.Duration(random.Int64N(int64(100 * time.Millisecond))))
		wait := w.wait(now)
		w.advance(now, func(c *conn) {
			at := due[c]
			if at.IsZero() || at.After(now) || c.slot != 0 {
				t.Fatalf("expired %v early", at.Sub(now))
			}
			due[c] = time.Time{}
		})
		count := 0
		for _, at := range due {
			if at.IsZero() {
				continue
			}
			count++
			if late := now.Sub(at); late > 2*w.tick {
				t.Fatalf("a deadline passed %v ago, with ticks of %v", late, w.tick)
			}
			if wait < 0 || wait > wheelSlots*w.tick {
				t.Fatalf("wait = %v while a connection waits", wait)
			}
		}
		if count != w.count {
			t.Fatalf("the wheel holds %d connections, want %d", w.count, count)
		}
	}
}
