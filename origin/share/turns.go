package share

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Turns lets heavy work run side by side within a number of places and of bytes. Of the work that waits, that of the Team
// goes first that had no turn for longest, and within the Team that of the caller: who asks for little never waits for all
// that another asked for before. A Turns may be used concurrently.
type Turns struct {
	mostPlaces int
	mostBytes  int64

	mu         sync.Mutex // guards all below
	places     int        // taken
	bytes      int64      // taken
	waiting    []*waiter  // in the order in which they came
	background []*waiter
	granted    uint64            // turns so far
	last       map[Caller]uint64 // the number of the last turn of each Team and of each caller, since somebody waits
}

// waiter is work that waits for its Turn.
type waiter struct {
	caller  Caller
	turn    *Turn
	granted chan struct{} // closed once turn is taken
}

// NewTurns returns Turns with so many places, one at least, for work that takes so many bytes of memory together.
func NewTurns(places int, bytes int64) *Turns {
	return &Turns{mostPlaces: max(places, 1), mostBytes: bytes, last: map[Caller]uint64{}}
}

// Turn is a place for work, and memory for it. Its methods may be called on the nil Turn, and must not be called
// concurrently.
type Turn struct {
	turns  *Turns
	places int
	bytes  int64
}

// Take waits for a turn for work that takes so many bytes, and returns it, or the error of ctx if that ends before. Work
// that takes more bytes than there are runs when all are free. A request that has a Turn must not wait for another.
func (t *Turns) Take(ctx context.Context, c Caller, bytes int64) (*Turn, error) {
	return t.take(ctx, &t.waiting, c, bytes)
}

// TakeBackground is Take for work that no request waits for: all other work goes first.
func (t *Turns) TakeBackground(ctx context.Context) (*Turn, error) {
	return t.take(ctx, &t.background, Caller{}, 0)
}

func (t *Turns) take(ctx context.Context, queue *[]*waiter, c Caller, bytes int64) (*Turn, error) {
	w := &waiter{c, &Turn{turns: t, places: 1, bytes: min(bytes, t.mostBytes)}, make(chan struct{})}
	t.mu.Lock()
	*queue = append(*queue, w)
	t.grant()
	t.mu.Unlock()
	select {
	case <-w.granted:
		return w.turn, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(*queue, w)
	if i < 0 { // it was granted meanwhile
		return w.turn, nil
	}
	*queue = slices.Delete(*queue, i, i+1)
	t.grant() // another may fit
	return nil, ctx.Err()
}

// grant gives turns to those that wait, in their order, as long as they fit. mu must be locked.
func (t *Turns) grant() {
	for t.places < t.mostPlaces {
		queue := &t.waiting
		if len(*queue) == 0 {
			clear(t.last)
			queue = &t.background
		}
		if len(*queue) == 0 {
			return
		}
		w := slices.MinFunc(*queue, t.compare)
		if t.bytes+w.turn.bytes > t.mostBytes {
			return
		}
		t.places++
		t.bytes += w.turn.bytes
		t.granted++
		t.last[Caller{Team: w.caller.Team}], t.last[w.caller] = t.granted, t.granted
		i := slices.Index(*queue, w)
		*queue = slices.Delete(*queue, i, i+1)
		close(w.granted)
	}
}

// compare orders waiters by the last turn of their Teams, then by that of their callers. mu must be locked.
func (t *Turns) compare(a, b *waiter) int {
	return cmp.Or(
		cmp.Compare(t.last[Caller{Team: a.caller.Team}], t.last[Caller{Team: b.caller.Team}]),
		cmp.Compare(t.last[a.caller], t.last[b.caller]),
	)
}

// Idle gives the place back and keeps the memory, for work that goes on to wait for something else.
func (t *Turn) Idle() {
	if t != nil {
		t.give(0)
	}
}

// End gives back what the turn still has.
func (t *Turn) End() {
	if t != nil {
		t.give(t.bytes)
	}
}

func (t *Turn) give(bytes int64) {
	all := t.turns
	all.mu.Lock()
	defer all.mu.Unlock()
	all.places -= t.places
	all.bytes -= bytes
	t.places, t.bytes = 0, t.bytes-bytes
	all.grant()
}

// Running returns how much work has a place now.
func (t *Turns) Running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.places
}

// Waiting returns how much work that requests wait for has none.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting)
}
