package origin

import (
	"errors"
	"sync"
	"time"
)

// errBodyBudget refuses a body for which there is no memory now.
var errBodyBudget = errors.New("origin: the bodies of other requests take all the memory that bodies may take")

// bodyBudget bounds the bytes of request bodies in memory, of all callers and of each. It may be used
// concurrently.
type bodyBudget struct {
	most, mostOfCaller int64
	freeAfter          time.Duration // from the first body until memory is given back
	free               func()        // gives unused memory back to the system

	mu       sync.Mutex // guards all below
	inUse    int64
	ofCaller map[string]int64
	since    int64 // bytes that were reserved since memory was given back
	pending  bool  // it will be given back
}

// callerShare is the part of the budget that one caller may have: one in so many, but one body at least.
const callerShare = 4

// When unused memory is given back: this long after so many bytes of bodies began to come. The collector by
// itself may wait for minutes once the load has ended.
const (
	freeAfter = 20 * time.Second
	freeBytes = 4 << 20
)

// newBodyBudget returns a budget of so many bytes, but no less than one body, that frees memory with free.
func newBodyBudget(limits Limits, free func()) *bodyBudget {
	one := int64(limits.BodyBytes)
	most := max(limits.BodyBudget, one)
	return &bodyBudget{most: most, mostOfCaller: max(most/callerShare, one), freeAfter: freeAfter, free: free, ofCaller: map[string]int64{}}
}

// reserve takes bytes of the budget for a body of a caller and returns what gives them back, or
// errBodyBudget.
func (b *bodyBudget) reserve(caller string, bytes int64) (release func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inUse+bytes > b.most || b.ofCaller[caller]+bytes > b.mostOfCaller {
		return nil, errBodyBudget
	}
	b.add(caller, bytes)
	if b.since += bytes; b.since >= freeBytes && !b.pending {
		b.pending = true
		time.AfterFunc(b.freeAfter, b.giveBack)
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.add(caller, -bytes)
	}, nil
}

// add changes what a caller takes. mu must be locked.
func (b *bodyBudget) add(caller string, bytes int64) {
	b.inUse += bytes
	if b.ofCaller[caller] += bytes; b.ofCaller[caller] == 0 {
		delete(b.ofCaller, caller)
	}
}

func (b *bodyBudget) giveBack() {
	b.mu.Lock()
	b.since, b.pending = 0, false
	b.mu.Unlock()
	b.free()
}

// bytes returns how much of the budget is in use.
func (b *bodyBudget) bytes() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.inUse
}
