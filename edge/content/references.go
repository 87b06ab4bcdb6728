package content

import (
	"crypto/sha256"
	"sync"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// References counts the addresses that lead to what a Store holds, so that it is dropped once none does. It may be used
// concurrently.
type References struct {
	files  *memcache.Table[Key, *File]
	inputs *memcache.Table[record.Hash, []byte]
	parses parses
	disk   BodyDisk // nil: none

	mu        sync.Mutex                   // guards Inputs.before too
	addresses map[[sha256.Size]byte]uint32 // by the ID of inputs, and by the hash of a plan
}

// ReferenceCost is the memory that each address takes here, in bytes. A test weighs it.
const ReferenceCost = 128

func newReferences(s *Store) *References {
	return &References{files: s.files, inputs: s.inputs, parses: s.parses, disk: s.config.Bodies, addresses: map[[sha256.Size]byte]uint32{}}
}

// Succeed notes that next is to replace old at its address, before it does: files of next that are made until then take the
// place of those of old in the cache.
func (r *References) Succeed(old, next *Inputs) {
	r.mu.Lock()
	if old.ID != next.ID {
		next.before = old.ID
	}
	r.mu.Unlock()
	if old.plan != next.plan {
		r.parses.inherit(old.plan, next.plan)
	}
}

// before returns what in replaces at its address; zero: nothing.
func (r *References) before(in *Inputs) ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return in.before
}

// Replace notes that an address that led to old leads to next from now on; nil: to nothing. What no address leads to any
// more is dropped, but for the files of old that clients may have as dictionaries of next: those stay until the next
// Replace, or until any room is needed.
func (r *References) Replace(old, next *Inputs) {
	oldest, plan, files := r.exchange(old, next)
	if oldest != (ID{}) {
		for f := range abi.File(abi.FileCount) {
			r.files.Delete(Key{oldest, f})
		}
	}
	if plan {
		r.inputs.Delete(inDigits(old.plan))
		for f := range abi.File(abi.FileCount) {
			r.parses.Delete(parseKey{old.plan, f})
		}
	}
	if files {
		r.inputs.Delete(inDigits(old.overlay))
		r.supersede(old, next)
	}
}

// exchange counts next in the place of old, and returns what no address leads to any more: the plan of old, its files,
// and those of what old replaced, if that is not zero.
func (r *References) exchange(old, next *Inputs) (oldest ID, plan, files bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if next != nil {
		r.addresses[next.ID]++
		r.addresses[next.plan]++
	}
	if old == nil {
		return ID{}, false, false
	}
	files, plan = r.decrease(old.ID), r.decrease(old.plan)
	switch {
	case next == nil:
		oldest = old.before
	case next.ID == old.ID:
		next.before = old.before
	default:
		oldest, next.before = old.before, old.ID
	}
	if r.addresses[oldest] > 0 {
		oldest = ID{}
	}
	return oldest, plan, files
}

// decrease removes an address that led to key, and reports whether it was the last. The lock is held.
func (r *References) decrease(key [sha256.Size]byte) (last bool) {
	n := r.addresses[key]
	if n > 1 {
		r.addresses[key] = n - 1
		return false
	}
	delete(r.addresses, key)
	return n == 1
}

// supersede drops the files of old, but for those that are dictionaries of next.
func (r *References) supersede(old, next *Inputs) {
	for f := range abi.File(abi.FileCount) {
		key := Key{old.ID, f}
		if next != nil {
			r.files.Supersede(key, Key{next.ID, f})
		}
		if next == nil || old.offered.Load()&(1<<f) == 0 {
			r.files.Delete(key)
		}
		for enc := range coding.Encoding(coding.Count) {
			if r.disk != nil {
				r.disk.Drop(storedName(key, enc))
			}
		}
	}
}

// Forget notes that an address that leads to in is not known any more. What is held stays, as it may be asked for again.
func (r *References) Forget(in *Inputs) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.decrease(in.ID)
	r.decrease(in.plan)
}
