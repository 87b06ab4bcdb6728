package diskcache

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// index knows the records of the disk cache, so that nothing has to be looked up on disk to know that it is not there,
// and keeps them within a budget: the addresses that are requested least are evicted first, and what several are made
// from stays while any of them does. It may be used concurrently.
type index struct {
	log        *recordLog
	maxEntries int
	requested  func(yield func(key string, times *atomic.Uint32)) // the pairs that were requested, and how often since that was set to 0
	bodies     *Bodies                                            // nil: none are kept

	pruning sync.Mutex // held while records are evicted

	mu      sync.Mutex // guards all below
	entries map[string]*entry
	lost    []string  // a newer state of them may have been lost by damage
	retryAt time.Time // nothing is written before: the file system is full of what is not the edge's
}

// entry is one record. The lowest rank is evicted first; of what is not a pair it says when it was written.
type entry struct {
	place  place
	rank   int64  // Unix nanoseconds
	marked int64  // the rank on disk, which is what a restart knows
	needs  *needs // of a pair; nil: it must be read
	needed bool   // a pair that was written or read by this process needs it
}

// EntryCost is the memory that each record takes here, in bytes. A test weighs it.
const EntryCost = 320

// needs are the blobs that a pair is made from, by the beginnings of their names; 0: none.
type needs struct {
	blobs  [3]uint64 // plan, overlay and module
	bodies uint64    // that are made from them, by the beginning of their ID
}

// The rank of a pair is the time of its newest request, and a credit on top that grows with every request by a part of
// what is missing to the most. So a flood of addresses that are asked for once pushes nothing out that was asked for
// several times within the hour.
const (
	maxCredit   = time.Hour
	bodyCredit  = maxCredit / 2 // of a pair whose bodies are on disk, over the plan that can make others
	creditShare = 8
)

const (
	markEvery      = 10 * time.Minute // how exactly the disk knows a rank
	graceForBlobs  = time.Minute      // how long a blob stays that no pair needs: the pair is about to be written
	retryAfterFull = time.Minute      // how long nothing is written if the file system is full
	freedShare     = 16               // of the records, one part in so many is evicted if the file system is full
)

// The parts, of twenty, of a budget that are in use at most, and after some were evicted. The rest is what was replaced or
// evicted and lies between them yet.
const (
	budgetParts = 20
	mostParts   = 17
	prunedParts = 16
)

func openIndex(dir string, b Budget, requested func(yield func(key string, times *atomic.Uint32)), bodies *Bodies) (*index, error) {
	x := &index{maxEntries: max(int(b.IndexBytes/EntryCost), 1), requested: requested, bodies: bodies, entries: map[string]*entry{}}
	var err error
	if x.log, err = openLog(dir, b.Bytes, x); err != nil {
		return nil, err
	}
	return x, errors.Join(x.log.drop(x.lost...), x.shrink(0, time.Now()))
}

// fixed reports whether a record is the index's own: one of a kind, small, and never evicted.
func fixed(name string) bool { return !strings.Contains(name, "/") }

func (x *index) at(name string) (p place, rank int64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if held := x.entries[name]; held != nil {
		return held.place, held.rank, true
	}
	return p, 0, false
}

func (x *index) put(name string, p place, rank int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.entries[name]
	if held == nil {
		held = &entry{}
		x.entries[name] = held
	} else {
		held.place.release()
	}
	*held = entry{place: p, rank: rank, marked: rank, needed: held.needed}
}

func (x *index) move(name string, from, to place) {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.entries[name]
	if held == nil || held.place != from {
		to.release()
		return
	}
	from.release()
	held.place, held.marked = to, held.rank
}

func (x *index) drop(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forget(name)
}

// distrust forgets the Themes and pairs: a newer record may have been lost, with other rules or of another version.
func (x *index) distrust() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.entries {
		if !isBlob(name) {
			x.lost = append(x.lost, name)
			x.forget(name)
		}
	}
}

// forget forgets a record, and reports whether there was one. x.mu is held.
func (x *index) forget(name string) bool {
	held := x.entries[name]
	if held != nil {
		held.place.release()
		delete(x.entries, name)
	}
	return held != nil
}

func (x *index) has(name string) bool {
	_, _, ok := x.at(name)
	return ok
}

// holds reports whether there is any record whose name begins so.
func (x *index) holds(folder string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.entries {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// under lists the records whose names begin so.
func (x *index) under(folder string) (names []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.entries {
		if strings.HasPrefix(name, folder) {
			names = append(names, name)
		}
	}
	return names
}

// read returns a record; nil if there is none. One that is damaged counts as absent from now on.
func (x *index) read(name string) []byte {
	content, damaged := x.log.read(name)
	if damaged {
		_ = x.remove(name) // it comes again from upstream
	}
	return content
}

// write writes records, in one write if they are short. What would find no room but in the place of all others is not
// written.
func (x *index) write(records ...logRecord) error {
	now := time.Now() // the file system's clock, not the edge's: it only orders records
	admitted, size := records[:0], int64(0)
	for _, r := range records {
		var ok bool
		if r.rank, ok = x.admit(r.name, now); ok {
			admitted, size = append(admitted, r), size+int64(r.size())
		}
	}
	if len(admitted) == 0 || size > x.log.usable()/budgetParts*mostParts {
		return nil
	}
	if err := x.shrink(size, now); err != nil {
		return err
	}
	if x.log.live.Load()+size > x.log.usable() {
		return nil
	}
	err := x.log.write(admitted...)
	if errors.Is(err, syscall.ENOSPC) {
		err = x.writeFull(admitted, size, now)
	}
	return err
}

// writeFull evicts others and writes records to a file system that was full. If that does not help either,
// what fills it is not the edge's, and nothing new is written for a while.
func (x *index) writeFull(records []logRecord, size int64, now time.Time) error {
	live := x.log.live.Load()
	if err := x.prune(now, live-live/freedShare-size, x.maxEntries); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	err := x.log.giveBack(live/freedShare + size)
	if err == nil {
		err = x.log.write(records...)
	}
	if errors.Is(err, syscall.ENOSPC) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.retryAt = now.Add(retryAfterFull)
	}
	return err
}

// admit returns the rank of a record that is about to be written; ok is false if it is not to be.
func (x *index) admit(name string, now time.Time) (rank int64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.entries[name]
	switch {
	case held != nil && isPair(name):
		return held.rank, true
	case held == nil && !fixed(name) && now.Before(x.retryAt):
		return 0, false
	case isPair(name):
		return now.Add(maxCredit / creditShare).UnixNano(), true // it is written because it was asked for
	}
	return now.UnixNano(), true
}

// shrink evicts records if with so many bytes more the budget would be exceeded, or if there are too many.
func (x *index) shrink(size int64, now time.Time) error {
	most := x.log.usable() / budgetParts * mostParts
	x.mu.Lock()
	count := len(x.entries)
	x.mu.Unlock()
	if x.log.live.Load()+size <= most && count < x.maxEntries {
		return nil
	}
	return x.prune(now, x.log.usable()/budgetParts*prunedParts-size, x.maxEntries/budgetParts*mostParts)
}

// remove drops records, which need not be there.
func (x *index) remove(names ...string) error {
	x.mu.Lock()
	gone := names[:0:0]
	for _, name := range names {
		if x.forget(name) {
			gone = append(gone, name)
		}
	}
	x.mu.Unlock()
	return x.log.drop(gone...)
}
