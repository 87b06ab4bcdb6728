package share

import (
	"errors"
	"sync"
	"time"
)

// ErrFull refuses what does not fit into a caller's share of a Budget.
var ErrFull = errors.New("share: the caller's share is used up")

// Budget bounds a number of units that callers use at the same time. A Team may use half of what the other Teams leave,
// and a caller half of what the other callers of its Team leave of that, so that whatever one Team uses, at least half
// remains for the others. A Budget may be used concurrently.
type Budget struct {
	most, free int64

	mu    sync.Mutex // guards all below
	used  int64
	teams map[string]*teamUse
	drain drain
}

// teamUse is what the callers of one Team use.
type teamUse struct {
	used    int64
	callers map[string]int64
}

// NewBudget returns a Budget of so many units. The first free units of each Reservation are not counted.
func NewBudget(units, free int64) *Budget {
	return &Budget{most: units, free: free, teams: map[string]*teamUse{}}
}

// Used returns how many units are in use.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// For returns an empty Reservation of a caller.
func (b *Budget) For(c Caller) *Reservation { return &Reservation{budget: b, caller: c} }

// Reservation is what one request uses of a Budget. The nil Reservation has no bound. It must not be used concurrently.
type Reservation struct {
	budget  *Budget
	caller  Caller
	counted int64
}

// Resize makes the reservation hold so many units, or returns ErrFull and leaves it as it is. One that is larger than the
// share of a caller in an empty Budget counts as large as that: it needs all of it, instead of never fitting.
func (r *Reservation) Resize(units int64) error {
	if r == nil {
		return nil
	}
	b := r.budget
	counted := min(max(units-b.free, 0), b.most/4)
	b.mu.Lock()
	defer b.mu.Unlock()
	if more := counted - r.counted; more > 0 && more > b.left(r.caller) {
		return ErrFull
	}
	b.add(r.caller, counted-r.counted)
	r.counted = counted
	return nil
}

// Release gives all of it back.
func (r *Reservation) Release() { _ = r.Resize(0) } // shrinking never fails

// left returns how many more units a caller may use. mu must be locked.
func (b *Budget) left(c Caller) int64 {
	var ofTeam, ofCaller int64
	if t := b.teams[c.Team]; t != nil {
		ofTeam, ofCaller = t.used, t.callers[c.Subject]
	}
	mostOfTeam := (b.most - (b.used - ofTeam)) / 2
	return (mostOfTeam-(ofTeam-ofCaller))/2 - ofCaller
}

// add changes what a caller uses. mu must be locked.
func (b *Budget) add(c Caller, units int64) {
	if units == 0 {
		return
	}
	t := b.teams[c.Team]
	if t == nil {
		t = &teamUse{callers: map[string]int64{}}
		b.teams[c.Team] = t
	}
	b.used += units
	t.used += units
	if t.callers[c.Subject] += units; t.callers[c.Subject] == 0 {
		delete(t.callers, c.Subject)
	}
	if t.used == 0 {
		delete(b.teams, c.Team)
	}
	b.drain.add(units)
}

// When unused memory is given back to the system: so long after so many units were reserved. The collector by itself may
// wait for minutes once the load has ended.
const (
	drainAfter = 20 * time.Second
	drainUnits = 4 << 20
)

// drain calls free some time after much was reserved. The Budget's mu guards it.
type drain struct {
	free    func()
	since   int64 // units that were reserved since the last call
	pending bool
}

// Drain has the Budget call free 20 seconds after 4 Mi units were reserved, once for all of them. It must be called before
// the Budget is used.
func (b *Budget) Drain(free func()) {
	b.drain.free = func() {
		b.mu.Lock()
		b.drain.since, b.drain.pending = 0, false
		b.mu.Unlock()
		free()
	}
}

func (d *drain) add(units int64) {
	d.since += max(units, 0)
	if d.free != nil && d.since >= drainUnits && !d.pending {
		d.pending = true
		time.AfterFunc(drainAfter, d.free)
	}
}
