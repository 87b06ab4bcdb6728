package httpserver

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrBodyBudget refuses a body that does not fit into the memory for bodies now.
var ErrBodyBudget = errors.New("origin: the bodies of other requests take all the memory that bodies may take")

// BodyBudget bounds the bytes of request bodies in memory, of all callers and of each, and what they become
// when they are parsed. It may be used concurrently.
type BodyBudget struct {
	parsed             *semaphore.Weighted // bytes of parsed bodies
	mostParsed         int64
	most, mostOfCaller int64
	freeAfter          time.Duration // from the first body until memory is given back
	free               func()        // gives unused memory back to the system

	mu       sync.Mutex // guards all below
	inUse    int64
	ofCaller map[string]int64
	since    int64 // bytes that were reserved since memory was given back
	pending  bool  // it will be given back
}

const (
	callerShare = 4       // the part of the budget that one caller may have is one in so many, but one body at least
	parsedShare = 4       // parsed bodies may take so many times the budget
	largeParsed = 1 << 20 // bytes from which a parsed body is counted
	valueBytes  = 112     // of one value of a parsed body, with its place among others
)

// When unused memory is given back: this long after so many bytes of bodies began to come. The collector by
// itself may wait for minutes once the load has ended.
const (
	freeAfter = 20 * time.Second
	freeBytes = 4 << 20
)

// NewBodyBudget returns a budget of so many bytes, but no less than one body of the largest size, that frees memory
// with free.
func NewBodyBudget(bytes int64, body int, free func()) *BodyBudget {
	one := int64(body)
	most := max(bytes, one)
	return &BodyBudget{
		parsed: semaphore.NewWeighted(most * parsedShare), mostParsed: most * parsedShare,
		most: most, mostOfCaller: max(most/callerShare, one), freeAfter: freeAfter, free: free, ofCaller: map[string]int64{},
	}
}

// Reservation is what the body of one request takes of a budget. The nil Reservation is of no budget.
type Reservation struct {
	budget *BodyBudget
	caller string
	bytes  int64
	parsed int64 // bytes of what the body becomes when it is parsed
}

// Of returns an empty Reservation of a caller.
func (b *BodyBudget) Of(caller string) *Reservation { return &Reservation{budget: b, caller: caller} }

// Grow takes more bytes of the budget, or returns ErrBodyBudget.
func (r *Reservation) Grow(bytes int64) error {
	if r == nil {
		return nil
	}
	b := r.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inUse+bytes > b.most || b.ofCaller[r.caller]+bytes > b.mostOfCaller {
		return ErrBodyBudget
	}
	b.add(r.caller, bytes)
	r.bytes += bytes
	if b.since += bytes; b.since >= freeBytes && !b.pending {
		b.pending = true
		time.AfterFunc(b.freeAfter, b.giveBack)
	}
	return nil
}

// Release gives all of it back.
func (r *Reservation) Release() {
	r.budget.mu.Lock()
	defer r.budget.mu.Unlock()
	r.budget.add(r.caller, -r.bytes)
	r.budget.parsed.Release(r.parsed)
	r.bytes, r.parsed = 0, 0
}

// add changes what a caller takes. mu must be locked.
func (b *BodyBudget) add(caller string, bytes int64) {
	b.inUse += bytes
	if b.ofCaller[caller] += bytes; b.ofCaller[caller] == 0 {
		delete(b.ofCaller, caller)
	}
}

// Parse waits until there is memory for what a JSON text becomes, and takes it, or returns ctx's error. A text of short
// values becomes fifty times as long; one that takes all the memory is parsed alone.
func (r *Reservation) Parse(ctx context.Context, text string) error {
	// Each value but the outermost stands behind one of these.
	values := strings.Count(text, ",") + strings.Count(text, ":") + strings.Count(text, "[")
	bytes := min(int64(values)*valueBytes, r.budget.mostParsed)
	if bytes < largeParsed {
		return nil
	}
	if err := r.budget.parsed.Acquire(ctx, bytes); err != nil {
		return err
	}
	r.parsed = bytes
	return nil
}

func (b *BodyBudget) giveBack() {
	b.mu.Lock()
	b.since, b.pending = 0, false
	b.mu.Unlock()
	b.free()
}

// Bytes returns how much of the budget is in use.
func (b *BodyBudget) Bytes() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.inUse
}
