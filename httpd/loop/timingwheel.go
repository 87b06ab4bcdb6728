//go:build linux && (amd64 || arm64)

package loop

import "time"

// timingWheel finds the connections whose time is up: a ring of lists, one for each tick to come. A deadline
// that moves away costs nothing: the connection stays where it is, and is put further only when its
// old turn comes. The zero value must be started.
type timingWheel struct {
	tick  time.Duration
	start time.Time
	at    int64 // ticks since start that are done
	count int
	slots [wheelSlots]*conn
}

const wheelSlots = 64

// wheelEntry is a connection's place on a wheel.
type wheelEntry struct {
	deadline   int64 // in ticks; passed when the wheel is beyond it
	slot       int64 // the tick in whose list it is; 0: in none
	next, prev *conn
}

// begin starts w for limits of which the shortest is least.
func (w *timingWheel) begin(now time.Time, least time.Duration) {
	w.start, w.at = now, 1
	w.tick = min(max(least/16, 5*time.Millisecond), 250*time.Millisecond)
}

// until returns the tick by which d from now has passed.
func (w *timingWheel) until(now time.Time, d time.Duration) int64 {
	return 2 + int64(now.Sub(w.start)+d)/int64(w.tick)
}

// set makes c's deadline that tick.
func (w *timingWheel) set(c *conn, deadline int64) {
	c.deadline = deadline
	if c.slot == 0 || deadline < c.slot {
		w.remove(c)
		w.link(c)
	}
}

func (w *timingWheel) link(c *conn) {
	c.slot = min(max(c.deadline, w.at+1), w.at+wheelSlots-1)
	first := &w.slots[c.slot%wheelSlots]
	if c.next = *first; c.next != nil {
		c.next.prev = c
	}
	*first = c
	w.count++
}

func (w *timingWheel) remove(c *conn) {
	if c.slot == 0 {
		return
	}
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		w.slots[c.slot%wheelSlots] = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.next, c.prev, c.slot = nil, nil, 0
	w.count--
}

// advance turns w to now and calls expire for every connection whose deadline has passed; it is on w
// no more then.
func (w *timingWheel) advance(now time.Time, expire func(*conn)) {
	for end := 1 + int64(now.Sub(w.start)/w.tick); w.at < end && w.count > 0; {
		w.at++
		for c := w.slots[w.at%wheelSlots]; c != nil; c = w.slots[w.at%wheelSlots] {
			w.remove(c)
			if c.deadline > w.at {
				w.link(c)
			} else {
				expire(c)
			}
		}
	}
	w.at = max(w.at, 1+int64(now.Sub(w.start)/w.tick))
}

// wait returns the time until the next connection's turn; negative: there is none.
func (w *timingWheel) wait(now time.Time) time.Duration {
	if w.count == 0 {
		return -1
	}
	at := w.at + 1
	for w.slots[at%wheelSlots] == nil {
		at++
	}
	return max(0, time.Duration(at-1)*w.tick-now.Sub(w.start))
}
